import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Store } from '../store/store.ts';

export interface KeyUsage {
  /** Remembers that a key was used; costs a map entry. */
  mark(keyId: string, at: number): void;
  start(): void;
  /** Writes what is still only remembered, if the store takes it. */
  stop(): Promise<void>;
}

const batchMax = 100;
/** More keys than that within one round are not marked: it is for people to read, and the next use marks again. */
const marksMax = 50_000;

/** Writes the last use of keys in the background, in short transactions with room for other work between them. */
export function keyUsage(store: Store, { flushMs = 10_000 } = {}): KeyUsage {
  let marks = new Map<string, number>();
  let timer: NodeJS.Timeout | undefined;
  let flushing: Promise<void> | undefined;

  /** A round begins when the one before it has ended, however long the store takes. */
  function flush(): Promise<void> {
    flushing ??= writeAll().finally(() => {
      flushing = undefined;
    });
    return flushing;
  }

  async function writeAll(): Promise<void> {
    // In one order everywhere, so that two processes never wait for each other's rows.
    const batch = [...marks].toSorted(([one], [other]) => (one < other ? -1 : 1));
    marks = new Map();
    for (let start = 0; start < batch.length; start += batchMax) {
      await write(store, batch.slice(start, start + batchMax));
      await nextTurn();
    }
  }

  /** When a key was last used is for people to read: a write that fails is not worth more than the next attempt. */
  function tryToFlush(): Promise<void> {
    return flush().catch(() => undefined);
  }

  return {
    mark(keyId, at) {
      if (marks.size < marksMax || marks.has(keyId)) marks.set(keyId, at);
    },
    start() {
      timer ??= setInterval(() => void tryToFlush(), flushMs).unref();
    },
    async stop() {
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
