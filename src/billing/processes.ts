import type { Kysely } from 'kysely';
import type { Clock } from '../core/clock.ts';
import type { Database } from '../store/database.ts';
import { databaseNow, engineOf } from '../store/engine.ts';
import type { Store } from '../store/store.ts';
import { isUnreachable } from '../store/unreachable.ts';
import { chargeCheckpoints } from './recovery.ts';
import type { RefusedCheckpoint } from './refused-checkpoint.ts';
import { RefusedCheckpoints } from './refused-checkpoints.ts';
import { releaseLeases } from './release-leases.ts';

/** A process that was not heard of for so long is dead: its money goes back and its checkpoints are charged. */
export const processTtlMs = 30_000;

export async function registerProcess({ db }: Pick<Store, 'db'>, id: string): Promise<void> {
  const now = databaseNow(db);
  await db
    .insertInto('processes')
    .values((row) => ({ id, started_at: now, alive_until: row(now, '+', row.lit(processTtlMs)) }))
    .execute();
}

/**
 * Says that a process lives, and at which moment of the database's clock. Nothing when it was taken for dead meanwhile: what
 * it had set aside is gone.
 */
export async function heartbeat(store: Pick<Store, 'db'>, id: string): Promise<number | undefined> {
  const now = databaseNow(store.db);
  const beaten = await store.db
    .updateTable('processes')
    .set((row) => ({ alive_until: row(now, '+', row.lit(processTtlMs)) }))
    .where('id', '=', id)
    .returning('alive_until as until')
    .executeTakeFirst();
  return beaten && beaten.until - processTtlMs;
}

export interface ProcessRow {
  readonly id: string;
  readonly startedAt: number;
  /** When it last said that it lives, by the database's clock. */
  readonly seenAt: number;
  readonly isAlive: boolean;
}

/** The processes on this store, oldest first; a dead one is listed until another has cleaned up after it. */
export async function runningProcesses(store: Store): Promise<readonly ProcessRow[]> {
  const rows = await store.db
    .selectFrom('processes')
    .select(['id', 'started_at', 'alive_until', databaseNow(store.db).as('now')])
    .orderBy('started_at')
    .orderBy('id')
    .execute();
  return rows.map(({ id, started_at: startedAt, alive_until: aliveUntil, now }) => ({
    id,
    startedAt,
    seenAt: Math.max(startedAt, aliveUntil - processTtlMs),
    isAlive: aliveUntil >= now,
  }));
}

/** Ends a process in order: what it still had set aside goes back at once. */
export async function unregisterProcess(store: Store, id: string, clock: Clock, parts?: ReapParts): Promise<void> {
  await store.db.updateTable('processes').set({ alive_until: 0 }).where('id', '=', id).execute();
  await cleanUpAfter(id, store, { clock, refused: refusedOf(store, clock, parts) });
}

/** Books what processes wrote down on this machine and the store may not have. */
export type JournalReplay = () => Promise<void>;

export interface ReapParts {
  readonly replay?: JournalReplay | undefined;
  /** Keeps what cannot be charged; who has nobody for that gets it as an error. */
  readonly refused?: RefusedCheckpoints | undefined;
}

/**
 * Cleans up after processes that are no longer heard of. Any number may do so at once; each dead one is dealt with once.
 * What they have promised to charge is booked first, as far as it is known here, while what they had set aside is there.
 */
export async function reap(store: Store, clock: Clock, parts: ReapParts = {}): Promise<number> {
  const refused = refusedOf(store, clock, parts);
  const { replay } = parts;
  await judgeAnew(store);
  const dead = await deadProcesses(store);
  if (dead.length > 0) await replay?.();
  let reaped = 0;
  const troubles: unknown[] = [];
  for (const id of dead) {
    try {
      if (await cleanUpAfter(id, store, { clock, refused })) reaped += 1;
    } catch (error) {
      // One that cannot be cleaned up after keeps nobody from the others.
      if (isUnreachable(error)) throw error;
      troubles.push(error);
    }
  }
  await refused.tryAgain();
  for (const error of troubles) throw error;
  return reaped;
}

/** False if another cleans up after it, or has done. */
async function cleanUpAfter(
  id: string,
  store: Store,
  { clock, refused }: { readonly clock: Clock; readonly refused: RefusedCheckpoints },
): Promise<boolean> {
  const left = await store.transaction((tx) => reapOne(tx, id, clock));
  refused.found(left ?? []);
  return left !== undefined;
}

function refusedOf(store: Store, clock: Clock, parts: ReapParts | undefined): RefusedCheckpoints {
  return parts?.refused ?? new RefusedCheckpoints({ store, clock, onError: raise });
}

function raise(error: unknown): never {
  throw error;
}

async function deadProcesses({ db }: Store): Promise<readonly string[]> {
  const rows = await db.selectFrom('processes').select('id').where('alive_until', '<', databaseNow(db)).execute();
  return rows.map(({ id }) => id);
}

/**
 * Nobody can have said that it lives longer than a life from now: where a row says so, the clock was set back since. Its
 * process gets one life to be heard of again, as if it had spoken just now.
 */
async function judgeAnew(store: Store): Promise<void> {
  const now = databaseNow(store.db);
  await store.db
    .updateTable('processes')
    .set((row) => ({ alive_until: row(now, '+', row.lit(processTtlMs)) }))
    .where((row) => row('alive_until', '>', row(now, '+', row.lit(processTtlMs + clockSkewMs))))
    .execute();
}

/** Readings of one clock in different statements differ by what lies between them. */
const clockSkewMs = 1000;

/** Says which checkpoints could not be charged; nothing if another cleans up, or has done. */
async function reapOne(
  tx: Kysely<Database>,
  id: string,
  clock: Clock,
): Promise<readonly RefusedCheckpoint[] | undefined> {
  const query = tx.selectFrom('processes').select('id').where('id', '=', id).where('alive_until', '<', databaseNow(tx));
  const dead = await (engineOf(tx) === 'postgres' ? query.forUpdate().skipLocked() : query).executeTakeFirst();
  if (!dead) return undefined;
  const refused = await chargeCheckpoints(tx, { processId: dead.id }, clock);
  await releaseLeases(tx, { processId: dead.id });
  // Behind the balances, as whoever charges does: no two can wait for each other.
  await tx.deleteFrom('key_leases').where('process_id', '=', dead.id).execute();
  await tx.deleteFrom('processes').where('id', '=', dead.id).execute();
  return refused;
}
