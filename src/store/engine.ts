import { type Kysely, PostgresAdapter, type RawBuilder, sql } from 'kysely';
import { sqliteNow } from './engine-names.ts';

export type Engine = 'sqlite' | 'postgres';

/** Which engine is behind a handle, for the few statements that cannot be written the same way for both. */
export function engineOf(db: QueryHandle): Engine {
  return db.getExecutor().adapter instanceof PostgresAdapter ? 'postgres' : 'sqlite';
}

/**
 * The database's own clock in milliseconds since 1970, at the start of the statement it stands in. What several machines
 * agree on, such as leases, must run on this clock: theirs may differ. The embedded store has that of its one machine.
 */
export function databaseNow(db: QueryHandle): RawBuilder<number> {
  return engineOf(db) === 'postgres'
    ? sql<number>`cast(floor(extract(epoch from statement_timestamp()) * 1000) as bigint)`
    : sql<number>`${sql.raw(sqliteNow)}()`;
}

type QueryHandle = Pick<Kysely<unknown>, 'getExecutor'>;
