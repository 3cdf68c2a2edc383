import type { JobStatement, Row, Steps } from './job.ts';
import type { SqliteConnection } from './sqlite-database.ts';

/** Runs a job in one synchronous transaction. */
export function runOnSqlite<Result>(database: SqliteConnection, steps: Steps<Result>): Result {
  database.query('begin immediate', []);
  try {
    const result = runSteps(database, steps);
    database.query('commit', []);
    return result;
  } catch (error) {
    // If the disk is full, SQLite has already rolled back.
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

function rowsOf(database: SqliteConnection, ask: JobStatement): readonly Row[] {
  if (!('rows' in ask)) return database.query(ask.statement.sqlite, [ask.parameter]).rows as Row[];
  const write = database.writer(ask.statement.sqlite);
  const written: Row[] = [];
  for (const row of ask.rows) {
    const changes = write(row);
    if (ask.statement.tells && changes > 0) written.push({ written: row[0] ?? null });
  }
  return written;
}
