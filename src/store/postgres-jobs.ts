import { type JobStatement, postgresParameter, type Row, type Steps, together } from './job.ts';
import type { PostgresPool, PostgresPoolConnection } from './postgres-pool.ts';
import type { RunTasks } from './run-tasks.ts';
import { withAnotherTry } from './transactions.ts';

/**
 * Runs tasks with one round trip per step: all statements of a step are sent at once, and the commit with the last
 * step.
 */
export function pipelinedTasks(pool: PostgresPool): RunTasks {
  return (tasks) => withAnotherTry(() => onOneConnection(pool, (connection) => runSteps(connection, together(tasks))));
}

async function onOneConnection<Result>(
  pool: PostgresPool,
  work: (connection: PostgresPoolConnection) => Promise<Result>,
): Promise<Result> {
  const connection = await pool.connect();
  try {
    const result = await work(connection);
    connection.release();
    return result;
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
  const ask = (each: JobStatement) =>
    connection.prepared(each.statement.name, each.statement.postgres, [postgresParameter(each)]);
  let begun: readonly Promise<unknown>[] = [connection.query(begin, [])];
  for (let turn = steps.next(); ; ) {
    const asked = (turn.done ? turn.value.last : turn.value).map(ask);
    const committed = turn.done ? [connection.query('commit', [])] : [];
    // The first failed statement has the cause. PostgreSQL rejects the statements after it only because of that
    // failure.
    const failed = (await Promise.allSettled([...begun, ...asked, ...committed])).find(isRejected);
    if (failed) throw failed.reason;
    if (turn.done) return turn.value.result;
    begun = [];
    turn = steps.next((await Promise.all(asked)).map(({ rows }) => rows as Row[]));
  }
}

/** A commit must be on the database's disk before it returns, even if the database's own setting is off. */
const begin = `begin; select set_config('synchronous_commit', 'on', true)
  where current_setting('synchronous_commit') = 'off'`;

function isRejected(outcome: PromiseSettledResult<unknown>): outcome is PromiseRejectedResult {
  return outcome.status === 'rejected';
}
