import { type JobStatement, postgresParameter, type Row, type Steps, type Task, together } from '../job.ts';
import type { PostgresPool, PostgresPoolConnection } from './postgres-pool.ts';
import type { RunTasks } from '../run-tasks.ts';
import { withRetries } from '../transactions.ts';

/** Runs tasks with one round trip per step: all its statements are sent at once, and the commit with the last step. */
export function pipelinedTasks(pool: PostgresPool): RunTasks {
  return (tasks) => withRetries(() => runTogether(pool, tasks));
}

async function runTogether(pool: PostgresPool, tasks: readonly Task[]): Promise<readonly unknown[]> {
  const connection = await pool.connect();
  try {
    const results = await runSteps(connection, together(tasks));
    connection.release();
    return results;
  } catch (error) {
    // On a broken connection the rollback fails too. The first error says more.
    const isRolledBack = await connection.query('rollback', []).then(
      () => true,
      () => false,
    );
    connection.release(!isRolledBack);
    throw error;
  }
}

async function runSteps<Result>(connection: PostgresPoolConnection, steps: Steps<Result>): Promise<Result> {
  const send = (each: JobStatement) =>
    connection.prepared(each.statement.name, each.statement.postgres, [postgresParameter(each)]);
  let opening: readonly Promise<unknown>[] = [connection.query(begin, [])];
  for (let step = steps.next(); ; ) {
    const results = (step.done ? step.value.last : step.value).map(send);
    const committed = step.done ? [connection.query('commit', [])] : [];
    // The first failed statement has the cause: PostgreSQL rejects those after it only because of that failure.
    const settled = await Promise.allSettled([...opening, ...results, ...committed]);
    const failed = settled.find((outcome) => outcome.status === 'rejected');
    if (failed) throw failed.reason;
    if (step.done) return step.value.result;
    opening = [];
    step = steps.next((await Promise.all(results)).map(({ rows }) => rows as Row[]));
  }
}

/** A commit must be on the database's disk before it returns, even if the database's own setting is off. */
const begin = `begin; select set_config('synchronous_commit', 'on', true)
  where current_setting('synchronous_commit') = 'off'`;
