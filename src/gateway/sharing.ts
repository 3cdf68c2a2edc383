import type { Arbiter } from '../cluster/arbiter.ts';
import { LeaseKeeper, type LeaseStatus } from '../cluster/lease-keeper.ts';
import type { Clock } from '../core/clock.ts';
import type { Store } from '../store/store.ts';
import type { ReadinessCheck } from '../surfaces/health.ts';
import type { Log } from '../telemetry/log.ts';
import { isGone, ownHostId } from './host-id.ts';

export interface SharingParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly newId: () => string;
  /** The database that the gateways of a service share, if there is one. */
  readonly database: string | undefined;
  /** Who divides places among the workers of one machine, if there are several. */
  readonly arbiter: Arbiter | undefined;
  /** Which of them it is. */
  readonly worker: number | undefined;
}

/** What this process shares with others: the places at upstreams, and what is learned of them. */
export interface Sharing {
  readonly leases: LeaseKeeper;
  stop(): Promise<void>;
}

/** Nothing for a process that is alone with its store: all places are its own. */
export async function sharing(parts: SharingParts): Promise<Sharing | undefined> {
  const { clock, log, newId, database, arbiter, worker } = parts;
  const process = newId();
  const shared = database === undefined ? undefined : await sharedArbiter({ ...parts, database, process });
  const dividing = shared ?? arbiter;
  if (!dividing) return undefined;
  const leases = new LeaseKeeper({
    clock,
    arbiter: dividing,
    process,
    home: ownHostId(worker),
    isDead: isGone,
    changed: (status) => tell(log, status),
  });
  return {
    leases,
    async stop() {
      await leases.stop();
      await shared?.stop();
    },
  };
}

/** What is worth knowing of it when somebody asks how the process is doing: nobody is refused because of it. */
export function slotsCheck(shared: Sharing | undefined): readonly ReadinessCheck[] {
  if (!shared) return [];
  const { state, processes } = shared.leases.status;
  const part = processes > 1 ? `one part in ${processes}` : 'its own part';
  const note = `Slots cannot be shared with other processes just now; this one keeps to ${part} of each upstream.`;
  return [{ name: 'places', problem: undefined, note: state === 'leased' ? undefined : note }];
}

/** The driver is loaded only by those who need it. */
async function sharedArbiter(parts: { readonly store: Store; readonly database: string; readonly process: string }) {
  const { postgresArbiter } = await import('../cluster/postgres-arbiter.ts');
  return postgresArbiter(parts);
}

function tell(log: Log, { state, processes, error }: LeaseStatus): void {
  if (state === 'leased') return log.info({ processes }, 'places are shared with the other processes again');
  const words = 'places cannot be shared: this process keeps to its own part of them until it can reach the others';
  log.warn({ processes, error }, words);
}
