import { statfsSync } from 'node:fs';

/** The disk of the data folder is full. The stored data is intact. */
export class FullDiskError extends Error {
  readonly fix: string;

  constructor(folder: string, freeBytes: number, cause: unknown) {
    super(`The disk of the data folder ${folder} is full: ${Math.floor(freeBytes / 1000)} kB are free.`, { cause });
    this.name = 'FullDiskError';
    this.fix = `Free space on the disk of ${folder}, or set another folder with \`data:\` in the configuration file or --data DIR.`;
  }
}

/** SQLite needs this much space for its side files before it can even read. */
const neededBytes = 256_000;
const sqliteFull = 13;

/** Returns a `FullDiskError` if a full disk caused `error`. SQLite often reports another error for it. */
export function fullDisk(folder: string, error: unknown): FullDiskError | undefined {
  if (error instanceof FullDiskError) return error;
  const freeBytes = freeBytesAt(folder);
  if (!isOutOfSpace(error) && (freeBytes === undefined || freeBytes >= neededBytes)) return undefined;
  return new FullDiskError(folder, freeBytes ?? 0, error);
}

function isOutOfSpace(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ('code' in error && error.code === 'ENOSPC') return true;
  if ('errcode' in error && (Number(error.errcode) & 0xff) === sqliteFull) return true;
  return isOutOfSpace(error.cause);
}

/** `undefined` if the folder does not exist, or its file system has no blocks. */
function freeBytesAt(folder: string): number | undefined {
  try {
    const { blocks, bavail, bsize } = statfsSync(folder);
    return blocks === 0 ? undefined : bavail * bsize;
  } catch {
    return undefined;
  }
}
