import type { PeerSighting } from '../../src/cluster/peers.ts';
import type { Machine } from './machine.ts';

/** Everybody reports so often. */
const reportEveryMs = 1000;
/** A process that was silent for so long is not taken to live any more. */
const silentMs = 4000;
/** One that ended is known to be gone after so long. */
const goneMs = 6000;

/** What the book of places says of a process: of one that was killed it says for a while that it lives. */
export function sightingOf(machine: Machine | undefined, nowMs: number): PeerSighting {
  if (!machine) return { presence: 'gone', reports: 0 };
  const { state, diedMs = nowMs, stillMs } = machine;
  const lastMs = state === 'dead' ? diedMs : state === 'frozen' ? stillMs.from : nowMs;
  const reports = Math.floor(lastMs / reportEveryMs);
  const isSilent = nowMs - reports * reportEveryMs > silentMs;
  if (state === 'dead' && nowMs - diedMs > goneMs) return { presence: 'gone', reports: 0 };
  if (!isSilent) return { presence: 'alive', reports };
  return { presence: state === 'dead' ? 'vanished' : 'frozen', reports };
}
