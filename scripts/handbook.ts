import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

// Runs the commands of docs/operations.md verbatim: `npm run handbook`, or `npm run handbook -- postgres` with
// DATABASE_URL for the commands that need a database. As root it uses its own network namespace, so that its ports are
// free.

/** A marked block: a file to write, or commands to run. */
interface Block {
  readonly mark: string;
  readonly text: string;
}

const wanted = process.argv[2];
const handbook = readFileSync(new URL('../docs/operations.md', import.meta.url), 'utf8');
const blocks = [...handbook.matchAll(/^```\w+ (run\S*|file=\S+)\n([^]*?)^```$/gm)].map(
  ([, mark = '', text = '']): Block => ({ mark, text }),
);
const folder = mkdtempSync(join(tmpdir(), 'gateway-handbook-'));
const launcher = resolve(import.meta.dirname, '../bin/chat-gateway.cjs');
writeFileSync(join(folder, 'chat-gateway'), `#!/bin/sh\nexec '${process.execPath}' '${launcher}' "$@"\n`);
chmodSync(join(folder, 'chat-gateway'), 0o755);
for (const { mark, text } of blocks) {
  if (mark.startsWith('file=')) writeFileSync(join(folder, mark.slice('file='.length)), text);
}
const mark = wanted === undefined ? 'run' : `run=${wanted}`;
const commands = blocks.filter((block) => block.mark === mark).map(({ text }) => text);
if (commands.length === 0) throw new Error(`docs/operations.md has no block with the mark ${mark}`);
// Job control gives every background command its own process group, so that all of them can be ended together.
const script = ['set -m -eu -o pipefail', `trap 'kill $(jobs -p) || true; wait' EXIT`, 'set -v', ...commands].join(
  '\n',
);
const isAlone = wanted === undefined && process.getuid?.() === 0;
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
