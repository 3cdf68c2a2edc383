import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Failpoint, noFailpoint } from '../core/failpoint.ts';
import type { Store } from '../store/store.ts';
import type { RequestRecord } from './request-record.ts';
import { requestWriter } from './request-writer.ts';

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
  readonly failpoint?: Failpoint;
}

const retryMs = 1000;

/** The log of requests, written in groups behind the requests' backs. A store that fails is tried again. */
export function requestLog(options: RequestLogOptions): RequestLog {
  const { store, flushMs = 100, batchMax = 500, queueMax = 50_000, onDropped, failpoint = noFailpoint } = options;
  const writer = requestWriter(failpoint);
  const queue: RequestRecord[] = [];
  let dropped = 0;
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> | undefined;
  let stopped = false;

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
      writing ??= writeBatch().finally(() => {
        writing = undefined;
      });
      await writing;
    }
  }

  async function writeBatch(): Promise<void> {
    await nextTurn();
    const batch = queue.slice(0, batchMax);
    await store
      .transaction((tx) => writer.storeNew(tx, batch))
      // Nobody but the store knows whether a commit that was not confirmed took place: only there can a record be twice.
      .catch(() => store.transaction((tx) => writer.storeMissing(tx, batch)));
    failpoint('requests.committed');
    queue.splice(0, batch.length);
  }

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
      clearTimeout(timer);
      await flush().catch(() => {
        dropped += queue.length;
      });
      reportDropped();
    },
  };
}
