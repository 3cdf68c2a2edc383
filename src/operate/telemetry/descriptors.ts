import { readFileSync } from 'node:fs';

/** The limit on open file descriptors of this process. `undefined` if the system reports none or sets no limit. */
export function descriptorsMax(): number | undefined {
  try {
    const [, soft] = /^Max open files\s+(\d+|unlimited)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return soft === undefined || soft === 'unlimited' ? undefined : Number(soft);
  } catch {
    return undefined;
  }
}

/** Descriptors for the process itself: files, journals, the store, the health port. At most a quarter of the limit. */
const ownMax = 200;

/** Client connections that leave a descriptor for every provider call, of which at most `callsMax` run at once. */
export function clientsWithin(descriptors: number, callsMax: number): number {
  const available = descriptors - Math.min(ownMax, Math.floor(descriptors / 4));
  return Math.max(1, available - callsMax, Math.floor(available / 2));
}
