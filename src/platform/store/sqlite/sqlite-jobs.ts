import type { JobStatement, Row, Steps } from '../job.ts';
import type { SqliteConnection } from './sqlite-database.ts';

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
  for (let step = steps.next(); ; ) {
    const statements = step.done ? step.value.last : step.value;
    const rows = statements.map((jobStatement) => rowsOf(database, jobStatement));
    if (step.done) return step.value.result;
    step = steps.next(rows);
  }
}

function rowsOf(database: SqliteConnection, jobStatement: JobStatement): readonly Row[] {
  if (!('rows' in jobStatement))
    return database.query(jobStatement.statement.sqlite, [jobStatement.parameter]).rows as Row[];
  const write = database.writer(jobStatement.statement.sqlite);
  const written: Row[] = [];
  for (const row of jobStatement.rows) {
    const changes = write(row);
    if (jobStatement.statement.returnsWritten && changes > 0) written.push({ written: row[0] ?? null });
  }
  return written;
}
