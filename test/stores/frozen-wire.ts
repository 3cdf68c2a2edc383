import { sql } from 'kysely';
import { expect } from 'vitest';
import type { Store } from '../../src/platform/store/store.ts';
import type { TcpProxy } from '../services/tcp-proxy.ts';

/**
 * Freezes the proxy to a database at a moment without an open transaction. Otherwise the locks of a frozen transaction
 * would block a test that changes the same rows without the proxy.
 */
export async function freezeBetweenTransactions(wire: TcpProxy, { db }: Store): Promise<void> {
  const open = sql`select pid from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and xact_start is not null`;
  const openOnceFrozen = async (): Promise<number> => {
    wire.freeze();
    // The second query finds a statement that was still in transit during the first.
    const results = [await open.execute(db), await open.execute(db)];
    const most = Math.max(...results.map(({ rows }) => rows.length));
    if (most > 0) wire.thaw();
    return most;
  };
  await expect.poll(openOnceFrozen, { message: 'transactions that are open while the wire is frozen' }).toBe(0);
}
