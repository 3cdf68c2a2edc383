import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Failpoint, noFailpoint } from '../core/failpoint.ts';
import type { PiggybackSource } from '../store/commits.ts';
import { taskOf } from '../store/job.ts';
import { bisect } from '../store/bisect.ts';
import type { Store } from '../store/store.ts';
import { isUnreachable } from '../store/unreachable.ts';
import type { RequestRecord } from './request-record.ts';
import { storingRequests } from './request-writer.ts';

export interface RequestLog {
  /** Takes the record and returns at once; the store hears of it within moments. Never throws. */
  write(record: RequestRecord): void;
  /** Resolves when everything written before is in the store; rejects when the store does not take it. */
  flush(): Promise<void>;
  /** Writes what is left, then takes no more. */
  stop(): Promise<void>;
}

export interface RequestLogOptions {
  readonly store: Store;
  /** The longest a record waits for company. */
  readonly flushMs?: number;
  /** A commit costs far more than a row, so rows share one; this bounds how long it takes. */
  readonly batchMax?: number;
  /** Records kept in memory while the store does not take them. */
  readonly queueMax?: number;
  /** Hears how many records were given up since it was last called. */
  readonly onDropped: (count: number) => void;
  /** Hears of each record that the store does not take although it takes others; it counts as given up. */
  readonly onRefused?: (record: RequestRecord, error: unknown) => void;
  readonly failpoint?: Failpoint;
}

const retryMs = 1000;
/** So often a store that is there is offered the same records before they are taken apart. */
const triesMax = 5;

/**
 * The log of requests, written in groups behind the requests' backs: along with the next charges, or on their own when
 * there are none for a while. A store that fails is tried again.
 */
export function requestLog(options: RequestLogOptions): RequestLog {
  const { store, flushMs = 100, batchMax = 500, queueMax = 50_000, failpoint = noFailpoint } = options;
  const { onDropped, onRefused } = options;
  const queue: RequestRecord[] = [];
  let dropped = 0;
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> | undefined;
  let stopped = false;
  /** The store did not take the last batch: the next one keeps nobody else from it. */
  let isRefused = false;
  /** How often a store that is there has not taken the first of the queue. */
  let refusals = 0;

  function flushAfter(ms: number): void {
    timer ??= setTimeout(() => {
      timer = undefined;
      flushBehind();
    }, ms).unref();
  }

  function flushBehind(): void {
    reportDropped();
    // What could not be written is still in the queue.
    flush().catch(() => flushAfter(retryMs));
  }

  async function flush(): Promise<void> {
    while (queue.length > 0) {
      writing ??= following(writeBatch());
      await writing;
    }
  }

  /** One batch at a time, whichever way it goes. */
  function following(batch: Promise<void>): Promise<void> {
    return batch.finally(() => {
      writing = undefined;
    });
  }

  async function writeBatch(): Promise<void> {
    // What is written in the same breath goes along.
    await nextTurn();
    failpoint('requests.committing');
    const batch = queue.slice(0, batchMax);
    // At the end there is no time for more than one try.
    if (refusals >= triesMax || stopped) await sort(batch);
    else await take(batch);
    written(batch.length);
  }

  async function take(batch: readonly RequestRecord[]): Promise<void> {
    try {
      await store.commit(storingRequests, batch);
    } catch (error) {
      if (!isUnreachable(error)) refusals += 1;
      throw error;
    }
  }

  /**
   * Gives up what would keep all others from the store for ever. A store that takes none of them may be out of order
   * itself: then they wait, behind the others.
   */
  async function sort(batch: readonly RequestRecord[]): Promise<void> {
    const refused = await bisect(batch, take);
    if (refused.length === batch.length) {
      queue.push(...queue.splice(0, batch.length));
      throw refused[0]?.error;
    }
    dropped += refused.length;
    for (const { item, error } of refused) onRefused?.(item, error);
  }

  function written(count: number): void {
    failpoint('requests.committed');
    isRefused = false;
    refusals = 0;
    queue.splice(0, count);
    // Who came meanwhile has as long to find company as these had.
    clearTimeout(timer);
    timer = undefined;
    if (queue.length > 0) flushAfter(flushMs);
  }

  const piggybackSource: PiggybackSource = {
    next() {
      if (writing || queue.length === 0 || isRefused) return undefined;
      failpoint('requests.committing');
      const batch = queue.slice(0, batchMax);
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      writing = following(promise);
      // Whoever flushes hears of it; if nobody does, the timer looks again.
      writing.catch(() => flushAfter(retryMs));
      return {
        task: taskOf(storingRequests, batch),
        taken() {
          written(batch.length);
          resolve();
        },
        refused(error) {
          isRefused = true;
          reject(error);
        },
      };
    },
  };
  const leave = store.piggyback(piggybackSource);

  function reportDropped(): void {
    if (dropped > 0) onDropped(dropped);
    dropped = 0;
  }

  return {
    write(record) {
      if (stopped || queue.length >= queueMax) dropped += 1;
      else queue.push(record);
      if (queue.length === batchMax) flushBehind();
      else flushAfter(flushMs);
    },
    flush,
    async stop() {
      stopped = true;
      leave();
      clearTimeout(timer);
      await flush().catch(() => {
        dropped += queue.length;
      });
      reportDropped();
    },
  };
}
