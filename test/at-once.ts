import { sql, type Transaction } from 'kysely';
import { expect, vi } from 'vitest';
import type { Database } from '../src/store/database.ts';
import { engineOf } from '../src/store/engine.ts';
import type { Store } from '../src/store/store.ts';
import { takeLock } from '../src/store/transactions.ts';
import { gate } from './fake-replies.ts';

type Asks<Reply> = readonly (() => Promise<Reply>)[];

/**
 * Sends requests that all write at once: each one is held where its transaction begins until the last one has come, so
 * whatever any of them has read before is older than what the others write.
 */
export async function atOnce<Reply>(store: Store, asks: Asks<Reply>): Promise<readonly Reply[]> {
  const { transaction } = store;
  const all = gate();
  let held = 0;
  const holding = vi.spyOn(store, 'transaction').mockImplementation(async (work, options) => {
    held += 1;
    await all.opened;
    return transaction(work, options);
  });
  const goOn = (): void => {
    holding.mockRestore();
    all.open();
  };
  try {
    const replies = asks.map((ask) => ask());
    const message = 'requests that are about to begin their transaction';
    await expect.poll(() => held, { message }).toBeGreaterThanOrEqual(asks.length);
    goOn();
    return await Promise.all(replies);
  } finally {
    goOn();
  }
}

/** The same for transactions of one lock. In PostgreSQL they begin side by side, so there all of them wait for the lock. */
export function atOnceUnder<Reply>(store: Store, lock: string, asks: Asks<Reply>): Promise<readonly Reply[]> {
  if (engineOf(store.db) === 'sqlite') return atOnce(store, asks);
  return atOnceBehind(store, { take: (tx) => takeLock(tx, lock), waiting: asks.length }, asks);
}

interface Barrier {
  /** Locks what the requests need. */
  readonly take: (tx: Transaction<Database>) => Promise<unknown>;
  /** How many of them get as far as to wait for it. */
  readonly waiting: number;
}

/** Sends requests to gateways on one PostgreSQL database while it has something locked, until they wait for that. */
export async function atOnceBehind<Reply>(
  store: Store,
  { take, waiting }: Barrier,
  asks: Asks<Reply>,
): Promise<readonly Reply[]> {
  let replies: readonly Promise<Reply>[] = [];
  await store.transaction(async (tx) => {
    await take(tx);
    replies = asks.map((ask) => ask());
    const stopped = sql<{ count: number }>`
      select cast(count(*) as int) as count from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`;
    // Not within the transaction, for which PostgreSQL takes that view once.
    const count = async () => (await stopped.execute(store.db)).rows[0]?.count;
    await expect.poll(count, { message: 'statements that wait for a lock' }).toBe(waiting);
  });
  return Promise.all(replies);
}
