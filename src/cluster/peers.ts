import type { ClusterMember } from './arbiter.ts';
import type { LeaseKeeper } from './lease-keeper.ts';

/**
 * How another process is, as far as the arbiter can tell. `frozen`: it is silent, but its connection stands. `vanished`:
 * it has none, and may or may not have ended. `gone`: nothing of it can run any more. `unknown`: nobody can be asked.
 */
export type Presence = 'alive' | 'frozen' | 'vanished' | 'gone' | 'unknown';

/** What the arbiter knows of another process. */
export interface PeerSighting {
  readonly presence: Presence;
  /** How many reports of it were heard: one more than before is a sign of life. */
  readonly reports: number;
}

/** The other processes of the service. */
export interface Peers {
  /** What they know this process by. */
  readonly process: string;
  /** Whether they know it: only then will they notice its end. */
  readonly isKnown: boolean;
  sightingOf(process: string): Promise<PeerSighting>;
}

/** Everybody reports once a second; who was heard so much earlier than this process is silent. */
const silentMs = 4000;

/** By the same book that divides slots: who holds slots may still be running something, and who does not can not. */
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
      return { presence: own ? presenceBeside(own, other) : 'unknown', reports: other?.number ?? 0 };
    },
  };
}

function presenceBeside(own: ClusterMember, other: ClusterMember | undefined): Presence {
  if (!other) return 'gone';
  if (own.heardMs - other.heardMs <= silentMs) return 'alive';
  return other.isConnected ? 'frozen' : 'vanished';
}
