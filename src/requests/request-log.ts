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
  /** Queues the record and returns at once; it is written within moments. Never throws. */
  write(record: RequestRecord): void;
  /** Resolves when all records queued before are in the store; rejects when the store does not accept them. */
  flush(): Promise<void>;
  /** Writes the remaining records, then accepts no more. */
  stop(): Promise<void>;
}

export interface RequestLogOptions {
  readonly store: Store;
  /** The longest time a record waits to be batched with others. */
  readonly flushMs?: number;
  /** Rows per commit. A commit costs far more than a row, so rows share one; this limits its duration. */
  readonly batchMax?: number;
  /** Maximum number of records in memory while the store does not accept them. */
  readonly queueMax?: number;
  /** Called with the number of records dropped since the last call. */
  readonly onDropped: (count: number) => void;
  /** Called for each record that the store rejects although it accepts others; it counts as dropped. */
  readonly onRefused?: (record: RequestRecord, error: unknown) => void;
  readonly failpoint?: Failpoint;
}

const retryMs = 1000;
/** Attempts with the same batch at a reachable store before the batch is bisected. */
const attemptsMax = 5;

/**
 * The request log, written asynchronously in batches: piggybacked on the next charges, or in commits of its own when
 * there are none for a while. Failed writes are retried.
 */
export function requestLog(options: RequestLogOptions): RequestLog {
  const { store, flushMs = 100, batchMax = 500, queueMax = 50_000, failpoint = noFailpoint } = options;
  const { onDropped, onRefused } = options;
  const queue: RequestRecord[] = [];
  let dropped = 0;
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> | undefined;
  let isStopped = false;
  /**
   * The store rejected the last piggybacked batch. The next batch gets a commit of its own, so that it cannot fail
   * other writes.
   */
  let wasRejected = false;
  /** How often a reachable store has rejected the batch at the head of the queue. */
  let rejections = 0;

  function flushAfter(ms: number): void {
    timer ??= setTimeout(() => {
      timer = undefined;
      flushInBackground();
    }, ms).unref();
  }

  function flushInBackground(): void {
    reportDropped();
    // Records that could not be written are still in the queue.
    flush().catch(() => flushAfter(retryMs));
  }

  async function flush(): Promise<void> {
    while (queue.length > 0) {
      writing ??= tracked(writeBatch());
      await writing;
    }
  }

  /** Ensures one batch at a time; resets `writing` after success and failure. */
  function tracked(batch: Promise<void>): Promise<void> {
    return batch.finally(() => {
      writing = undefined;
    });
  }

  async function writeBatch(): Promise<void> {
    // Records written in the same tick join the batch.
    await nextTurn();
    failpoint('requests.committing');
    const batch = queue.slice(0, batchMax);
    // While stopping, there is time for one attempt only.
    if (rejections >= attemptsMax || isStopped) await isolateRejected(batch);
    else await commitBatch(batch);
    removeWritten(batch.length);
  }

  async function commitBatch(batch: readonly RequestRecord[]): Promise<void> {
    try {
      await store.commit(storingRequests, batch);
    } catch (error) {
      if (!isUnreachable(error)) rejections += 1;
      throw error;
    }
  }

  /**
   * Drops records that would block all others for ever. If the store rejects every record of the batch, the store
   * itself may be broken: then they move to the end of the queue and wait.
   */
  async function isolateRejected(batch: readonly RequestRecord[]): Promise<void> {
    const rejected = await bisect(batch, commitBatch);
    if (rejected.length === batch.length) {
      queue.push(...queue.splice(0, batch.length));
      throw rejected[0]?.error;
    }
    dropped += rejected.length;
    for (const { item, error } of rejected) onRefused?.(item, error);
  }

  function removeWritten(count: number): void {
    failpoint('requests.committed');
    wasRejected = false;
    rejections = 0;
    queue.splice(0, count);
    // Records queued meanwhile get the full batching delay too.
    clearTimeout(timer);
    timer = undefined;
    if (queue.length > 0) flushAfter(flushMs);
  }

  const piggybackSource: PiggybackSource = {
    next() {
      if (writing || queue.length === 0 || wasRejected) return undefined;
      failpoint('requests.committing');
      const batch = queue.slice(0, batchMax);
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      writing = tracked(promise);
      // `flush` awaits this promise and rejects with it. Without a `flush`, the timer retries.
      writing.catch(() => flushAfter(retryMs));
      return {
        task: taskOf(storingRequests, batch),
        taken() {
          removeWritten(batch.length);
          resolve();
        },
        refused(error) {
          wasRejected = true;
          reject(error);
        },
      };
    },
  };
  const stopPiggybacking = store.piggyback(piggybackSource);

  function reportDropped(): void {
    if (dropped > 0) onDropped(dropped);
    dropped = 0;
  }

  return {
    write(record) {
      if (isStopped || queue.length >= queueMax) dropped += 1;
      else queue.push(record);
      if (queue.length === batchMax) flushInBackground();
      else flushAfter(flushMs);
    },
    flush,
    async stop() {
      isStopped = true;
      stopPiggybacking();
      clearTimeout(timer);
      await flush().catch(() => {
        dropped += queue.length;
      });
      reportDropped();
    },
  };
}
