import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { expect } from 'vitest';
import { accounts } from '../../src/money/accounts/accounts.ts';
import { openPepper } from '../../src/platform/secrets/pepper.ts';
import { systemClock } from '../../src/core/time/clock.ts';
import { openStore, type Store } from '../../src/platform/store/store.ts';
import { eventually } from '../eventually.ts';
import { type FakeProvider, fakeProvider } from '../fakes/fake-provider.ts';
import { makeKey } from '../keys.ts';
import { launcher } from './launcher.ts';
import { loadedConfig } from './loaded-config.ts';
import { putStore } from '../stores/made-store.ts';
import { processEnvironment } from './process-environment.ts';

/** A gateway in its own process, as an operator runs it. Its scripted provider runs in the test process. */
export interface ServedGateway {
  readonly port: number;
  /** The id of the started process. With workers, it is their parent. */
  readonly pid: number;
  readonly key: string;
  readonly provider: FakeProvider;
  readonly isAlive: boolean;
  /** The folder of its configuration and its data. */
  readonly directory: string;
  /** Resident memory of its process. */
  memoryBytes(): Promise<number>;
  /** Limits the open files of the running process. Files that are open stay open. */
  limitDescriptors(most: number): void;
  /** Limits the size of files that the process writes, as if the disk were full. `undefined` removes the limit. */
  limitFiles(bytesMax: number | undefined): void;
  /** Its output and log so far. */
  readonly output: string;
  signal(name: 'SIGTERM' | 'SIGINT' | 'SIGKILL' | 'SIGHUP' | 'SIGUSR2'): void;
  waitForOutput(pattern: RegExp): Promise<RegExpExecArray>;
  /** Resolves with the exit code when the process has exited. */
  exit(): Promise<number | null>;
  /** Opens its store, also after it has exited. `clean` closes it. */
  openStore(): Promise<Store>;
  clean(): Promise<void>;
}

export interface ServedOptions {
  /** Settings that replace those of the default configuration. */
  readonly config?: Readonly<Record<string, unknown>>;
  /** More settings of the first upstream. */
  readonly upstream?: Readonly<Record<string, unknown>>;
  /** A second upstream. It and its model are named `second`. */
  readonly second?: Readonly<Record<string, unknown>>;
  /** The host name of the provider. Default: its IP address. */
  readonly providerHost?: string;
  readonly failpoint?: string;
  /** The limit of file descriptors. */
  readonly descriptors?: number;
  /** A file that replaces its standard error. */
  readonly log?: string;
}

export async function startServedGateway(options: ServedOptions = {}): Promise<ServedGateway> {
  const provider = await fakeProvider();
  const directory = await mkdtemp(join(tmpdir(), 'gateway-served-'));
  const file = join(directory, 'gateway.yaml');
  const text = stringify({ ...baseConfig(provider, options), ...options.config });
  await writeFile(file, text);
  const key = await keyIn(directory, text);
  const child = start(file, options);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (piece: Buffer) => (output += piece));
  const opened: Store[] = [];
  const isAlive = (): boolean => child.exitCode === null && child.signalCode === null;
  // Emitted when its workers have exited too.
  const closed = once(child, 'close');

  function limit(option: string): void {
    const { status, stderr } = spawnSync('prlimit', ['--pid', String(child.pid), option]);
    expect([status, String(stderr)]).toEqual([0, '']);
  }

  async function waitForOutput(pattern: RegExp): Promise<RegExpExecArray> {
    return eventually(() => {
      expect(output).toMatch(pattern);
      return pattern.exec(output)!;
    });
  }
  return {
    port: Number((await waitForOutput(/address +http:\/\/127\.0\.0\.1:(\d+)/))[1]),
    pid: child.pid!,
    key,
    provider,
    directory,
    get isAlive() {
      return isAlive();
    },
    async memoryBytes() {
      const status = await readFile(`/proc/${child.pid}/status`, 'utf8');
      return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
    },
    limitDescriptors: (most) => limit(`--nofile=${most}:`),
    limitFiles: (bytesMax) => limit(`--fsize=${bytesMax ?? 'unlimited'}:`),
    get output() {
      return output;
    },
    signal: (name) => void child.kill(name),
    waitForOutput,
    async exit() {
      if (isAlive()) await once(child, 'exit');
      return child.exitCode;
    },
    async openStore() {
      const store = await openStore({ data: join(directory, 'data') });
      opened.push(store);
      return store;
    },
    async clean() {
      if (isAlive()) {
        // A stopped parent does not restart workers.
        process.kill(child.pid!, 'SIGSTOP');
        for (const pid of [...(await childrenOf(child.pid!)), child.pid!]) process.kill(pid, 'SIGKILL');
        await closed;
      }
      await Promise.all(opened.map((store) => store.close()));
      await provider.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** The running child processes of a process. */
export async function childrenOf(pid: number): Promise<readonly number[]> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return children.trim().split(/\s+/).filter(Boolean).map(Number);
}

function baseConfig(
  { url }: FakeProvider,
  { upstream, second, providerHost = '127.0.0.1' }: ServedOptions,
): Record<string, unknown> {
  const price = { input: '1', output: '2' };
  const base_url = url.replace('127.0.0.1', providerHost);
  return {
    listen: { host: '127.0.0.1', port: 0 },
    data: './data',
    log: { level: 'error' },
    upstreams: [
      { name: 'fake', kind: 'openai', base_url, max_concurrency: 1000, ...upstream },
      ...(second ? [{ name: 'second', kind: 'openai', ...second }] : []),
    ],
    models: [
      { id: 'other', routes: [{ upstream: 'fake' }], price },
      ...(second ? [{ id: 'second', routes: [{ upstream: 'second' }], price }] : []),
    ],
    accounts: [{ name: 'tester', package: 'standard', credit: '10000.00' }],
  };
}

async function keyIn(directory: string, text: string): Promise<string> {
  const { config } = loadedConfig(text, directory);
  await putStore(config.data);
  const store = await openStore({ data: config.data });
  try {
    const pepper = await openPepper(store, { data: config.data, secret: undefined });
    await accounts(store, systemClock).ensure(config.accounts);
    return (await makeKey({ store, pepper }, { account: 'tester', name: 'test' })).secret;
  } finally {
    await store.close();
  }
}

function start(file: string, { failpoint, descriptors, log }: ServedOptions): ChildProcess {
  const env = { ...processEnvironment, ...(failpoint !== undefined && { GATEWAY_FAILPOINT: failpoint }) };
  const limit = descriptors === undefined ? '' : `ulimit -n ${descriptors} && `;
  const redirected = log === undefined ? '' : ` 2>${log}`;
  const command = [process.execPath, launcher, 'serve', '--config', file];
  // Ignore SIGXFSZ, so that a write beyond the size limit is an error and not a signal.
  return spawn('/bin/sh', ['-c', `trap '' XFSZ; ${limit}exec "$@"${redirected}`, 'sh', ...command], { env });
}
