import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { learningOrder } from '../docs/.vitepress/navigation.ts';

// Runs the commands of the documentation verbatim, in an empty folder.
//   npm run handbook               docs/operations.md
//   npm run handbook -- start      the pages of docs/start, one after another, with a second gateway as the provider
//   npm run handbook -- postgres   the blocks of docs/operations.md that need a database, with DATABASE_URL
// As root it uses its own network namespace, so that its ports are free.

/** A marked block: a file to write, or commands to run. */
interface Block {
  readonly mark: string;
  readonly text: string;
}

const wanted = process.argv[2];
const docs = resolve(import.meta.dirname, '../docs');
const pages = wanted === 'start' ? learningOrder.filter((path) => path.startsWith('start/')) : ['operations'];
const handbook = pages.map((path) => readFileSync(join(docs, `${path}.md`), 'utf8')).join('\n');
const blocks = [...handbook.matchAll(/^```\w+ (run\S*|file=\S+)\n([^]*?)^```$/gm)].map(
  ([, mark = '', text = '']): Block => ({ mark, text }),
);
const folder = mkdtempSync(join(tmpdir(), 'gateway-handbook-'));
const launcher = resolve(import.meta.dirname, '../bin/chat-gateway.cjs');
writeFileSync(join(folder, 'chat-gateway'), `#!/bin/sh\nexec '${process.execPath}' '${launcher}' "$@"\n`);
chmodSync(join(folder, 'chat-gateway'), 0o755);
const mark = wanted === 'postgres' ? 'run=postgres' : 'run';
const commands = blocks.flatMap(({ mark: each, text }) => {
  if (each === mark) return [text];
  return each.startsWith('file=') ? [writing(each.slice('file='.length), text)] : [];
});
if (commands.length === 0) throw new Error(`No block has the mark ${mark}.`);
const before = wanted === 'start' ? [pretendProvider()] : [];
// Job control gives every background command its own process group, so that all of them can be ended together.
const script = [
  'set -m -eu -o pipefail',
  'PROVIDER=',
  `trap 'kill $(jobs -p) $PROVIDER || true; wait' EXIT`,
  'set -v',
  ...before,
  ...commands,
].join('\n');
const isAlone = wanted !== 'postgres' && process.getuid?.() === 0;
const [program = '', ...words] = isAlone
  ? ['unshare', '--net', 'sh', '-c', 'ip link set lo up && exec bash -c "$0"', script]
  : ['bash', '-c', script];
const child = spawn(program, words, {
  cwd: folder,
  env: { ...process.env, PATH: `${folder}:${process.env['PATH']}` },
  stdio: 'inherit',
});
child.on('exit', (status) => {
  rmSync(folder, { recursive: true, force: true });
  console.log(
    status === 0 ? `\nAll ${commands.length} blocks ran.` : `\nA command of the handbook failed (${status}).`,
  );
  process.exitCode = status ?? 1;
});

/** Writes a file where its block stands, so that earlier commands run without it. */
function writing(name: string, text: string): string {
  return `cat > '${name}' <<'END OF ${name}'\n${text}END OF ${name}\n`;
}

/** A gateway with simulated models. It stands in for the provider that a reader connects. */
function pretendProvider(): string {
  return `mkdir provider
(cd provider && exec chat-gateway serve --port 8090 > log.txt 2>&1) &
PROVIDER=$!
disown
curl --silent --fail --retry 30 --retry-delay 1 --retry-all-errors http://127.0.0.1:8090/readyz
export ACME_URL=http://127.0.0.1:8090/v1
ACME_KEY=$(cd provider && chat-gateway keys create --account demo --name provider --json | jq --raw-output .secret)
export ACME_KEY
`;
}
