import { readFileSync } from 'node:fs';

/** Descriptors that a proxy needs besides its streams: files, store, log, listener, idle connections. */
const reserve = 200;

/** A stream takes two descriptors in a proxy, one on each side. */
const perStream = 2;

/** Limits the wanted number of streams by the limit of open files. Node raises the soft limit itself. */
export function streamsWithin(wanted: number, limit = descriptorLimit()): number {
  return Math.min(wanted, Math.floor((limit - reserve) / perStream));
}

function descriptorLimit(): number {
  const hard = /^Max open files\s+\S+\s+(\S+)/m.exec(readFileSync('/proc/self/limits', 'latin1'))?.[1];
  return hard === undefined || hard === 'unlimited' ? Number.POSITIVE_INFINITY : Number(hard);
}
