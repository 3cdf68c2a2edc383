import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import type { SqliteDatabase, SqliteStatement } from 'kysely';
import { LRUCache } from 'lru-cache';
import { systemClock } from '../core/clock.ts';
import { whileBusy } from './busy.ts';
import { sqliteNow } from './engine.ts';

/** Only long enough to outlast a commit that is just happening; longer waits are `whileBusy`'s. */
const blockingWaitMs = 2;
const statementsMax = 256;
/** Inserts of many rows are as many different texts, and large ones once prepared: not worth keeping. */
const keptLengthMax = 4096;

/** Node's own SQLite in the shape Kysely expects of a database. Its SQL reads the time from `now`. */
export async function openSqlite(file: string, now: () => number = systemClock.now): Promise<SqliteDatabase> {
  const database = new DatabaseSync(file, { timeout: blockingWaitMs });
  database.function(sqliteNow, () => Math.floor(now()));
  await whileBusy(() => configure(database));
  const statements = new LRUCache<string, SqliteStatement>({ max: statementsMax });
  return {
    close: () => database.close(),
    prepare(sql) {
      const known = statements.get(sql);
      if (known) return known;
      const statement = prepared(database, sql);
      if (sql.length <= keptLengthMax) statements.set(sql, statement);
      return statement;
    },
  };
}

/**
 * With NORMAL no committed row is lost when the process dies, only the last moments when the machine does. That is
 * enough for keys and the request log; money will want FULL for its own commits.
 */
function configure(database: DatabaseSync): void {
  database.exec('pragma journal_mode = wal');
  database.exec('pragma synchronous = normal');
  database.exec('pragma foreign_keys = on');
  // What a statement of many rows keeps to undo itself would otherwise go to a file.
  database.exec('pragma temp_store = memory');
  database.exec(`pragma journal_size_limit = ${64 * 1024 * 1024}`);
}

function prepared(database: DatabaseSync, sql: string): SqliteStatement {
  const statement = database.prepare(sql);
  return {
    reader: statement.columns().length > 0,
    all: (parameters) => statement.all(...(parameters as SQLInputValue[])),
    run: (parameters) => statement.run(...(parameters as SQLInputValue[])),
    iterate: (parameters) => statement.iterate(...(parameters as SQLInputValue[])),
  };
}
