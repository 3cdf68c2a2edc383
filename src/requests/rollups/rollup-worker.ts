import type { Store } from '../../store/store.ts';
import { addRollups } from './rollup-job.ts';

/**
 * Limit of one commit: small enough that nothing waits long for the commit or, on PostgreSQL, for the event loop that
 * adds it up. Each delta is of one batch of requests, which may have nothing in common.
 */
const deltasPerCommit = 20;
/** A reader of usage waits for at most this many commits. The rollup worker adds the rest. */
const commitsMax = 100;

/** Adds pending deltas to the rollups. Returns false if more remain than a reader should wait for. */
export async function catchUp(store: Store): Promise<boolean> {
  for (let commits = 0; commits < commitsMax; commits += 1) {
    if (!(await store.commit(addRollups, deltasPerCommit))) return true;
  }
  return false;
}

export interface RollupWorker {
  start(): void;
  stop(): void;
}

const everyMs = 5000;

/**
 * The rollup worker. It keeps the rollups close to the requests, so that readers find little to add and deltas never
 * pile up.
 */
export function rollupWorker(store: Store, onError: (error: unknown) => void): RollupWorker {
  let timer: NodeJS.Timeout | undefined;
  let isBusy = false;

  async function run(): Promise<void> {
    if (isBusy) return;
    isBusy = true;
    // If this fails, the deltas remain in the store.
    await catchUp(store).catch(onError);
    isBusy = false;
  }

  return {
    start() {
      timer ??= setInterval(() => void run(), everyMs).unref();
    },
    stop() {
      clearInterval(timer);
      timer = undefined;
    },
  };
}
