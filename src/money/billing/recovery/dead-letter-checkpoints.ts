import type { Clock } from '../../../core/time/clock.ts';
import type { Store } from '../../../platform/store/store.ts';
import { chargeCheckpoints, countOrphans } from './recovery.ts';
import type { DeadLetterCheckpoint } from './dead-letter-checkpoint.ts';
import { releaseLeases } from '../wallet/release-leases.ts';

export interface RefusedCheckpointsParts {
  readonly store: Store;
  readonly clock: Clock;
  /** Called once with a `DeadLetterCheckpoint` for each. */
  readonly onError: (error: unknown) => void;
}

/** The cause needs a manual fix, so frequent retries do not help. */
const retryMs = 60_000;

/**
 * Dead-letter checkpoints of expired processes: they cannot be charged although others can. Each stays in the store
 * without a process, together with the part of the lease that it needs. Every process finds and retries them. They do
 * not block the reaping of expired processes.
 */
export class DeadLetterCheckpoints {
  readonly #parts: RefusedCheckpointsParts;
  #reported: ReadonlySet<string> = new Set();
  #attemptedMs = Number.NEGATIVE_INFINITY;
  #count = 0;

  constructor(parts: RefusedCheckpointsParts) {
    this.#parts = parts;
  }

  /** The number at the last read of the store. It is the same for every process. */
  get count(): number {
    return this.#count;
  }

  /** Adds checkpoints that were just refused. This counts as one attempt. */
  add(refused: readonly DeadLetterCheckpoint[]): void {
    if (refused.length === 0) return;
    this.#attemptedMs = this.#parts.clock.elapsed();
    this.#report(refused, this.#reported);
  }

  /** Counts the checkpoints in the store, and retries them if the last attempt is a minute ago. */
  async retry(): Promise<void> {
    const { store, clock } = this.#parts;
    const { checkpoints, leases } = await countOrphans(store.db);
    this.#count = checkpoints;
    // The lease was kept for a checkpoint that has since been charged or voided. Return it.
    const isOver = checkpoints === 0 && leases > 0;
    const isDue = checkpoints > 0 && clock.elapsed() - this.#attemptedMs >= retryMs;
    if (!isOver && !isDue) return;
    this.#attemptedMs = clock.elapsed();
    const refused = await store.transaction(async (tx) => {
      const still = await chargeCheckpoints(tx, 'orphaned');
      await releaseLeases(tx, 'orphaned');
      return still;
    });
    this.#count = refused.length;
    this.#report(refused, new Set());
  }

  /**
   * Reports new ones. A checkpoint that is neither refused now nor in `kept` is settled; if it is refused again, it is
   * reported again.
   */
  #report(refused: readonly DeadLetterCheckpoint[], kept: ReadonlySet<string>): void {
    const fresh = refused.filter(({ requestId }) => !this.#reported.has(requestId));
    this.#reported = new Set([...kept, ...refused.map(({ requestId }) => requestId)]);
    for (const each of fresh) this.#parts.onError(each);
  }
}
