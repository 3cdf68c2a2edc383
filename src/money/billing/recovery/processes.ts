import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Clock } from '../../../core/time/clock.ts';
import type { Database } from '../../../platform/store/database.ts';
import { databaseNow, engineOf } from '../../../platform/store/engine.ts';
import type { Store } from '../../../platform/store/store.ts';
import { isUnreachable } from '../../../platform/store/postgres/unreachable.ts';
import { chargeCheckpoints } from './recovery.ts';
import type { DeadLetterCheckpoint } from './dead-letter-checkpoint.ts';
import { DeadLetterCheckpoints } from './dead-letter-checkpoints.ts';
import { lockOrganisationsOf } from '../budgets/limit-changes.ts';
import { lockAccounts } from '../ledger/locked-accounts.ts';
import { releaseLeases } from '../wallet/release-leases.ts';

/**
 * A process without a heartbeat for this long has expired: its leases are returned and its checkpoints charged. Its
 * slots at providers stay taken for longer (`isGone` in `platform/cluster/lease-book.ts`). The store rejects an expired process
 * that runs again, but a provider does not.
 */
export const processTtlMs = 30_000;

export async function registerProcess({ db }: Pick<Store, 'db'>, id: string): Promise<void> {
  const now = databaseNow(db);
  await db.insertInto('processes').values({ id, started_at: now, heartbeat_at: now }).execute();
}

/** Returns the time of the database clock, or `undefined` if the process was reaped and its leases are gone. */
export async function heartbeat({ db }: Pick<Store, 'db'>, id: string): Promise<number | undefined> {
  const updated = await db
    .updateTable('processes')
    .set({ heartbeat_at: databaseNow(db) })
    .where('id', '=', id)
    .returning('heartbeat_at')
    .executeTakeFirst();
  return updated?.heartbeat_at;
}

export interface ProcessRow {
  readonly id: string;
  readonly startedAt: number;
  /** Time of its last heartbeat, by the database clock. */
  readonly seenAt: number;
  readonly isAlive: boolean;
}

/** The processes on this store, oldest first. An expired one is listed until it is reaped. */
export async function runningProcesses(store: Store): Promise<readonly ProcessRow[]> {
  const rows = await store.db
    .selectFrom('processes')
    .select(['id', 'started_at', 'heartbeat_at', databaseNow(store.db).as('now')])
    .orderBy('started_at')
    .orderBy('id')
    .execute();
  return rows.map(({ id, started_at: startedAt, heartbeat_at: heartbeatAt, now }) => ({
    id,
    startedAt,
    seenAt: Math.max(startedAt, heartbeatAt),
    isAlive: heartbeatAt >= now - processTtlMs,
  }));
}

/** Ends a process normally and returns its leases at once. */
export async function unregisterProcess(store: Store, id: string, clock: Clock, parts?: ReapParts): Promise<void> {
  await store.db.updateTable('processes').set({ heartbeat_at: 0 }).where('id', '=', id).execute();
  await reapProcess(id, store, refusedOf(store, clock, parts));
}

/** Books the charges in this machine's journals that the store may lack. */
export type JournalReplay = () => Promise<void>;

export interface ReapParts {
  readonly replay?: JournalReplay | undefined;
  /** Keeps checkpoints that cannot be charged. Without it they are thrown as errors. */
  readonly refused?: DeadLetterCheckpoints | undefined;
}

/**
 * Reaps expired processes. Several processes may do so at once; each expired one is reaped once. The journals of this
 * machine are booked first, while the leases that pay for them still exist.
 */
export async function reap(store: Store, clock: Clock, parts: ReapParts = {}): Promise<number> {
  const refused = refusedOf(store, clock, parts);
  const { replay } = parts;
  await resetFutureHeartbeats(store);
  const expired = await expiredProcesses(store);
  if (expired.length > 0) await replay?.();
  let reaped = 0;
  const errors: unknown[] = [];
  for (const id of expired) {
    try {
      if (await reapProcess(id, store, refused)) reaped += 1;
    } catch (error) {
      // A process that cannot be reaped does not block the others.
      if (isUnreachable(error)) throw error;
      errors.push(error);
    }
  }
  await refused.retry();
  for (const error of errors) throw error;
  return reaped;
}

/** Returns false if another process reaps it or has reaped it. */
async function reapProcess(id: string, store: Store, refused: DeadLetterCheckpoints): Promise<boolean> {
  const left = await store.transaction((tx) => reapInTransaction(tx, id));
  refused.add(left ?? []);
  return left !== undefined;
}

function refusedOf(store: Store, clock: Clock, parts: ReapParts | undefined): DeadLetterCheckpoints {
  return parts?.refused ?? new DeadLetterCheckpoints({ store, clock, onError: raise });
}

function raise(error: unknown): never {
  throw error;
}

async function expiredProcesses({ db }: Store): Promise<readonly string[]> {
  const rows = await db.selectFrom('processes').select('id').where('heartbeat_at', '<', expiryOf(db)).execute();
  return rows.map(({ id }) => id);
}

/** A process whose last heartbeat is older than this has expired. */
function expiryOf(db: Kysely<Database>): RawBuilder<number> {
  return sql<number>`${databaseNow(db)} - ${sql.lit(processTtlMs)}`;
}

/**
 * If a heartbeat is in the future, the clock was set back since. Its process gets one TTL from now for its next
 * heartbeat.
 */
async function resetFutureHeartbeats({ db }: Store): Promise<void> {
  const now = databaseNow(db);
  await db
    .updateTable('processes')
    .set({ heartbeat_at: now })
    .where((row) => row('heartbeat_at', '>', row(now, '+', row.lit(clockSkewMs))))
    .execute();
}

/** Tolerance between clock readings of different statements. */
const clockSkewMs = 1000;

/** Returns the checkpoints that could not be charged; `undefined` if another process reaps it or has reaped it. */
async function reapInTransaction(
  tx: Kysely<Database>,
  id: string,
): Promise<readonly DeadLetterCheckpoint[] | undefined> {
  const query = tx.selectFrom('processes').select('id').where('id', '=', id).where('heartbeat_at', '<', expiryOf(tx));
  const expired = await (engineOf(tx) === 'postgres' ? query.forUpdate().skipLocked() : query).executeTakeFirst();
  if (!expired) return undefined;
  await lockFunds(tx, expired.id);
  const refused = await chargeCheckpoints(tx, { processId: expired.id });
  await releaseLeases(tx, { processId: expired.id });
  await tx.deleteFrom('budget_leases').where('process_id', '=', expired.id).execute();
  await tx.deleteFrom('processes').where('id', '=', expired.id).execute();
  return refused;
}

/**
 * Locks what the process has leased or owes: all balances, then all organisations, in order of id. The charges and
 * leases below are then in no order that could deadlock with another transaction.
 */
async function lockFunds(tx: Kysely<Database>, processId: string): Promise<void> {
  const owed = tx.selectFrom('open_charges').select('account_id').where('process_id', '=', processId);
  const leased = tx.selectFrom('leases').select('account_id').where('process_id', '=', processId);
  const ids = (await leased.union(owed).execute()).map((row) => row.account_id);
  await lockAccounts(tx, ids);
  await lockOrganisationsOf(tx, ids);
}
