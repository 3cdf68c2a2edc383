import { type ChildProcessByStdio, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { stringify } from 'yaml';

const run = promisify(execFile);
const cache = join(import.meta.dirname, '../../node_modules/.cache/prometheus');

/** A real Prometheus with the given rules, on its own port. */
export interface Prometheus {
  readonly url: string;
  /** The current value of each series of an expression. */
  query(expression: string): Promise<readonly number[]>;
  /** The response data of its HTTP API under this path. */
  fetchData(name: string): Promise<unknown>;
  stop(): Promise<void>;
}

export interface ScrapedGateways {
  readonly job: string;
  readonly targets: readonly string[];
  /** A token of an operator, for the main port. */
  readonly token?: string;
}

/** The interval of scrapes and rule evaluations. */
export const scrapeMs = 1000;

/** Starts Prometheus with these gateways as its targets. The rules are the text of their file. */
export async function startPrometheus({ job, targets, token }: ScrapedGateways, rules: string): Promise<Prometheus> {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-prometheus-'));
  const authorization = token === undefined ? {} : { authorization: { credentials: token } };
  const scrape = { job_name: job, ...authorization, static_configs: [{ targets }] };
  const config = {
    global: { scrape_interval: `${scrapeMs}ms`, evaluation_interval: `${scrapeMs}ms` },
    rule_files: ['rules.yaml'],
    scrape_configs: [scrape],
  };
  writeFileSync(join(folder, 'rules.yaml'), rules);
  writeFileSync(join(folder, 'prometheus.yaml'), stringify(config));
  const options = [
    `--config.file=${join(folder, 'prometheus.yaml')}`,
    `--storage.tsdb.path=${join(folder, 'data')}`,
    '--web.listen-address=127.0.0.1:0',
  ];
  const child = spawn(await prometheusProgram(), options, { stdio: ['ignore', 'ignore', 'pipe'] });
  const url = `http://${await addressOf(child)}`;

  async function fetchData(name: string): Promise<unknown> {
    const response = await fetch(`${url}/api/v1/${name}`);
    const { status, data, error } = (await response.json()) as { status: string; data: unknown; error?: string };
    if (status !== 'success') throw new Error(error);
    return data;
  }

  return {
    url,
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
export async function prometheusProgram(): Promise<string> {
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

/** Reads the log until Prometheus is ready. */
function addressOf({ stderr }: ChildProcessByStdio<null, null, Readable>): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let text = '';
  stderr.setEncoding('utf8').on('data', (piece: string) => {
    text = (text + piece).slice(-10_000);
    const [, address] = /Listening on.* address=(127\.0\.0\.1:\d+)/.exec(text) ?? [];
    if (address !== undefined && text.includes('Server is ready')) resolve(address);
  });
  stderr.once('close', () => reject(new Error(`Prometheus ended:\n${text}`)));
  return promise;
}
