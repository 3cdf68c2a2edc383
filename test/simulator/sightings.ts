import { type PeerSighting, silentMs } from '../../src/platform/cluster/peers.ts';
import type { Machine } from './machine.ts';

/** The interval between two reports of a process. */
const reportEveryMs = 1000;
/** A dead process counts as gone after this time. */
const goneMs = 6000;

/** The state of a process in the lease book. A killed process still counts as alive for a while. */
export function sightingOf(machine: Machine | undefined, nowMs: number): PeerSighting {
  if (!machine) return { presence: 'gone', reports: 0 };
  const { state, diedMs = nowMs, frozenMs } = machine;
  const lastMs = state === 'dead' ? diedMs : state === 'frozen' ? frozenMs.from : nowMs;
  const reports = Math.floor(lastMs / reportEveryMs);
  const isSilent = nowMs - reports * reportEveryMs > silentMs;
  if (state === 'dead' && nowMs - diedMs > goneMs) return { presence: 'gone', reports: 0 };
  if (!isSilent) return { presence: 'alive', reports };
  return { presence: state === 'dead' ? 'vanished' : 'frozen', reports };
}
