import { systemClock } from '../../../core/time/clock.ts';
import { PeriodicTasks } from '../../../core/time/periodic-tasks.ts';
import type { Store } from '../../../platform/store/store.ts';
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

const everyMs = 5000;

/** Keeps the rollups close to the requests, so that readers find little to add and deltas never pile up. */
export function rollupWorker(store: Store, onError: (error: unknown) => void) {
  // If a run fails, the deltas remain in the store.
  const tasks = new PeriodicTasks(systemClock, onError);
  return {
    start: () => tasks.every(everyMs, async () => void (await catchUp(store))),
    stop: () => tasks.stop(),
  };
}
