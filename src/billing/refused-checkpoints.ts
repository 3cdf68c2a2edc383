import type { Clock } from '../core/clock.ts';
import type { Store } from '../store/store.ts';
import { chargeCheckpoints, leftBehind } from './recovery.ts';
import type { RefusedCheckpoint } from './refused-checkpoint.ts';
import { releaseLeases } from './release-leases.ts';

export interface RefusedCheckpointsParts {
  readonly store: Store;
  readonly clock: Clock;
  /** Hears of each as a `RefusedCheckpoint`, once. */
  readonly onError: (error: unknown) => void;
}

/** Whatever stands in their way needs somebody who removes it. */
const againMs = 60_000;

/**
 * Checkpoints of dead processes that cannot be charged although others can. None is given up: each stays in the store
 * without a process, with what it needs of what was set aside, where every process finds it and tries it again. But none
 * keeps the dead from being cleaned up after.
 */
export class RefusedCheckpoints {
  readonly #parts: RefusedCheckpointsParts;
  #told: ReadonlySet<string> = new Set();
  #triedMs = Number.NEGATIVE_INFINITY;
  #count = 0;

  constructor(parts: RefusedCheckpointsParts) {
    this.#parts = parts;
  }

  /** How many there were when the store was last looked at. Every process on it says the same. */
  get count(): number {
    return this.#count;
  }

  /** These were just refused: that is one try. */
  found(refused: readonly RefusedCheckpoint[]): void {
    if (refused.length === 0) return;
    this.#triedMs = this.#parts.clock.elapsed();
    this.#tell(refused, this.#told);
  }

  /** Looks what is there, and tries it if the last try is long ago. */
  async tryAgain(): Promise<void> {
    const { store, clock } = this.#parts;
    const { checkpoints, leases } = await leftBehind(store.db);
    this.#count = checkpoints;
    // What was kept for one that was charged or called off by other means is for nobody any more.
    const isOver = checkpoints === 0 && leases > 0;
    const isDue = checkpoints > 0 && clock.elapsed() - this.#triedMs >= againMs;
    if (!isOver && !isDue) return;
    this.#triedMs = clock.elapsed();
    const refused = await store.transaction(async (tx) => {
      const still = await chargeCheckpoints(tx, 'nobody', clock);
      await releaseLeases(tx, 'nobody');
      return still;
    });
    this.#count = refused.length;
    this.#tell(refused, new Set());
  }

  /** What is not among them and not kept is settled: were it refused once more, that would be news. */
  #tell(refused: readonly RefusedCheckpoint[], kept: ReadonlySet<string>): void {
    const fresh = refused.filter(({ requestId }) => !this.#told.has(requestId));
    this.#told = new Set([...kept, ...refused.map(({ requestId }) => requestId)]);
    for (const each of fresh) this.#parts.onError(each);
  }
}
