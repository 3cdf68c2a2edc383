import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../core/clock.ts';
import type { Store } from '../store/store.ts';

export interface RequestRetention {
  start(): void;
  stop(): void;
}

const everyMs = 600_000;
const rowsPerTurn = 500;

/** Deletes requests older than the operator wants them kept, a few at a time so that nobody waits for it. */
export function requestRetention(options: { store: Store; clock: Clock; keepMs: () => number }): RequestRetention {
  const { store, clock, keepMs } = options;
  let timer: NodeJS.Timeout | undefined;

  async function round(): Promise<void> {
    if (timer === undefined || (await deleteOlder(store, clock.now() - keepMs())) < rowsPerTurn) return;
    await nextTurn();
    await round();
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

async function deleteOlder(store: Store, before: number): Promise<number> {
  const result = await store.db
    .deleteFrom('requests')
    .where('id', 'in', (requests) =>
      requests
        .selectFrom('requests')
        .select('id')
        .where('started_at', '<', before)
        .orderBy('started_at')
        .limit(rowsPerTurn),
    )
    .executeTakeFirst();
  return Number(result.numDeletedRows);
}
