import { accessSync, closeSync, constants, existsSync, fsyncSync, mkdirSync, openSync } from 'node:fs';
import { userInfo } from 'node:os';
import { dirname } from 'node:path';

/** A folder or file of the data folder that this process may not use, and what to do about it. */
export class DataFolderError extends Error {
  readonly fix: string;

  constructor(place: string, folder: string, cause: NodeJS.ErrnoException) {
    const what = denied.has(cause.code ?? '') ? `may not be used by ${userName()}` : 'cannot be used';
    super(`The data folder ${folder} ${what}: ${cause.message}`, { cause });
    this.name = 'DataFolderError';
    this.fix = fixFor(place, folder, cause.code);
  }
}

/** Makes the folder if there is none, and throws now rather than at the first write if it cannot be written to. */
export function openDataFolder(folder: string): void {
  explained(folder, folder, () => {
    const made = mkdirSync(folder, { recursive: true, mode: 0o700 });
    if (made !== undefined) syncFolder(dirname(made));
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  });
}

/** Makes the file if there is none, readable by its owner only. */
export function openDataFile(file: string, folder: string): void {
  explained(file, folder, () => {
    const isNew = !existsSync(file);
    closeSync(openSync(file, 'a', 0o600));
    if (isNew) syncFolder(folder);
  });
}

/** Brings to disk which files a folder has: a power cut could otherwise take a new file with all that was synced in it. */
function syncFolder(folder: string): void {
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** Does something with a place in the folder; what the system says against it becomes a sentence with a way out. */
export function explained<Result>(place: string, folder: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw error instanceof Error ? new DataFolderError(place, folder, error) : error;
  }
}

const denied: ReadonlySet<string> = new Set(['EACCES', 'EPERM']);

function fixFor(place: string, folder: string, code: string | undefined): string {
  const another = 'or name another folder with `data:` in the configuration file or --data DIR';
  if (denied.has(code ?? '')) return `Give it to that user (chown -R ${userName()} ${folder}), ${another}.`;
  if (code === 'EROFS') return `It is on a file system that is mounted read-only. Mount it writable, ${another}.`;
  return `See what is at ${place}, ${another}.`;
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `user ${process.getuid?.() ?? 'unknown'}`;
  }
}
