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

interface DeletionParts {
  readonly store: Store;
  /** What is deleted; the same in every process. */
  readonly what: string;
}

/**
 * Each round takes every kind of row in turn, a few at a time so that nobody waits for it. Of all processes that share the
 * store, the first one to come does it for the others.
 */
export function deletionRounds({ store, what }: DeletionParts, kinds: readonly DeletionTurn[]): DeletionRounds {
  let timer: NodeJS.Timeout | undefined;
  const isOn = (): boolean => timer !== undefined;

  async function round(): Promise<void> {
    if (!(await isDue(store, `deleted ${what}`))) return;
    for (const turn of kinds) {
      while (isOn() && (await turn())) await nextTurn();
    }
  }

  return {
    start() {
      // A round that fails leaves rows to the next one.
      timer ??= setInterval(() => void round().catch(() => undefined), everyMs).unref();
      void round().catch(() => undefined);
    },
    stop() {
      clearInterval(timer);
      timer = undefined;
    },
  };
}

/** Whether no process has begun a round lately; then this one has. Their clocks need not agree: the database's counts. */
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
        .where((setting) => setting(before, '<', setting(now, '-', setting.lit(everyMs / 2)))),
    )
    .returning('name')
    .executeTakeFirst();
  return begun !== undefined;
}
