import { type Ask, type Row, type Steps, sqliteRuns } from './job.ts';
import type { SqliteConnection } from './sqlite-database.ts';

/** Runs a job in one transaction without ever letting go of the database. */
export function runOnSqlite<Result>(database: SqliteConnection, steps: Steps<Result>): Result {
  database.query('begin immediate', []);
  try {
    const result = runSteps(database, steps);
    database.query('commit', []);
    return result;
  } catch (error) {
    // Where the disk is full, SQLite has rolled back already.
    if (database.isInTransaction) database.query('rollback', []);
    throw error;
  }
}

function runSteps<Result>(database: SqliteConnection, steps: Steps<Result>): Result {
  for (let turn = steps.next(); ; ) {
    const asked = turn.done ? turn.value.last : turn.value;
    const rows = asked.map((ask) => rowsOf(database, ask));
    if (turn.done) return turn.value.result;
    turn = steps.next(rows);
  }
}

function rowsOf(database: SqliteConnection, ask: Ask): readonly Row[] {
  const found: Row[] = [];
  for (const { parameters, told } of sqliteRuns(ask)) {
    const { rows, changes } = database.query(ask.statement.sqlite, parameters);
    if (told === undefined) found.push(...(rows as Row[]));
    else if (Number(changes) > 0) found.push(told);
  }
  return found;
}
