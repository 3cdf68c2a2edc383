import { type Kysely, PostgresAdapter, type RawBuilder, sql } from 'kysely';
import type { Database } from './database.ts';
import { sqliteNow } from './engine-names.ts';

export type Engine = 'sqlite' | 'postgres';

/** The engine of a handle, for the few statements that differ between the two. */
export function engineOf(db: QueryHandle): Engine {
  return db.getExecutor().adapter instanceof PostgresAdapter ? 'postgres' : 'sqlite';
}

/**
 * The database's clock at the start of the statement, in milliseconds since 1970. Times that several machines compare,
 * such as leases, must use this clock, because the machines' clocks may differ. The embedded store uses the clock of
 * its machine.
 */
export function databaseNow(db: QueryHandle): RawBuilder<number> {
  return engineOf(db) === 'postgres'
    ? sql<number>`cast(floor(extract(epoch from statement_timestamp()) * 1000) as bigint)`
    : sql<number>`${sql.raw(sqliteNow)}()`;
}

/** This much later than the database's clock. A negative number is earlier. */
export function databaseNowPlus(db: QueryHandle, ms: number): RawBuilder<number> {
  return sql<number>`${databaseNow(db)} + ${Math.round(ms)}`;
}

export async function readDatabaseTime(db: Pick<Kysely<Database>, 'getExecutor' | 'selectNoFrom'>): Promise<number> {
  const { now } = await db.selectNoFrom(databaseNow(db).as('now')).executeTakeFirstOrThrow();
  return now;
}

type QueryHandle = Pick<Kysely<unknown>, 'getExecutor'>;
