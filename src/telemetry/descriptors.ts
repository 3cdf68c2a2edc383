import { readFileSync } from 'node:fs';

/** How many descriptors this process may have; `undefined` where the system does not say, or sets no limit. */
export function descriptorsMax(): number | undefined {
  try {
    const [, soft] = /^Max open files\s+(\d+|unlimited)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return soft === undefined || soft === 'unlimited' ? undefined : Number(soft);
  } catch {
    return undefined;
  }
}

/** What the process itself has open: files, journals, the store, the health port. Of a tiny limit no more than a quarter. */
const ownMax = 200;

/**
 * How many clients may be connected, so that there is always a descriptor for a call of a provider. A client that is
 * served needs one more there, but never more of them than `callsMax` run at once.
 */
export function clientsWithin(descriptors: number, callsMax: number): number {
  const rest = descriptors - Math.min(ownMax, Math.floor(descriptors / 4));
  return Math.max(1, rest - callsMax, Math.floor(rest / 2));
}
