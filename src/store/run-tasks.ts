import { CompiledQuery, type Kysely } from 'kysely';
import type { Database } from './database.ts';
import { engineOf } from './engine.ts';
import { type Ask, type Job, type Row, type Steps, type Task, together } from './job.ts';

/** Runs tasks in one transaction, all or none of them, and says what came of each. */
export type RunTasks = (tasks: readonly Task[]) => Promise<readonly unknown[]>;

/** Runs a job as a part of a transaction, one statement after another. */
export async function runWithin<Input, Result>(
  tx: Kysely<Database>,
  job: Job<Input, Result>,
  input: Input,
): Promise<Result> {
  return runSteps(tx, job.steps(input));
}

/** Runs tasks through a handle, whatever is behind it. */
export function tasksOn(transaction: RunIn): RunTasks {
  return (tasks) => transaction((tx) => runSteps(tx, together(tasks)));
}

type RunIn = <Result>(work: (tx: Kysely<Database>) => Promise<Result>) => Promise<Result>;

async function runSteps<Result>(tx: Kysely<Database>, steps: Steps<Result>): Promise<Result> {
  const engine = engineOf(tx);
  const rowsOf = async ({ statement, parameter }: Ask): Promise<readonly Row[]> =>
    (await tx.executeQuery(CompiledQuery.raw(statement[engine], [parameter]))).rows as Row[];
  for (let turn = steps.next(); ; ) {
    const rows: (readonly Row[])[] = [];
    for (const ask of turn.done ? turn.value.last : turn.value) rows.push(await rowsOf(ask));
    if (turn.done) return turn.value.result;
    turn = steps.next(rows);
  }
}
