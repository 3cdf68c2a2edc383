import { systemClock, type Timer } from '../../core/time/clock.ts';
import { type Failpoint, noFailpoint } from '../../core/failpoint.ts';
import { GroupCommitQueue } from '../../platform/store/group-commit-queue.ts';
import { taskOf } from '../../platform/store/job.ts';
import type { Store } from '../../platform/store/store.ts';
import type { RequestRecord } from './request-record.ts';
import { storingRequests } from './request-writer.ts';

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

const retry = { attemptsMax: 5, pauseMs: 1000, keepsRejectedBatch: true };

/** Written in batches: piggybacked on the next charges, or in own commits after a while. Failures are retried. */
export function requestLog(options: RequestLogOptions) {
  const { store, flushMs = 100, batchMax = 500, queueMax = 50_000, failpoint = noFailpoint } = options;
  let dropped = 0;
  let reporting: Timer | undefined;

  /** Does not wait for the store: while it does not answer, the queue is full and drops records. */
  function drop(): void {
    dropped += 1;
    if (reporting !== undefined) return;
    reporting = systemClock.after(flushMs, reportDropped);
    reporting.unref();
  }

  function reportDropped(): void {
    systemClock.cancel(reporting);
    reporting = undefined;
    if (dropped > 0) options.onDropped(dropped);
    dropped = 0;
  }

  const queue = new GroupCommitQueue<RequestRecord, void>({
    clock: systemClock,
    commit(batch) {
      failpoint('requests.committing');
      return store.commit(storingRequests, batch);
    },
    piggyback: {
      store,
      task(batch) {
        failpoint('requests.committing');
        return taskOf(storingRequests, batch);
      },
    },
    onCommitted: () => failpoint('requests.committed'),
    onRejected(record, error) {
      drop();
      options.onRefused?.(record, error);
    },
    // The records wait for the next attempt.
    onError: () => undefined,
    limits: { batchMax, queueMax },
    retry,
    delayMs: flushMs,
  });

  return {
    /** Queues the record and returns at once; it is written within moments. Never throws. */
    write(record: RequestRecord): void {
      if (!queue.push(record)) drop();
    },
    /** Resolves when all records queued before are in the store; rejects when the store does not accept them. */
    flush: () => queue.flush(),
    /** Writes the remaining records, then accepts no more. */
    async stop() {
      const left = await queue.stop();
      dropped += left.length;
      reportDropped();
    },
  };
}
