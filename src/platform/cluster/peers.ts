import type { ClusterMember } from './arbiter.ts';
import type { LeaseKeeper } from './lease-keeper.ts';

/**
 * The state of another process in the arbiter's book. `frozen`: it is silent, but its connection is open. `vanished`:
 * it has no connection, and may or may not have ended. `gone`: nothing of it can run any more. `unknown`: the arbiter
 * does not answer, or does not list this process.
 */
export type Presence = 'alive' | 'frozen' | 'vanished' | 'gone' | 'unknown';

/** The arbiter's view of another process. */
export interface PeerSighting {
  readonly presence: Presence;
  /** The number of its last report: a higher one than before is a heartbeat. */
  readonly reports: number;
}

export interface Peers {
  /** The name of this process at the arbiter. */
  readonly process: string;
  /** Whether this process holds a valid lease: only then will its peers notice its end. */
  readonly isKnown: boolean;
  sightingOf(process: string): Promise<PeerSighting>;
}

/** Every process reports once a second. One whose last report is this much older than our own is silent. */
export const silentMs = 4000;

/** Reads the book that divides slots: a process in it may still run calls, a process not in it cannot. */
export function peers(leases: Pick<LeaseKeeper, 'process' | 'state' | 'overview'>): Peers {
  return {
    process: leases.process,
    get isKnown() {
      return leases.state === 'leased';
    },
    async sightingOf(process) {
      const members = await leases.overview().catch(() => []);
      const own = members.find((member) => member.process === leases.process);
      const other = members.find((member) => member.process === process);
      return { presence: own ? presenceOf(own, other) : 'unknown', reports: other?.number ?? 0 };
    },
  };
}

function presenceOf(own: ClusterMember, other: ClusterMember | undefined): Presence {
  if (!other) return 'gone';
  if (own.heartbeatMs - other.heartbeatMs <= silentMs) return 'alive';
  return other.isConnected ? 'frozen' : 'vanished';
}
