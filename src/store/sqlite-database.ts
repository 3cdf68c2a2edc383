import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import type { SqliteDatabase, SqliteStatement } from 'kysely';
import { LRUCache } from 'lru-cache';
import { systemClock } from '../core/clock.ts';
import { whileBusy } from './busy.ts';
import { sqliteNow } from './engine-names.ts';

/** Only long enough to outlast a commit that is just happening; longer waits are `whileBusy`'s. */
const blockingWaitMs = 2;
const statementsMax = 256;
/** Inserts of many rows are as many different texts, and large ones once prepared: not worth keeping. */
const keptLengthMax = 4096;

/** Node's own SQLite in the shape Kysely expects of a database. Its SQL reads the time from `now`. */
export async function openSqlite(file: string, now: () => number = systemClock.now): Promise<SqliteDatabase> {
  const database = opened(file, now, blockingWaitMs);
  await whileBusy(() => configure(database));
  const prepare = statementsOf(database, readyStatement);
  return { close: () => database.close(), prepare };
}

/** What came of a statement: rows, or how many it has changed. */
export interface SqliteResult {
  readonly rows: readonly unknown[];
  readonly changes?: number | bigint;
  readonly lastInsertRowid?: number | bigint;
}

/** A database for those who may block their thread. */
export interface SqliteConnection {
  query(sql: string, parameters: readonly SQLInputValue[]): SqliteResult;
  /** A statement that writes, for many rows one after another; it says how many each has changed. */
  writer(sql: string): (parameters: readonly SQLInputValue[]) => number;
  readonly isInTransaction: boolean;
  close(): void;
}

interface ConnectOptions {
  readonly now: () => number;
  /** How long to wait for another process. */
  readonly busyWaitMs: number;
}

export function connectSqlite(file: string, { now, busyWaitMs }: ConnectOptions): SqliteConnection {
  const database = opened(file, now, busyWaitMs);
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

function opened(file: string, now: () => number, timeout: number): DatabaseSync {
  const database = new DatabaseSync(file, { timeout });
  database.function(sqliteNow, () => Math.floor(now()));
  return database;
}

/** With FULL a commit is on the disk before anybody hears of it: what was charged stays charged when the power fails. */
function configure(database: DatabaseSync): void {
  database.exec('pragma journal_mode = wal');
  database.exec('pragma synchronous = full');
  database.exec('pragma foreign_keys = on');
  // What a statement of many rows keeps to undo itself would otherwise go to a file.
  database.exec('pragma temp_store = memory');
  database.exec(`pragma journal_size_limit = ${64 * 1024 * 1024}`);
}

/** Statements by their texts, each prepared once for as long as it is in use. */
function statementsOf<Statement extends object>(
  database: DatabaseSync,
  made: (statement: StatementSync) => Statement,
): (sql: string) => Statement {
  const statements = new LRUCache<string, Statement>({ max: statementsMax });
  return (sql) => {
    const known = statements.get(sql);
    if (known) return known;
    const statement = made(database.prepare(sql));
    if (sql.length <= keptLengthMax) statements.set(sql, statement);
    return statement;
  };
}

function readyStatement(statement: StatementSync): SqliteStatement {
  return {
    reader: statement.columns().length > 0,
    all: (parameters) => statement.all(...(parameters as SQLInputValue[])),
    run: (parameters) => statement.run(...(parameters as SQLInputValue[])),
    iterate: (parameters) => statement.iterate(...(parameters as SQLInputValue[])),
  };
}
