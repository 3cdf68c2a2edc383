import { type Dialect, type DialectAdapter, PostgresAdapter, PostgresDialect } from 'kysely';
import type { PostgresPool } from './postgres-pool.ts';

/** Kysely's PostgreSQL dialect, with migrations locked in our way. */
export function postgresDialect(pool: PostgresPool): Dialect {
  return new OwnLockDialect({ pool });
}

class OwnLockDialect extends PostgresDialect {
  override createAdapter(): DialectAdapter {
    return new OwnLockAdapter();
  }
}

/** The lock that Kysely would take outlives its transaction. `migrate` takes one that ends with it, before anything else. */
class OwnLockAdapter extends PostgresAdapter {
  override async acquireMigrationLock(): Promise<void> {}
  override async releaseMigrationLock(): Promise<void> {}
}
