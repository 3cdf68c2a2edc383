import { sql } from 'kysely';
import type { Store } from '../../src/platform/store/store.ts';

/**
 * The number of connections to the database of a PostgreSQL store that wait for a lock. Other databases do not count.
 */
export async function lockWaits({ db }: Pick<Store, 'db'>): Promise<number> {
  const query = sql<{ count: string }>`select count(*) as count from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`;
  return Number((await query.execute(db)).rows[0]?.count);
}
