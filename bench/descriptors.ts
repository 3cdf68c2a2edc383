import { readFileSync } from 'node:fs';

/** Descriptors a proxy needs besides its streams: its files, its store, its log, its listener, kept connections. */
const reserve = 200;

/** A stream takes two of them in a proxy, one to each side. */
const perStream = 2;

/** As many of the wanted streams as the limit of open files lets one process have; Node raises the soft limit itself. */
export function streamsWithin(wanted: number, limit = descriptorLimit()): number {
  return Math.min(wanted, Math.floor((limit - reserve) / perStream));
}

function descriptorLimit(): number {
  const hard = /^Max open files\s+\S+\s+(\S+)/m.exec(readFileSync('/proc/self/limits', 'latin1'))?.[1];
  return hard === undefined || hard === 'unlimited' ? Number.POSITIVE_INFINITY : Number(hard);
}
