import { setImmediate as nextTurn } from 'node:timers/promises';
import { sql } from 'kysely';
import { databaseNow } from './engine.ts';
import type { Store } from './store.ts';

/** Deletes what is too old again and again, in the background. */
export interface DeletionRounds {
  start(): void;
  stop(): void;
}

/** Deletes a few rows, and says whether there may be more. */
type DeletionTurn = () => Promise<boolean>;

const everyMs = 600_000;

/** Hears of a deletion that failed; it is tried again in the next round. */
export type DeletionError = (error: unknown, what: string) => void;

interface DeletionParts {
  readonly store: Store;
  /** What is deleted; the same in every process. */
  readonly what: string;
  readonly onError: DeletionError;
}

/**
 * Each round takes every kind of row in turn, a few at a time so that nobody waits for it; one kind that fails keeps no other.
 * Of all processes that share the store, the first one to come does it for the others.
 */
export function deletionRounds(
  { store, what, onError }: DeletionParts,
  kinds: readonly DeletionTurn[],
): DeletionRounds {
  let timer: NodeJS.Timeout | undefined;
  const isOn = (): boolean => timer !== undefined;

  async function round(): Promise<void> {
    if (!(await isDue(store, `deleted ${what}`))) return;
    for (const turn of kinds) await deleteAll(turn).catch(tell);
  }

  async function deleteAll(turn: DeletionTurn): Promise<void> {
    while (isOn() && (await turn())) await nextTurn();
  }

  function tell(error: unknown): void {
    // What is asked of a store that is being closed comes to nothing, as it should.
    if (isOn()) onError(error, what);
  }

  return {
    start() {
      timer ??= setInterval(() => void round().catch(tell), everyMs).unref();
      void round().catch(tell);
    },
    stop() {
      clearInterval(timer);
      timer = undefined;
    },
  };
}

/**
 * Whether no process has begun a round lately; then this one has. Their clocks need not agree: the database's counts. A round
 * far in the future was begun before that clock was put back. One that lies slightly ahead was begun by another process while
 * this statement waited for it: PostgreSQL reads the clock when a statement starts.
 */
async function isDue({ db }: Store, name: string): Promise<boolean> {
  const now = databaseNow(db);
  const before = sql<number>`cast(settings.value as bigint)`;
  const begun = await db
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
  return begun !== undefined;
}
