import { setTimeout as delay } from 'node:timers/promises';
import { type Dialect, type DialectAdapter, Kysely, type LogConfig, PostgresAdapter, PostgresDialect } from 'kysely';
import type { Database } from '../database.ts';
import { migrate } from '../migrate.ts';
import { addressText } from './postgres-address.ts';
import { pipelinedTasks } from './postgres-jobs.ts';
import { type PostgresPool, postgresPool } from './postgres-pool.ts';
import { whileUnreachable } from './unreachable.ts';

export interface PostgresOptions {
  readonly database: string;
  readonly log?: LogConfig;
  readonly onWaiting?: (sentence: string) => void;
  readonly timeoutMs?: number;
  readonly statementMs?: number;
  readonly connectMs?: number;
}

const connectionsMax = 10;
/** A frozen database must not hold a request for longer than a client would wait. */
const defaultStatementMs = 5000;
/** A migration may rewrite a large table, or wait for another process that does so; a copy fills a table. */
const longStatementMs = 600_000;
const closingMs = 2000;

/** Opens a store that any number of machines can share. Waits for a database that is still starting. */
export async function openPostgresDatabase(options: PostgresOptions) {
  const { database, log, onWaiting, timeoutMs = 30_000, statementMs = defaultStatementMs, connectMs } = options;
  const place = addressText(database);
  const migrated = await whileUnreachable(() => withPatientPostgres(database, migrate), {
    place,
    timeoutMs,
    onWaiting,
  });
  const pool = postgresPool({ database, connectionsMax, statementMs, connectMs });
  const db = new Kysely<Database>({ dialect: postgresDialect(pool), log });
  return { db, migrated, run: pipelinedTasks(pool), close: () => closePool(db, pool) };
}

/** Runs `work` on a connection of its own with a statement timeout of 10 minutes. */
export async function withPatientPostgres<Result>(
  database: string,
  work: (db: Kysely<Database>) => Promise<Result>,
): Promise<Result> {
  const pool = postgresPool({ database, connectionsMax: 1, statementMs: longStatementMs });
  const db = new Kysely<Database>({ dialect: postgresDialect(pool) });
  try {
    return await work(db);
  } finally {
    await closePool(db, pool);
  }
}

/** Closes the connections, but waits at most 2 s for a database that no longer responds. */
async function closePool(db: Kysely<Database>, pool: PostgresPool): Promise<void> {
  const isOver = new AbortController();
  await Promise.race([db.destroy(), delay(closingMs, undefined, { signal: isOver.signal }).catch(() => undefined)]);
  isOver.abort();
  pool.destroySockets();
}

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
