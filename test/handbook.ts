import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'vitest';

const found = (tools: string) =>
  spawnSync('sh', ['-c', `for tool in ${tools}; do command -v $tool || exit 1; done`]).status === 0;
const tools = 'bash curl ip jq';

/** A run needs a network and mounts of its own, so that ports are free and a disk can be filled, and an operator's tools. */
export const canRunHandbook = found(tools) && spawnSync('unshare', ['--net', '--mount', 'true']).status === 0;
if (!canRunHandbook)
  console.warn(`Commands of the documentation are not run: this needs ${tools} and unshare --net --mount.`);

export const hasPsql = found('psql');
if (!hasPsql) console.warn('The commands of the documentation for a database are not run, because there is no psql.');

/** Runs the pages as `npm run handbook -- WORDS` does, and expects that all their blocks run and print what the page says. */
export async function runHandbook(words: readonly string[], env: NodeJS.ProcessEnv = process.env): Promise<void> {
  const program = promisify(execFile)(process.execPath, ['scripts/handbook.ts', ...words], { maxBuffer: 1e8, env });
  const { stdout } = await program.catch(({ stdout: text, stderr }: { stdout: string; stderr: string }) => {
    throw new Error(`${text.slice(-4_000)}\n${stderr}`);
  });
  expect(stdout).toMatch(/All \d+ blocks of .* ran\.\n$/);
}
