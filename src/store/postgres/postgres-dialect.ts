import { type Dialect, type DialectAdapter, PostgresAdapter, PostgresDialect } from 'kysely';
import type { PostgresPool } from './postgres-pool.ts';

/** Kysely's PostgreSQL dialect without Kysely's migration lock. */
export function postgresDialect(pool: PostgresPool): Dialect {
  return new OwnLockDialect({ pool });
}

class OwnLockDialect extends PostgresDialect {
  override createAdapter(): DialectAdapter {
    return new OwnLockAdapter();
  }
}

/** Kysely's lock would outlive the transaction. `migrate` first takes a lock that ends with the transaction. */
class OwnLockAdapter extends PostgresAdapter {
  override async acquireMigrationLock(): Promise<void> {}
  override async releaseMigrationLock(): Promise<void> {}
}
