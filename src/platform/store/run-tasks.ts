import { CompiledQuery, type Kysely } from 'kysely';
import type { Database } from './database.ts';
import { engineOf } from './engine.ts';
import { type Job, type JobStatement, postgresParameter, type Row, type Steps, type Task, together } from './job.ts';

/** Runs tasks in one transaction, all or none of them, and returns the result of each. */
export type RunTasks = (tasks: readonly Task[]) => Promise<readonly unknown[]>;

/** Runs a job inside a transaction, one statement after another. */
export async function runWithin<Input, Result>(
  tx: Kysely<Database>,
  job: Job<Input, Result>,
  input: Input,
): Promise<Result> {
  return runSteps(tx, job.steps(input));
}

/** Runs tasks through a Kysely handle of either engine. */
export function tasksOn(transaction: RunIn): RunTasks {
  return (tasks) => transaction((tx) => runSteps(tx, together(tasks)));
}

type RunIn = <Result>(work: (tx: Kysely<Database>) => Promise<Result>) => Promise<Result>;

async function runSteps<Result>(tx: Kysely<Database>, steps: Steps<Result>): Promise<Result> {
  const rowsOf = engineOf(tx) === 'postgres' ? rowsOnPostgres : rowsOnSqlite;
  for (let step = steps.next(); ; ) {
    const rows: (readonly Row[])[] = [];
    for (const jobStatement of step.done ? step.value.last : step.value) rows.push(await rowsOf(tx, jobStatement));
    if (step.done) return step.value.result;
    step = steps.next(rows);
  }
}

async function rowsOnPostgres(tx: Kysely<Database>, jobStatement: JobStatement): Promise<readonly Row[]> {
  const query = CompiledQuery.raw(jobStatement.statement.postgres, [postgresParameter(jobStatement)]);
  return (await tx.executeQuery(query)).rows as Row[];
}

async function rowsOnSqlite(tx: Kysely<Database>, jobStatement: JobStatement): Promise<readonly Row[]> {
  const run = (parameters: readonly unknown[]) =>
    tx.executeQuery(CompiledQuery.raw(jobStatement.statement.sqlite, [...parameters]));
  if (!('rows' in jobStatement)) return (await run([jobStatement.parameter])).rows as Row[];
  const written: Row[] = [];
  for (const row of jobStatement.rows) {
    const { numAffectedRows } = await run(row);
    if (jobStatement.statement.returnsWritten && numAffectedRows) written.push({ written: row[0] ?? null });
  }
  return written;
}
