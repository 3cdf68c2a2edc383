import { sql } from 'kysely';
import { expect } from 'vitest';
import type { Store } from '../src/store/store.ts';
import type { TcpProxy } from './services/tcp-proxy.ts';

/**
 * Freezes the wire to a database at a moment when no transaction is open there: the locks of one that was frozen halfway
 * would keep a test waiting that changes the same rows past the wire.
 */
export async function freezeBetweenTransactions(wire: TcpProxy, { db }: Store): Promise<void> {
  const open = sql`select pid from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and xact_start is not null`;
  const openOnceFrozen = async (): Promise<number> => {
    wire.freeze();
    // The second look finds a statement that was still on its way to the database at the first.
    const looks = [await open.execute(db), await open.execute(db)];
    const most = Math.max(...looks.map(({ rows }) => rows.length));
    if (most > 0) wire.thaw();
    return most;
  };
  await expect.poll(openOnceFrozen, { message: 'transactions that are open while the wire is frozen' }).toBe(0);
}
