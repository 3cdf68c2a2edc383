import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Store } from '../store/store.ts';

export type KeyUsage = ReturnType<typeof keyUsage>;

const batchMax = 100;
/** Further keys within one flush interval are not marked. The next use of the key marks it again. */
const marksMax = 50_000;

/** Writes the last use of keys in the background, in short transactions that let other work run in between. */
export function keyUsage(store: Store, { flushMs = 10_000 } = {}) {
  let marks = new Map<string, number>();
  let timer: NodeJS.Timeout | undefined;
  let flushing: Promise<void> | undefined;

  /** Never runs twice at the same time, however long the store takes. */
  function flush(): Promise<void> {
    flushing ??= writeAll().finally(() => {
      flushing = undefined;
    });
    return flushing;
  }

  async function writeAll(): Promise<void> {
    // In the same order in every process, to prevent deadlocks.
    const batch = [...marks].toSorted(([one], [other]) => (one < other ? -1 : 1));
    marks = new Map();
    for (let start = 0; start < batch.length; start += batchMax) {
      await write(store, batch.slice(start, start + batchMax));
      await nextTurn();
    }
  }

  /** The last use is only shown to people, so a failed write is dropped. The next use is written again. */
  function tryToFlush(): Promise<void> {
    return flush().catch(() => undefined);
  }

  return {
    mark(keyId: string, at: number): void {
      if (marks.size < marksMax || marks.has(keyId)) marks.set(keyId, at);
    },
    start(): void {
      timer ??= setInterval(() => void tryToFlush(), flushMs).unref();
    },
    /** Writes the remaining marks, if the store is reachable. Never rejects. */
    async stop(): Promise<void> {
      clearInterval(timer);
      timer = undefined;
      await tryToFlush();
      await tryToFlush();
    },
  };
}

function write(store: Store, marks: readonly (readonly [keyId: string, at: number])[]): Promise<void> {
  return store.transaction(async (tx) => {
    for (const [keyId, at] of marks) {
      await tx.updateTable('api_keys').set({ last_used_at: at }).where('id', '=', keyId).execute();
    }
  });
}
