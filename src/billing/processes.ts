import type { Kysely } from 'kysely';
import type { Clock } from '../core/clock.ts';
import type { Database } from '../store/database.ts';
import { databaseNow, engineOf } from '../store/engine.ts';
import { runWithin } from '../store/run-tasks.ts';
import type { Store } from '../store/store.ts';
import type { Settlement } from './charging.ts';
import { lockAccounts, moneyText, writeAccounts } from './locked-accounts.ts';
import { settling } from './settle.ts';

/** A process that was not heard of for so long is dead: its money goes back and its checkpoints are charged. */
export const processLifeMs = 30_000;

const chargesPerTurn = 200;

export async function registerProcess({ db }: Pick<Store, 'db'>, id: string): Promise<void> {
  const now = databaseNow(db);
  await db
    .insertInto('processes')
    .values((row) => ({ id, started_at: now, alive_until: row(now, '+', row.lit(processLifeMs)) }))
    .execute();
}

/** Says that a process lives. False when it was taken for dead meanwhile: what it had set aside is gone. */
export async function beat(store: Pick<Store, 'db'>, id: string): Promise<boolean> {
  const now = databaseNow(store.db);
  const beaten = await store.db
    .updateTable('processes')
    .set((row) => ({ alive_until: row(now, '+', row.lit(processLifeMs)) }))
    .where('id', '=', id)
    .executeTakeFirst();
  return beaten.numUpdatedRows > 0n;
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
    seenAt: Math.max(startedAt, aliveUntil - processLifeMs),
    isAlive: aliveUntil >= now,
  }));
}

/** Ends a process in order: what it still had set aside goes back at once. */
export async function unregisterProcess(store: Store, id: string, clock: Clock): Promise<void> {
  await store.db.updateTable('processes').set({ alive_until: 0 }).where('id', '=', id).execute();
  await reap(store, clock);
}

/** Books what processes wrote down on this machine and the store may not have. */
export type Replay = () => Promise<void>;

/**
 * Cleans up after processes that are no longer heard of. Any number may do so at once; each dead one is dealt with once.
 * What they have promised to charge is booked first, as far as it is known here, while what they had set aside is there.
 */
export async function reap(store: Store, clock: Clock, replay: Replay = () => Promise.resolve()): Promise<number> {
  await judgeAnew(store);
  const dead = await deadProcesses(store);
  if (dead.length > 0) await replay();
  let reaped = 0;
  for (const id of dead) if (await store.transaction((tx) => reapOne(tx, id, clock))) reaped += 1;
  return reaped;
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
    .set((row) => ({ alive_until: row(now, '+', row.lit(processLifeMs)) }))
    .where((row) => row('alive_until', '>', row(now, '+', row.lit(processLifeMs + clockSkewMs))))
    .execute();
}

/** Readings of one clock in different statements differ by what lies between them. */
const clockSkewMs = 1000;

/** False if another does so, or has done. */
async function reapOne(tx: Kysely<Database>, id: string, clock: Clock): Promise<boolean> {
  const query = tx.selectFrom('processes').select('id').where('id', '=', id).where('alive_until', '<', databaseNow(tx));
  const dead = await (engineOf(tx) === 'postgres' ? query.forUpdate().skipLocked() : query).executeTakeFirst();
  if (!dead) return false;
  for (
    let open = await checkpoints(tx, dead.id, clock);
    open.length > 0;
    open = await checkpoints(tx, dead.id, clock)
  ) {
    await runWithin(tx, settling, open);
  }
  await releaseLeases(tx, dead.id);
  // Behind the balances, as whoever charges does: no two can wait for each other.
  await tx.deleteFrom('key_leases').where('process_id', '=', dead.id).execute();
  await tx.deleteFrom('processes').where('id', '=', dead.id).execute();
  return true;
}

/** What its running requests had delivered when it last said so. */
async function checkpoints(tx: Kysely<Database>, processId: string, clock: Clock): Promise<readonly Settlement[]> {
  const rows = await tx
    .selectFrom('open_charges')
    .select(['request_id', 'account_id', 'key_id', 'price_version', 'at'])
    .select([moneyText('cost').as('cost'), moneyText('held').as('held')])
    .where('process_id', '=', processId)
    .limit(chargesPerTurn)
    .execute();
  return rows.map((row) => ({
    requestId: row.request_id,
    accountId: row.account_id,
    keyId: row.key_id,
    processId,
    held: BigInt(row.held ?? row.cost),
    cost: BigInt(row.cost),
    priceVersion: row.price_version,
    by: 'recovery',
    reason: 'the gateway died; charged up to its last checkpoint',
    // As any other charge: a cap that renews pays in the span in which the request began.
    at: row.at ?? clock.now(),
  }));
}

async function releaseLeases(tx: Kysely<Database>, processId: string): Promise<void> {
  const ownLeases = () =>
    tx
      .selectFrom('leases')
      .select(['account_id', moneyText('amount').as('amount')])
      .where('process_id', '=', processId);
  const names = await ownLeases().execute();
  if (names.length === 0) return;
  const accounts = await lockAccounts(
    tx,
    names.map((row) => row.account_id),
  );
  // Once more, now that the balances are locked: a lease changes only together with its balance.
  for (const { account_id, amount } of await ownLeases().execute()) {
    const account = accounts.get(account_id);
    if (account) account.leased -= BigInt(amount);
  }
  await writeAccounts(tx, accounts.values());
  await tx.deleteFrom('leases').where('process_id', '=', processId).execute();
}
