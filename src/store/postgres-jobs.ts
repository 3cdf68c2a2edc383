import { type JobStatement, postgresParameter, type Row, type Steps, together } from './job.ts';
import type { PostgresPool, PostgresPoolConnection } from './postgres-pool.ts';
import type { RunTasks } from './run-tasks.ts';
import { withAnotherTry } from './transactions.ts';

/** Runs tasks with as few round trips as they have steps: whatever is asked at once is sent at once, the commit with the last. */
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
    // On a broken connection this fails too, and with less to say.
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
    // The first that fails says why; the database refuses those behind it for that reason only.
    const failed = (await Promise.allSettled([...begun, ...asked, ...committed])).find(isRejected);
    if (failed) throw failed.reason;
    if (turn.done) return turn.value.result;
    begun = [];
    turn = steps.next((await Promise.all(asked)).map(({ rows }) => rows as Row[]));
  }
}

/** Whatever the database's own settings are, a commit of ours is on its disk before anybody hears of it. */
const begin = `begin; select set_config('synchronous_commit', 'on', true)
  where current_setting('synchronous_commit') = 'off'`;

function isRejected(outcome: PromiseSettledResult<unknown>): outcome is PromiseRejectedResult {
  return outcome.status === 'rejected';
}
