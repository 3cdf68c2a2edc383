import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { stringify } from 'yaml';
import { eventually } from '../eventually.ts';

const run = promisify(execFile);
const cache = join(import.meta.dirname, '../../node_modules/.cache/prometheus');

/** A real Prometheus with the given rules, on its own port. */
export interface Prometheus {
  /** The current value of each series of an expression. */
  query(expression: string): Promise<readonly number[]>;
  /** The response data of its HTTP API under this path. */
  fetchData(name: string): Promise<unknown>;
  stop(): Promise<void>;
}

export interface ScrapedGateway {
  readonly job: string;
  readonly target: string;
  /** A token of an operator. */
  readonly token: string;
}

/** The interval of scrapes and rule evaluations. */
export const scrapeMs = 1000;

/** Starts Prometheus with a gateway as its target. */
export async function startPrometheus({ job, target, token }: ScrapedGateway, rules: string): Promise<Prometheus> {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-prometheus-'));
  const scrape = { job_name: job, authorization: { credentials: token }, static_configs: [{ targets: [target] }] };
  const config = {
    global: { scrape_interval: `${scrapeMs}ms`, evaluation_interval: `${scrapeMs}ms` },
    rule_files: [rules],
    scrape_configs: [scrape],
  };
  writeFileSync(join(folder, 'prometheus.yaml'), stringify(config));
  const child = spawn(await program(), [
    `--config.file=${join(folder, 'prometheus.yaml')}`,
    `--storage.tsdb.path=${join(folder, 'data')}`,
    '--web.listen-address=127.0.0.1:0',
  ]);
  const output = collectOutput(child);
  const address = await eventually(() => {
    const [, listening] = /Listening on.* address=(127\.0\.0\.1:\d+)/.exec(output()) ?? [];
    if (listening === undefined) throw new Error(`Prometheus has not printed its address:\n${output()}`);
    return listening;
  });
  const url = `http://${address}`;

  async function fetchData(name: string): Promise<unknown> {
    const response = await fetch(`${url}/api/v1/${name}`);
    const { status, data, error } = (await response.json()) as { status: string; data: unknown; error?: string };
    if (status !== 'success') throw new Error(error);
    return data;
  }

  await eventually(async () => {
    if (child.exitCode !== null) throw new Error(`Prometheus exited:\n${output()}`);
    if (!(await fetch(`${url}/-/ready`)).ok) throw new Error('Prometheus is not ready.');
  });
  return {
    fetchData,
    async query(expression) {
      const data = (await fetchData(`query?query=${encodeURIComponent(expression)}`)) as Answer;
      if (data.resultType === 'scalar') return [Number(data.result[1])];
      return data.result.map(({ value }) => Number(value[1]));
    },
    async stop() {
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

type Answer =
  | { readonly resultType: 'scalar'; readonly result: readonly [number, string] }
  | { readonly resultType: 'vector'; readonly result: readonly { readonly value: readonly [number, string] }[] };

/** The installed program, or the one from Debian's package, unpacked without installation. */
async function program(): Promise<string> {
  const installed = (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, 'prometheus'));
  return installed.find((file) => existsSync(file)) ?? unpack();
}

/** apt keeps its lists in the cache folder, so that nothing on the machine changes and root is not needed. */
async function unpack(): Promise<string> {
  const file = join(cache, 'program/usr/bin/prometheus');
  if (existsSync(file)) return file;
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, 'fetching-'));
  try {
    for (const name of ['lists/partial', 'archives/partial']) mkdirSync(join(folder, name), { recursive: true });
    const settings = [`Dir::State::lists=${folder}/lists`, `Dir::Cache=${folder}`, 'Debug::NoLocking=true'];
    const user = process.getuid?.() === 0 ? ['APT::Sandbox::User=root'] : [];
    const options = ['-qq', ...[...settings, ...user].flatMap((setting) => ['-o', setting])];
    await run('apt-get', [...options, 'update'], { cwd: folder });
    await run('apt-get', [...options, 'download', 'prometheus'], { cwd: folder });
    await run('dpkg', ['-x', globSync('prometheus_*.deb', { cwd: folder })[0]!, 'program'], { cwd: folder });
    rmSync(join(cache, 'program'), { recursive: true, force: true });
    renameSync(join(folder, 'program'), join(cache, 'program'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return file;
}

function collectOutput({ stderr }: ChildProcess): () => string {
  let text = '';
  stderr?.on('data', (piece: Buffer) => (text = (text + piece.toString()).slice(-10_000)));
  return () => text;
}
