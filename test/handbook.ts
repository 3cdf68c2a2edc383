import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';

const found = (tools: string) =>
  spawnSync('sh', ['-c', `for tool in ${tools}; do command -v $tool || exit 1; done`]).status === 0;
const tools = 'bash curl ip jq';

/** A run needs a network and mounts of its own, so that ports are free and a disk can be filled, and an operator's tools. */
export const canRunHandbook = found(tools) && spawnSync('unshare', ['--net', '--mount', 'true']).status === 0;

export const hasPsql = found('psql');

if (!canRunHandbook || !hasPsql)
  process.emitWarning(`Commands of the documentation are skipped: they need psql, ${tools} and unshare --net --mount.`);

/** The last line, if every block of the pages ran and printed what they say. */
export const allBlocksRan = /All \d+ blocks of .* ran\.\n$/;

/** Runs the pages as `npm run handbook -- WORDS` does. */
export async function handbookOutput(words: readonly string[], env: NodeJS.ProcessEnv = process.env): Promise<string> {
  const program = promisify(execFile)(process.execPath, ['scripts/handbook.ts', ...words], { maxBuffer: 1e8, env });
  const { stdout } = await program.catch(({ stdout: text, stderr }: { stdout: string; stderr: string }) => {
    throw new Error(`${text.slice(-4_000)}\n${stderr}`);
  });
  return stdout;
}
