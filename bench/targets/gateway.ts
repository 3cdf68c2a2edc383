import { execFile } from 'node:child_process';
import { mkdtempSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { stringify } from 'yaml';
import { freePort } from '../free-port.ts';
import type { BenchStage } from '../stage.ts';
import { workloads } from '../workload.ts';
import { pidOf, type Target, waitUntilListening } from './target.ts';

/** How this bench runs the gateway. */
export interface GatewayRun {
  readonly command: readonly string[];
  /** The folder for the CPU profile; undefined for none. */
  readonly profileDirectory?: string | undefined;
  /** Modules that are loaded before its own. */
  readonly imports?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  /** Number of processes; one by default. */
  readonly workers?: number;
  /** A shared database; its own embedded store by default. */
  readonly database?: string;
  /** Further settings of its configuration. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** The accounts that get a key each. */
  readonly accounts?: readonly [string, ...string[]];
  /** The folder of its files; a new one by default. A gateway that was killed continues in its folder. */
  readonly directory?: string;
}

/** The real product: a configuration file, an embedded store with a key, the request log, `serve`. */
export async function startGateway(stage: BenchStage, run: GatewayRun): Promise<Target> {
  const directory = run.directory ?? mkdtempSync(join(stage.directory, 'gateway-'));
  const configFile = join(directory, 'gateway.yaml');
  const logFile = join(directory, 'output.log');
  const port = await freePort();
  writeFileSync(configFile, stringify({ ...configuration(port, stage.upstreamPort, run), ...run.settings }));
  const [program = '', ...args] = run.command;
  const log = openSync(logFile, 'w');
  const beganMs = performance.now();
  const child = stage.children.spawn(program, [...args, 'serve', '--config', configFile], {
    cwd: projectDirectory,
    env: environment(run),
    stdio: ['ignore', log, log],
  });
  await waitUntilListening(child, port, () => `The gateway said: ${readFileSync(logFile, 'utf8').slice(-1_500)}`);
  const listenMs = performance.now() - beganMs;
  const [account, ...others] = run.accounts ?? ['bench'];
  const key = await createKey(run.command, configFile, account);
  const otherKeys: string[] = [];
  for (const other of others) otherKeys.push(await createKey(run.command, configFile, other));
  const stop = () => stage.children.stop(child);
  return { name: 'gateway', address: { port, key }, otherKeys, pid: pidOf(child), listenMs, stop };
}

const projectDirectory = join(import.meta.dirname, '../..');

function configuration(port: number, upstreamPort: number, { workers = 1, database }: GatewayRun): object {
  return {
    workers,
    ...(database !== undefined && { database, secret: 'the gateways of a bench share one secret' }),
    listen: { host: '127.0.0.1', port },
    data: './data',
    upstreams: [
      { name: 'fake', kind: 'openai', base_url: `http://127.0.0.1:${upstreamPort}/v1`, max_concurrency: 100_000 },
    ],
    models: workloads.map((workload) => ({
      id: workload,
      owned_by: 'bench',
      context_window: 200_000,
      max_output_tokens: 16_384,
      routes: [{ upstream: 'fake', model: workload }],
      price: { input: '0.01', output: '0.01' },
    })),
    packages: [{ name: 'standard', models: ['*'] }],
    sites: [{ name: 'main', domains: ['*'], models: ['*'] }],
    accounts: [{ name: 'bench', package: 'standard', credit: '1000000.00' }],
  };
}

async function createKey(command: readonly string[], configFile: string, account: string): Promise<string> {
  const create = ['keys', 'create', '--account', account, '--name', 'bench', '--config', configFile];
  return ((await askGateway(command, create)) as { secret: string }).secret;
}

/** Enough for ten thousand ledger entries. */
const outputMax = 64 * 1024 * 1024;

/** Runs a command of the gateway beside `serve`, and returns its JSON. */
export async function askGateway(command: readonly string[], words: readonly string[]): Promise<unknown> {
  const [program = '', ...args] = command;
  const options = { cwd: projectDirectory, maxBuffer: outputMax };
  const { stdout } = await promisify(execFile)(program, [...args, ...words, '--json'], options);
  return JSON.parse(stdout);
}

/** NODE_OPTIONS reaches the gateway through a launcher too. */
function environment({ profileDirectory, imports = [], env }: GatewayRun): NodeJS.ProcessEnv {
  const options = [
    process.env.NODE_OPTIONS ?? '',
    ...(profileDirectory === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profileDirectory}`]),
    ...imports.map((module) => `--import=${module}`),
  ];
  return { ...process.env, ...env, NODE_OPTIONS: options.join(' ').trim() };
}
