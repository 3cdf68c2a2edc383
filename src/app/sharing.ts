import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { pid } from 'node:process';
import type { Arbiter, HostId } from '../platform/cluster/arbiter.ts';
import { LeaseKeeper, type LeaseStatus } from '../platform/cluster/lease-keeper.ts';
import type { Store } from '../platform/store/store.ts';
import type { ReadinessCheck } from '../serving/surfaces/health.ts';
import type { Log } from '../operate/telemetry/logs/log.ts';
import type { ServiceParts } from './gateway.ts';

export interface SharingParts extends ServiceParts {
  /** The id that this process has at its start. Its slots keep this name if the process gets a new id for its money. */
  readonly process: string;
  /** The database that the gateways of a service share, if any. */
  readonly database: string | undefined;
  /** Divides slots among the workers of one machine, if there are several. */
  readonly arbiter: Arbiter | undefined;
  readonly worker: number | undefined;
}

/** The slots at upstreams that this process shares with others, and the shared state about upstreams. */
export interface Sharing {
  readonly leases: LeaseKeeper;
  stop(): Promise<void>;
}

/** Returns undefined for a process that is alone with its store: it uses all slots. */
export async function sharing(parts: SharingParts): Promise<Sharing | undefined> {
  const { clock, log, process, database, arbiter, worker } = parts;
  const shared = database === undefined ? undefined : await sharedArbiter({ ...parts, database });
  const chosenArbiter = shared ?? arbiter;
  if (!chosenArbiter) return undefined;
  const leases = new LeaseKeeper({
    clock,
    arbiter: chosenArbiter,
    process,
    host: { machine: ownMachine(), pid, worker },
    isDead: isGone,
    changed: (status) => logStatus(log, status),
    alarm: (error) => log.error({ error: String(error) }, 'an invariant about slots was violated'),
  });
  return {
    leases,
    async stop() {
      await leases.stop();
      await shared?.stop();
    },
  };
}

/** Adds a note to the readiness checks. It never makes the process unready. */
export function slotsCheck(shared: Sharing | undefined): readonly ReadinessCheck[] {
  if (!shared) return [];
  const { state, processes } = shared.leases.status;
  const part = processes > 1 ? `1/${processes}` : 'its static share';
  const note = `Slots cannot be shared with other processes now; this one uses ${part} of each upstream.`;
  return [{ name: 'slots', problem: undefined, note: state === 'leased' ? undefined : note }];
}

/** Loads the PostgreSQL driver only if it is needed. */
async function sharedArbiter(parts: { readonly store: Store; readonly database: string; readonly process: string }) {
  const { postgresArbiter } = await import('../platform/cluster/postgres-arbiter.ts');
  return postgresArbiter(parts);
}

function logStatus(log: Log, { state, processes, error }: LeaseStatus): void {
  if (state === 'leased') return log.info({ processes }, 'slots are shared with the other processes again');
  const message = 'slots cannot be shared: this process uses its static share until it can reach the others';
  log.warn({ processes, error }, message);
}

/** Certain only for a pid of this machine, since the last boot and in the same pid namespace, that is free. */
function isGone({ machine, pid }: HostId): boolean {
  if (!machine.includes(separator) || machine !== ownMachine()) return false;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ESRCH';
  }
}

/** Part of every machine id that is globally unique. */
const separator = ' · ';

/** Without a boot id the machine id is only the host name, and `isGone` returns false for every process. */
function ownMachine(): string {
  try {
    const start = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return [hostname(), start, readlinkSync('/proc/self/ns/pid')].join(separator);
  } catch {
    return hostname();
  }
}
