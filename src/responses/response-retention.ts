import type { Clock } from '../core/clock.ts';
import type { Store } from '../store/store.ts';
import { deleteOlder } from './kept-responses.ts';

const everyMs = 600_000;
/** A round that found more than it may delete leaves the rest to the next one. */
const turnsMax = 1000;

export interface ResponseRetention {
  start(): void;
  stop(): void;
}

/** Deletes responses that are older than the operator wants them kept, a few at a time so that nobody waits for it. */
export function responseRetention({
  store,
  clock,
  keepMs,
}: {
  readonly store: Store;
  readonly clock: Clock;
  readonly keepMs: () => number;
}): ResponseRetention {
  let timer: NodeJS.Timeout | undefined;

  async function round(): Promise<void> {
    for (let turn = 0; turn < turnsMax; turn += 1) {
      const isOver = timer === undefined || !(await deleteOlder(store, clock.now() - keepMs()));
      if (isOver) return;
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
