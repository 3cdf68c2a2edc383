import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import type { SqliteDatabase, SqliteStatement } from 'kysely';
import { LRUCache } from 'lru-cache';
import { systemClock } from '../../../core/time/clock.ts';
import { whileBusy } from './busy.ts';
import { sqliteNow } from '../engine-names.ts';
import { translate } from './translate.ts';

/** Only long enough for a commit that is in progress; `whileBusy` does longer waits. */
const blockingWaitMs = 2;
const statementsMax = 256;
/** Inserts of many rows differ with the number of rows and are large once prepared: not worth caching. */
const keptLengthMax = 4096;

/** Node's own SQLite in the shape of a database that Kysely expects. Its SQL reads the time from `now`. */
export async function openSqlite(file: string, now: () => number = systemClock.now): Promise<SqliteDatabase> {
  const database = openDatabase(file, now, blockingWaitMs);
  await whileBusy(() => configure(database));
  const prepare = statementsOf(database, kyselyStatement);
  return { close: () => database.close(), prepare };
}

/** Result of a statement: rows, or the number of changed rows. */
export interface SqliteResult {
  readonly rows: readonly unknown[];
  readonly changes?: number | bigint;
  readonly lastInsertRowid?: number | bigint;
}

/** A database for a thread that may block. */
export interface SqliteConnection {
  query(sql: string, parameters: readonly SQLInputValue[]): SqliteResult;
  /** Prepares a statement that writes, to run once per row; each run returns the number of changed rows. */
  writer(sql: string): (parameters: readonly SQLInputValue[]) => number;
  readonly isInTransaction: boolean;
  close(): void;
}

interface ConnectOptions {
  readonly now: () => number;
  /** How long to wait while another process holds the lock. */
  readonly busyWaitMs: number;
}

export function connectSqlite(file: string, { now, busyWaitMs }: ConnectOptions): SqliteConnection {
  const database = openDatabase(file, now, busyWaitMs);
  configure(database);
  const prepare = statementsOf(database, (statement) => ({ statement, isReader: statement.columns().length > 0 }));
  return {
    query(sql, parameters) {
      const { statement, isReader } = prepare(sql);
      return isReader ? { rows: statement.all(...parameters) } : { rows: [], ...statement.run(...parameters) };
    },
    writer(sql) {
      const { statement } = prepare(sql);
      return (parameters) => Number(statement.run(...parameters).changes);
    },
    get isInTransaction() {
      return database.isTransaction;
    },
    close: () => database.close(),
  };
}

function openDatabase(file: string, now: () => number, timeout: number): DatabaseSync {
  const database = new DatabaseSync(file, { timeout });
  database.function(sqliteNow, () => Math.floor(now()));
  database.function('translate', { deterministic: true }, (text, from, to) =>
    translate(text, String(from), String(to)),
  );
  return database;
}

/** With FULL, a commit is on disk before it returns, so a charge survives a power failure. */
function configure(database: DatabaseSync): void {
  database.exec('pragma journal_mode = wal');
  database.exec('pragma synchronous = full');
  database.exec('pragma foreign_keys = on');
  // Otherwise SQLite writes the undo data of a statement with many rows to a file.
  database.exec('pragma temp_store = memory');
  database.exec(`pragma journal_size_limit = ${64 * 1024 * 1024}`);
}

function statementsOf<Statement extends object>(
  database: DatabaseSync,
  wrap: (statement: StatementSync) => Statement,
): (sql: string) => Statement {
  const statements = new LRUCache<string, Statement>({ max: statementsMax });
  return (sql) => {
    const known = statements.get(sql);
    if (known) return known;
    const statement = wrap(database.prepare(sql));
    if (sql.length <= keptLengthMax) statements.set(sql, statement);
    return statement;
  };
}

function kyselyStatement(statement: StatementSync): SqliteStatement {
  return {
    reader: statement.columns().length > 0,
    all: (parameters) => statement.all(...(parameters as SQLInputValue[])),
    run: (parameters) => statement.run(...(parameters as SQLInputValue[])),
    iterate: (parameters) => statement.iterate(...(parameters as SQLInputValue[])),
  };
}
