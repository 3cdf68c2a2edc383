import { accessSync, constants, statfsSync } from 'node:fs';
import { freemem } from 'node:os';

const memory = '/dev/shm';
/** Far more than the small databases of tests have ever had in them. */
const roomy = 4 * 2 ** 30;

/**
 * Where files live in memory, if this machine has plenty of it. Nearly every test makes a store and throws it away: on a
 * disk most of what that takes is the making and removing of files. Programs may not be runnable there.
 */
export function quickFolder(): string | undefined {
  try {
    accessSync(memory, constants.W_OK | constants.X_OK);
    const { bavail, bsize } = statfsSync(memory);
    return Math.min(bavail * bsize, freemem()) >= roomy ? memory : undefined;
  } catch {
    return undefined;
  }
}
