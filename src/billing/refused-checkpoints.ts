import type { Clock } from '../core/clock.ts';
import type { Store } from '../store/store.ts';
import { chargeCheckpoints, leftBehind } from './recovery.ts';
import type { RefusedCheckpoint } from './refused-checkpoint.ts';
import { releaseLeases } from './release-leases.ts';

export interface RefusedCheckpointsParts {
  readonly store: Store;
  readonly clock: Clock;
  /** Called once with a `RefusedCheckpoint` for each. */
  readonly onError: (error: unknown) => void;
}

/** The cause needs a manual fix, so frequent retries do not help. */
const againMs = 60_000;

/**
 * Dead-letter checkpoints of expired processes: they cannot be charged although others can. Each stays in the store
 * without a process, together with the part of the lease that it needs. Every process finds and retries them. They do
 * not block the reaping of expired processes.
 */
export class RefusedCheckpoints {
  readonly #parts: RefusedCheckpointsParts;
  #told: ReadonlySet<string> = new Set();
  #triedMs = Number.NEGATIVE_INFINITY;
  #count = 0;

  constructor(parts: RefusedCheckpointsParts) {
    this.#parts = parts;
  }

  /** The number at the last read of the store. It is the same for every process. */
  get count(): number {
    return this.#count;
  }

  /** Adds checkpoints that were just refused. This counts as one attempt. */
  found(refused: readonly RefusedCheckpoint[]): void {
    if (refused.length === 0) return;
    this.#triedMs = this.#parts.clock.elapsed();
    this.#tell(refused, this.#told);
  }

  /** Counts the checkpoints in the store, and retries them if the last attempt is a minute ago. */
  async tryAgain(): Promise<void> {
    const { store, clock } = this.#parts;
    const { checkpoints, leases } = await leftBehind(store.db);
    this.#count = checkpoints;
    // The lease was kept for a checkpoint that has since been charged or voided. Return it.
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

  /**
   * Reports new ones. A checkpoint that is neither refused now nor in `kept` is settled; if it is refused again, it is
   * reported again.
   */
  #tell(refused: readonly RefusedCheckpoint[], kept: ReadonlySet<string>): void {
    const fresh = refused.filter(({ requestId }) => !this.#told.has(requestId));
    this.#told = new Set([...kept, ...refused.map(({ requestId }) => requestId)]);
    for (const each of fresh) this.#parts.onError(each);
  }
}
