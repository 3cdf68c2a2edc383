import { setImmediate as nextTurn } from 'node:timers/promises';
import { sql } from 'kysely';
import { databaseNow, readDatabaseTime } from './engine.ts';
import type { Store } from './store.ts';

/** Deletes old rows periodically, in the background. */
export interface DeletionRounds {
  start(): void;
  stop(): void;
}

/** Deletes a few rows, and returns whether there may be more. */
type BatchDeletion = () => Promise<boolean>;

const everyMs = 600_000;

/** Called when a deletion fails. The next run retries it. */
export type DeletionError = (error: unknown, what: string) => void;

/** Deletes rows that are older than `keepMs` by the clock of the database: a process may have a wrong one. */
export interface RetentionParts {
  readonly store: Store;
  /** 0 deletes all of them. */
  readonly keepMs: () => number;
  readonly onError: DeletionError;
}

interface DeletionParts {
  readonly store: Store;
  /** Name of the deleted rows; it must be the same in every process. */
  readonly what: string;
  readonly onError: DeletionError;
}

/** Rows of before this time are too old. */
export async function keptSince({ db }: Store, keepMs: () => number): Promise<number> {
  return (await readDatabaseTime(db)) - keepMs();
}

/**
 * Each run deletes every kind of row, a few rows at a time so that other users of the store do not wait for it. A
 * failure of one kind does not stop the others. Only one of the processes that share the store does each run.
 */
export function periodicDeletion(
  { store, what, onError }: DeletionParts,
  kinds: readonly BatchDeletion[],
): DeletionRounds {
  let timer: NodeJS.Timeout | undefined;
  const isOn = (): boolean => timer !== undefined;

  async function run(): Promise<void> {
    if (!(await isDue(store, `deleted ${what}`))) return;
    for (const deleteBatch of kinds) await deleteAll(deleteBatch).catch(report);
  }

  async function deleteAll(deleteBatch: BatchDeletion): Promise<void> {
    while (isOn() && (await deleteBatch())) await nextTurn();
  }

  function report(error: unknown): void {
    // While the store is being closed, errors are expected.
    if (isOn()) onError(error, what);
  }

  return {
    start() {
      timer ??= setInterval(() => void run().catch(report), everyMs).unref();
      void run().catch(report);
    },
    stop() {
      clearInterval(timer);
      timer = undefined;
    },
  };
}

/**
 * Returns whether no process has started a run in the last 5 minutes. If so, it records that this process starts one.
 * The database's clock counts, because the clocks of processes may differ. A start time far in the future was written
 * before that clock was set back. A start time slightly in the future was written by another process while this
 * statement waited for it: PostgreSQL reads the clock when a statement starts.
 */
async function isDue({ db }: Store, name: string): Promise<boolean> {
  const now = databaseNow(db);
  const before = sql<number>`cast(settings.value as bigint)`;
  const started = await db
    .insertInto('settings')
    .values({ name, value: sql`cast(${now} as text)` })
    .onConflict((row) =>
      row
        .column('name')
        .doUpdateSet({ value: sql`cast(${now} as text)` })
        .where((setting) =>
          setting.or([
            setting(before, '<', setting(now, '-', setting.lit(everyMs / 2))),
            setting(before, '>', setting(now, '+', setting.lit(everyMs / 2))),
          ]),
        ),
    )
    .returning('name')
    .executeTakeFirst();
  return started !== undefined;
}
