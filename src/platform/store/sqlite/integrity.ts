import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** `unfinished`: the check took longer than its limit and was ended. */
export type Integrity =
  | { readonly state: 'sound' | 'unfinished' }
  | { readonly state: 'damaged'; readonly damage: string };

/** A check reads the whole file: about a second for each GB of a fast disk. */
export const integrityLimitMs = 120_000;

const run = promisify(execFile);

/** Runs SQLite's integrity check, in a process of its own: it cannot be interrupted otherwise. It changes nothing. */
export async function integrityOf(file: string, limitMs = integrityLimitMs): Promise<Integrity> {
  try {
    const options = { timeout: limitMs, killSignal: 'SIGKILL' } as const;
    const { stdout } = await run(process.execPath, ['-e', program, file], options);
    return stdout === 'ok' ? { state: 'sound' } : { state: 'damaged', damage: stdout.replaceAll(/\s+/g, ' ') };
  } catch (error) {
    if (error instanceof Error && 'killed' in error && error.killed === true) return { state: 'unfinished' };
    throw error;
  }
}

const program = `
const { DatabaseSync } = require('node:sqlite');
let verdict;
try {
  const database = new DatabaseSync(process.argv[1], { readOnly: true, timeout: 10_000 });
  [verdict = 'nothing can be read from it'] = Object.values(database.prepare('pragma integrity_check(1)').get() ?? {});
} catch (error) {
  verdict = error.message;
}
process.stdout.write(String(verdict));
`;
