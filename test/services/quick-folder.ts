import { accessSync, constants, statfsSync } from 'node:fs';
import { freemem } from 'node:os';

const memory = '/dev/shm';
/** Far more than the databases of tests need. */
const bytesMin = 4 * 2 ** 30;

/**
 * A folder in memory, if the machine has enough. Nearly every test creates and deletes a store. On a disk, most of that
 * time goes into creating and deleting files. Programs may not be executable there.
 */
export function quickFolder(): string | undefined {
  try {
    accessSync(memory, constants.W_OK | constants.X_OK);
    const { bavail, bsize } = statfsSync(memory);
    return Math.min(bavail * bsize, freemem()) >= bytesMin ? memory : undefined;
  } catch {
    return undefined;
  }
}
