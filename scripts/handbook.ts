import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, globSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, delimiter, dirname, join, resolve } from 'node:path';
import { learningOrder } from '../docs/.vitepress/navigation.ts';
import { startPostgres } from '../test/services/postgres.ts';
import { prometheusProgram, startPrometheus } from '../test/services/prometheus.ts';
import { referencePages } from './code-blocks.ts';
import { alertsIn, stagedRules } from './staged-alerts.ts';

// Runs the commands of the documentation verbatim, in an empty folder, and compares what they print with the
// documentation. Each name selects one run; without a name, the handbook runs.
//   npm run handbook -- operations        docs/operations.md
//   npm run handbook -- start             the pages of docs/start, one after another
//   npm run handbook -- faults [PAGE…]    each page of docs/faults, in a folder of its own
//   npm run handbook -- cookbook [PAGE…]  each page of docs/cookbook, in a folder of its own
//   npm run handbook -- reference         the reference pages, one after another on one gateway
//   npm run handbook -- postgres          the blocks of docs/operations.md that need a database, with DATABASE_URL
// `start` and `faults` start a PostgreSQL for the pages that need an empty database. A page of docs/faults has a Prometheus
// with the alert rules, which scrapes every `health_port` of the page. The blocks marked `firing` and `over` list alerts: the
// run waits there until Prometheus reports all of them, or none of them. As root, a run has its own network and mount
// namespaces, so that its ports are free and its mounts end with it.

/** Begins the output of a block, before its number. */
const marker = '=== block';

/** The run of the blocks that need a program of their own. */
const runOf: Readonly<Record<string, string>> = { nginx: 'operations', pg_dump: 'postgres' };

/** A marked block: a file to write, commands to run, alerts to wait for, or the output of the commands before it. */
interface Block {
  readonly page: string;
  readonly mark: string;
  readonly text: string;
}

const [wanted = 'operations', ...names] = process.argv.slice(2);
const docs = resolve(import.meta.dirname, '../docs');
const runs = pagesOf(wanted);
if (runs.length === 0) throw new Error(`There is no run ${wanted} ${names.join(' ')}.`);
/** Found or fetched here, because a run with its own network cannot fetch it. */
if (wanted === 'faults') await prometheusProgram();
if (wanted !== 'postgres' && process.getuid?.() === 0 && process.env['HANDBOOK_ALONE'] === undefined) {
  const again = ['sh', '-c', 'ip link set lo up && exec "$0" "$@"', process.execPath, ...process.argv.slice(1)];
  const env = { ...process.env, HANDBOOK_ALONE: 'yes' };
  process.exitCode = spawnSync('unshare', ['--net', '--mount', ...again], { stdio: 'inherit', env }).status ?? 1;
} else {
  const postgres = runs.some(needsDatabase) ? await startPostgres() : undefined;
  try {
    for (const pages of runs) await runPages(pages, await postgres?.createDatabase());
  } finally {
    await postgres?.stop();
  }
}

/** The pages of each run. */
function pagesOf(run: string): readonly (readonly string[])[] {
  if (run === 'start') return [learningOrder.filter((path) => path.startsWith('start/'))];
  if (run === 'reference') return [referencePages];
  if (run !== 'faults' && run !== 'cookbook') return [['operations']];
  const all = globSync(`${run}/*.md`, { cwd: docs }).map((file) => file.slice(0, -3));
  return all.filter((page) => names.length === 0 || names.includes(basename(page))).map((page) => [page]);
}

function needsDatabase(pages: readonly string[]): boolean {
  return wanted !== 'postgres' && pages.some((page) => page.includes('/') && textOf(page).includes('DATABASE_URL'));
}

function textOf(page: string): string {
  return readFileSync(join(docs, `${page}.md`), 'utf8');
}

async function runPages(pages: readonly string[], database: string | undefined): Promise<void> {
  const blocks = pages.flatMap((page) => blocksOf(page)).filter(isWanted);
  const commands = blocks.filter(({ mark }) => mark.startsWith('run'));
  if (commands.length === 0) throw new Error(`${pages.join(', ')} has no block to run.`);
  const folder = mkdtempSync(join(tmpdir(), 'gateway-handbook-'));
  addLauncher(join(folder, 'chat-gateway'));
  const prometheus = wanted === 'faults' ? await startPrometheus(gatewaysOf(pages), stagedRules()) : undefined;
  const addresses = { DATABASE_URL: database, PROMETHEUS_URL: prometheus?.url };
  const { status, outputs } = await run(scriptOf(blocks), folder, addresses);
  await prometheus?.stop();
  rmSync(folder, { recursive: true, force: true });
  if (status !== 0) throw new Error(`A command of ${pages.join(', ')} failed (${status}).`);
  const wrong = blocks.flatMap((block, index) => differenceOf(block, outputs.get(index) ?? ''));
  if (wrong.length > 0) throw new Error(wrong.join('\n\n'));
  console.log(`\nAll ${commands.length} blocks of ${pages.join(', ')} ran.`);
}

/** As npm installs it, unless HANDBOOK_LAUNCHER names another program. */
function addLauncher(path: string): void {
  const { HANDBOOK_LAUNCHER: launcher } = process.env;
  if (launcher === undefined) return symlinkSync(resolve(import.meta.dirname, '../bin/chat-gateway.cjs'), path);
  writeFileSync(path, `#!/bin/sh\nexec '${process.execPath}' '${launcher}' "$@"\n`);
  chmodSync(path, 0o755);
}

function gatewaysOf(pages: readonly string[]): { job: string; targets: readonly string[] } {
  const ports = pages.flatMap((page) => [...textOf(page).matchAll(/health_port: (\d+)/g)].map(([, port]) => port));
  return { job: 'chat-gateway', targets: ports.map((port) => `127.0.0.1:${port}`) };
}

function blocksOf(page: string): readonly Block[] {
  return [...textOf(page).matchAll(/^```\w+ (run\S*|file=\S+|output|firing|over)\n([^]*?)^```$/gm)].map(
    ([, mark = '', content = '']): Block => ({ page, mark, text: content }),
  );
}

function isWanted({ page, mark }: Block): boolean {
  const [, program] = /^run=(nginx|pg_dump)$/.exec(mark) ?? [];
  if (program !== undefined) return wanted === runOf[program] && works(page, program);
  return wanted === 'postgres' ? mark === 'run=postgres' : mark !== 'run=postgres' || wanted !== 'operations';
}

/** pg_dump refuses a server that is newer than itself. */
function works(page: string, program: string): boolean {
  const dump = ['--schema-only', '--file=/dev/null', process.env['DATABASE_URL'] ?? ''];
  const { status, stderr, error } = spawnSync(program, program === 'pg_dump' ? dump : ['-v'], { encoding: 'utf8' });
  if (status !== 0)
    console.warn(`A block of ${page} is left out, because ${program} fails: ${error?.message ?? stderr}`);
  return status === 0;
}

/** Job control gives every background command its own process group, so that all of them can be ended together. */
function scriptOf(blocks: readonly Block[]): string {
  const parts = blocks.map(({ mark, text, page }, index) => {
    if (mark === 'output') return '';
    const number = blocks[index + 1]?.mark === 'output' ? index + 1 : index;
    const title = page === blocks[index - 1]?.page ? '' : `echo "=== ${page}, after $SECONDS s"\n`;
    const commands = commandsOf(mark, text);
    return `${title}cat <<'END OF BLOCK'\n${text}END OF BLOCK\necho '${marker} ${number}'\n${commands}`;
  });
  // A page that fails may leave a process stopped.
  const end = `trap 'for group in $(jobs -p); do kill -TERM -$group && kill -CONT -$group || true; done; wait' EXIT`;
  return ['exec 2>&1', 'set -m -eu -o pipefail', end, ...parts, 'echo "=== end, after $SECONDS s"'].join('\n');
}

function commandsOf(mark: string, text: string): string {
  if (mark.startsWith('file=')) return writing(mark.slice('file='.length), text);
  if (mark !== 'firing' && mark !== 'over') return text;
  const program = join(import.meta.dirname, 'staged-alerts.ts');
  const alerts = alertsIn(text).map(({ name }) => name);
  return `'${process.execPath}' '${program}' ${mark} ${alerts.join(' ')}\necho "after $SECONDS s"\n`;
}

/** Writes a file where its block stands, so that earlier commands run without it. */
function writing(name: string, text: string): string {
  return `cat > '${name}' <<'END OF ${name}'\n${text}END OF ${name}\n`;
}

/** What each block printed, by its number, or by the number of the block that has its expected output. */
async function run(
  script: string,
  folder: string,
  addresses: Readonly<Record<string, string | undefined>>,
): Promise<{ status: number; outputs: Map<number, string> }> {
  const path = [folder, dirname(process.execPath), process.env['PATH']].join(delimiter);
  const known = Object.entries(addresses).filter(([, address]) => address !== undefined);
  const child = spawn('bash', ['-c', script], {
    cwd: folder,
    env: { ...process.env, PATH: path, ...Object.fromEntries(known) },
    stdio: ['inherit', 'pipe', 'inherit'],
  });
  let printed = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text;
    process.stdout.write(text);
  });
  const { promise, resolve: finish } = Promise.withResolvers<number>();
  child.on('close', (code) => finish(code ?? 1));
  const status = await promise;
  const [, ...outputs] = printed.split(`${marker} `);
  return {
    status,
    outputs: new Map(outputs.map((text) => [Number.parseInt(text, 10), text.slice(text.indexOf('\n'))])),
  };
}

/** In an expected output, `…` stands for any text, `…` alone for any number of lines, and spaces for any number of them. */
function differenceOf({ page, mark, text }: Block, printed: string): readonly string[] {
  if (mark !== 'output') return [];
  const escaped = text.trim().replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  const pattern = escaped.replaceAll('\n…\n', '\n(?:[^]*?\n)?').replaceAll('…', '[^]*?').replaceAll(/ +/g, ' +');
  if (new RegExp(pattern).test(printed)) return [];
  return [`${page} expects this output:\n\n${text}\nThe commands printed:\n\n${printed}`];
}
