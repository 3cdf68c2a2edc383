import type { Kysely } from 'kysely';
import type { Clock, Timer } from '../core/time/clock.ts';
import type { Database } from '../store/database.ts';
import { databaseNow } from '../store/engine.ts';
import type { Store } from '../store/store.ts';
import { type StoreChange, type ChangeTopic, changeReader, everything } from './change-reader.ts';

export type { StoreChange } from './change-reader.ts';

export interface ChangeFeed {
  /**
   * Publishes a change to every process. Pass the transaction that makes the change, so that both commit or neither.
   */
  publish(db: Kysely<Database>, topic: ChangeTopic, subject: string): Promise<void>;
  /**
   * Calls the listener with each batch of changes, including this process's own. Returns a function that ends the
   * subscription.
   */
  subscribe(listener: (changes: readonly StoreChange[]) => void): () => void;
  start(): void;
  stop(): void;
  /**
   * When the last successful poll of the store began, on `clock.elapsed()`. Listeners have all changes committed before
   * that.
   */
  readonly freshAt: number;
}

export interface ChangeFeedOptions {
  readonly clock: Clock;
  readonly pollMs?: number;
  /** Called with each error that a listener throws. */
  readonly onError?: (error: unknown) => void;
}

const pruneEveryMs = 60_000;
/** How long a change can still be read. After a longer absence, the feed reports that everything changed. */
const keptMs = 3_600_000;

/** Polls the changes table: a change made by any process reaches the others within one poll. */
export function changeFeed(store: Store, options: ChangeFeedOptions): ChangeFeed {
  const { clock, pollMs = 500, onError = () => {} } = options;
  const read = changeReader(store);
  const listeners = new Set<(changes: readonly StoreChange[]) => void>();
  let timer: Timer | undefined;
  let isRunning = false;
  let freshAt = Number.NEGATIVE_INFINITY;
  let seenAt = clock.now();
  let prunedAt = Number.NEGATIVE_INFINITY;

  async function poll(): Promise<void> {
    const [startedAt, now] = [clock.elapsed(), clock.now()];
    try {
      const { changes, accept } = await read();
      notify(now - seenAt > keptMs ? everything : changes);
      accept();
      [freshAt, seenAt] = [startedAt, now];
      if (startedAt - prunedAt > pruneEveryMs) {
        prunedAt = startedAt;
        await prune(store);
      }
    } catch {
      // `freshAt` does not move: callers that rely on the feed see it grow old.
    }
    if (isRunning) scheduleNext();
  }

  function scheduleNext(): void {
    timer = clock.after(pollMs, () => void poll());
    timer.unref();
  }

  /**
   * Calls every listener even if one throws. Then throws, so that the next poll repeats the batch: the failed listener
   * may have missed it.
   */
  function notify(changes: readonly StoreChange[]): void {
    if (changes.length === 0) return;
    const thrown = [...listeners].flatMap((listener) => catchError(() => listener(changes)));
    for (const { error } of thrown) onError(error);
    if (thrown[0]) throw thrown[0].error;
  }

  return {
    publish: (db, topic, subject) => publishChange(db, { topic, subject }),
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    start() {
      if (isRunning) return;
      isRunning = true;
      void poll();
    },
    stop() {
      isRunning = false;
      clock.cancel(timer);
    },
    get freshAt() {
      return freshAt;
    },
  };
}

function catchError(work: () => void): { readonly error: unknown }[] {
  try {
    work();
    return [];
  } catch (error) {
    return [{ error }];
  }
}

/**
 * Writes a change for the feeds of all processes; belongs into the transaction that makes it. Its time, and the time of
 * its deletion, come from the database: a machine with a wrong clock must not delete changes that others still need.
 */
export async function publishChange(db: Kysely<Database>, change: StoreChange): Promise<void> {
  await db
    .insertInto('changes')
    .values({ ...change, at: databaseNow(db) })
    .execute();
}

async function prune(store: Store): Promise<void> {
  const now = databaseNow(store.db);
  const isOld = store.db
    .deleteFrom('changes')
    .where((change) => change('at', '<', change(now, '-', change.lit(keptMs))));
  await isOld.execute();
}
