import { sql, type Transaction } from 'kysely';
import { expect, vi } from 'vitest';
import type { Database } from '../../src/platform/store/database.ts';
import { engineOf } from '../../src/platform/store/engine.ts';
import type { Store } from '../../src/platform/store/store.ts';
import { takeLock } from '../../src/platform/store/transactions.ts';
import { gate } from '../fakes/fake-replies.ts';

type Senders<Reply> = readonly (() => Promise<Reply>)[];

/**
 * Sends requests that all write at the same time. Each is held at the start of its transaction until the last one has
 * arrived there. So everything that a request has read before is older than the writes of the others.
 */
export async function atOnce<Reply>(store: Store, senders: Senders<Reply>): Promise<readonly Reply[]> {
  const { transaction } = store;
  const all = gate();
  let held = 0;
  const holding = vi.spyOn(store, 'transaction').mockImplementation(async (work, options) => {
    held += 1;
    await all.opened;
    return transaction(work, options);
  });
  const release = (): void => {
    holding.mockRestore();
    all.open();
  };
  try {
    const replies = senders.map((send) => send());
    const message = 'requests that are about to begin their transaction';
    await expect.poll(() => held, { message }).toBeGreaterThanOrEqual(senders.length);
    release();
    return await Promise.all(replies);
  } finally {
    release();
  }
}

/** The same for transactions with one lock. In PostgreSQL they begin in parallel, so all of them wait for the lock. */
export function atOnceUnder<Reply>(store: Store, lock: string, senders: Senders<Reply>): Promise<readonly Reply[]> {
  if (engineOf(store.db) === 'sqlite') return atOnce(store, senders);
  return atOnceBehind(store, { take: (tx) => takeLock(tx, lock), waiting: senders.length }, senders);
}

interface Barrier {
  /** Locks what the requests need. */
  readonly take: (tx: Transaction<Database>) => Promise<unknown>;
  /** The number of requests that reach the lock and wait for it. */
  readonly waiting: number;
}

/** Holds a lock in one PostgreSQL database, sends requests to its gateways, and releases it once they wait. */
export async function atOnceBehind<Reply>(
  store: Store,
  { take, waiting }: Barrier,
  senders: Senders<Reply>,
): Promise<readonly Reply[]> {
  let replies: readonly Promise<Reply>[] = [];
  await store.transaction(async (tx) => {
    await take(tx);
    replies = senders.map((send) => send());
    const stopped = sql<{ count: number }>`
      select cast(count(*) as int) as count from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`;
    // Outside of the transaction: inside, PostgreSQL would read this view only once.
    const count = async () => (await stopped.execute(store.db)).rows[0]?.count;
    await expect.poll(count, { message: 'statements that wait for a lock' }).toBe(waiting);
  });
  return Promise.all(replies);
}
