import type { AccountDemand, SlotLease } from '../cluster/arbiter.ts';
import type { LeasedSlots, LeaseUser } from '../cluster/leased-slots.ts';
import type { LeaseKeeper } from '../cluster/lease-keeper.ts';
import type { Clock } from '../core/clock.ts';
import type { LearnedLimit } from './adaptive-limit.ts';
import type { UpstreamQueue } from './upstream-queue.ts';

export interface LimitShareParts {
  readonly clock: Clock;
  readonly leases: Pick<LeaseKeeper, 'process' | 'state' | 'processes' | 'slots' | 'retire'>;
  /** What all processes call it. */
  readonly name: string;
  readonly queue: Pick<UpstreamQueue, 'running' | 'waiting' | 'runningElsewhere' | 'lookAgain'>;
  /** How many may run at once in all processes together. */
  readonly limit: () => number;
  /** Tells the others what was found out. */
  readonly tell: (learned: LearnedLimit) => void;
}

/** One more is tried at most so often by each process, so that the others hear of it before they try another. */
const growEveryMs = 1000;

/**
 * A process's share of what a provider takes of one model with one credential, once it was found out that this is less
 * than configured. It is leased like the slots of an upstream; as long as nothing is known, there is nothing to lease.
 */
export class LimitShare implements LeaseUser {
  readonly #parts: LimitShareParts;
  #slots: LeasedSlots | undefined;
  #running = 0;
  #elsewhere: number | undefined;
  #isWanted = false;
  #changedMs = Number.NEGATIVE_INFINITY;

  constructor(parts: LimitShareParts) {
    this.#parts = parts;
  }

  get isDivided(): boolean {
    return this.#slots !== undefined;
  }

  /** How many may run here. While nobody has divided it yet, or nobody can, an even part: it is an estimate, not a promise. */
  get allowed(): number {
    const { leases, limit } = this.#parts;
    if (!this.#slots || leases.processes === 0) return limit();
    if (leases.state === 'leased' && this.#elsewhere !== undefined) return this.#slots.limit;
    return Math.max(1, Math.floor(limit() / leases.processes));
  }

  get mayGrow(): boolean {
    return this.#parts.clock.elapsed() - this.#changedMs >= growEveryMs;
  }

  get limit(): number {
    return this.#parts.limit();
  }

  get waiting(): number {
    return this.#isWanted ? Math.max(1, this.#parts.queue.waiting) : 0;
  }

  /** Processes share it evenly, by what they have to do; whose turn it is among accounts, each one's queue knows. */
  demands(): readonly AccountDemand[] {
    const { process } = this.#parts.leases;
    return [{ id: `all of ${process}`, weight: 1, running: this.#running, waiting: this.waiting, used: 0 }];
  }

  lookAgain(): void {
    this.#parts.queue.lookAgain();
  }

  heard({ elsewhere }: Pick<SlotLease, 'elsewhere'>): void {
    this.#elsewhere = elsewhere.running;
    this.#isWanted = false;
  }

  /** How many of the same run in other processes; before that is known, as many beside these as of the upstream's others. */
  elsewhere(running: number): number {
    if (this.#elsewhere !== undefined) return this.#elsewhere;
    const { queue } = this.#parts;
    return Math.round(queue.runningElsewhere * Math.min(1, (running + 1) / Math.max(1, queue.running)));
  }

  counted(running: number): void {
    this.#running = running;
    this.#slots?.counted(running);
  }

  /** Somebody was not let in because all that may run here does. */
  want(): void {
    if (!this.#slots) return;
    this.#isWanted = true;
    this.#slots.ask();
  }

  /** From now on it is divided, or there is nothing to divide any more. */
  divide(isLowered: boolean, running: number): void {
    const { leases, name, clock } = this.#parts;
    this.#changedMs = clock.elapsed();
    this.#running = running;
    if (isLowered && !this.#slots) {
      this.#slots = leases.slots(name);
      this.#slots.counted(running);
      this.#slots.use(this);
    } else if (!isLowered && this.#slots) {
      this.#slots.counted(0);
      leases.retire(name);
      this.#slots = undefined;
      this.#elsewhere = undefined;
      this.#isWanted = false;
    }
  }

  tell(learned: LearnedLimit): void {
    this.#parts.tell(learned);
  }
}
