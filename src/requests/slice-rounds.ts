import type { Store } from '../store/store.ts';
import { addingSlices } from './slice-job.ts';

/**
 * What one commit takes: little enough that nobody waits for it, neither for the commit nor, on PostgreSQL, for the event
 * loop that adds it up. Each note is of a batch of requests, which may have nothing in common.
 */
const turn = { notes: 20, requests: 100 } as const;
/** Who looks at usage waits for so many commits; what is left then is history that is still being added. */
const turnsMax = 100;

/** Adds to the sums what was noted so far. False if there is more of it than one should wait for. */
export async function catchUp(store: Store): Promise<boolean> {
  for (let turns = 0; turns < turnsMax; turns += 1) {
    if (!(await store.commit(addingSlices, turn))) return true;
  }
  return false;
}

export interface SliceRounds {
  start(): void;
  stop(): void;
}

const everyMs = 5000;

/** Keeps the sums close behind the requests, so that whoever looks finds little to add, and notes never pile up. */
export function sliceRounds(store: Store, onError: (error: unknown) => void): SliceRounds {
  let timer: NodeJS.Timeout | undefined;
  let isBusy = false;

  async function round(): Promise<void> {
    if (isBusy) return;
    isBusy = true;
    // What could not be added is still noted.
    await catchUp(store).catch(onError);
    isBusy = false;
  }

  return {
    start() {
      timer ??= setInterval(() => void round(), everyMs).unref();
    },
    stop() {
      clearInterval(timer);
      timer = undefined;
    },
  };
}
