import { accessSync, closeSync, constants, existsSync, fsyncSync, mkdirSync, openSync } from 'node:fs';
import { userInfo } from 'node:os';
import { dirname } from 'node:path';

/** This process cannot use the data folder or a file in it. `fix` tells the operator what to do. */
export class DataFolderError extends Error {
  readonly fix: string;

  constructor(path: string, folder: string, cause: NodeJS.ErrnoException) {
    const problem = denied.has(cause.code ?? '') ? `may not be used by ${userName()}` : 'cannot be used';
    super(`The data folder ${folder} ${problem}: ${cause.message}`, { cause });
    this.name = 'DataFolderError';
    this.fix = fixFor(path, folder, cause.code);
  }
}

/** Creates the folder if it is missing. Throws now if it is not writable, not at the first write. */
export function openDataFolder(folder: string): void {
  withDataFolderErrors(folder, folder, () => {
    const created = mkdirSync(folder, { recursive: true, mode: 0o700 });
    if (created !== undefined) syncFolder(dirname(created));
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  });
}

/** Creates the file if it is missing, readable by its owner only. */
export function openDataFile(file: string, folder: string): void {
  withDataFolderErrors(file, folder, () => {
    const isNew = !existsSync(file);
    closeSync(openSync(file, 'a', 0o600));
    if (isNew) syncFolder(folder);
  });
}

/** Syncs the folder's entries: otherwise a power failure could lose a new file with its synced content. */
function syncFolder(folder: string): void {
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** Runs `work` on a path in the folder, and converts a system error into a `DataFolderError`. */
export function withDataFolderErrors<Result>(path: string, folder: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw error instanceof Error ? new DataFolderError(path, folder, error) : error;
  }
}

const denied: ReadonlySet<string> = new Set(['EACCES', 'EPERM']);

function fixFor(path: string, folder: string, code: string | undefined): string {
  const alternative = 'or set another folder with `data:` in the configuration file or --data DIR';
  if (denied.has(code ?? '')) return `Give it to that user (chown -R ${userName()} ${folder}), ${alternative}.`;
  if (code === 'EROFS') return `It is on a file system that is mounted read-only. Mount it writable, ${alternative}.`;
  return `Check ${path}, ${alternative}.`;
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `user ${process.getuid?.() ?? 'unknown'}`;
  }
}
