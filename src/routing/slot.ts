import { assert, InvariantViolation } from '../core/assert.ts';
import type { SubQueue } from './fair-queue/sub-queue.ts';
import type { Ticket } from './fair-queue/queued-account.ts';
import type { QueueEntry } from './fair-queue/queue-limit.ts';

/** How a request waits for its turn. */
export interface WaitOptions {
  readonly signal: AbortSignal;
  /** On the clock's `elapsed` scale: a moment, not a span. */
  readonly deadlineMs: number;
  /** What is needed besides a slot. */
  readonly subQueue?: SubQueue;
  /** Called in the moment the slot is given, before anyone else can be let in. */
  readonly granted?: () => void;
  /** Whether this is no longer where the request should wait. */
  readonly isOutdated?: () => boolean;
  /** Said by a request that waits at several upstreams. */
  readonly shared?: SharedQueueEntry;
}

export interface CooldownOptions extends WaitOptions {
  /** How long it does not wait yet. */
  readonly cooldownMs: number;
}

/** One request's waits at several upstreams, which end together: the first to end gives up the queue entry they share. */
export interface SharedQueueEntry {
  queueEntry: QueueEntry | undefined;
  /** It must go, from all of them. */
  sendAway(): void;
}

/** A slot that was taken: the right to run one call. It is left once. */
export interface Slot {
  /** How long it was waited for. */
  readonly waitMs: number;
  /** How many were before it when it came. */
  readonly position: number;
  readonly isLeft: boolean;
  /** The call is over: the slot is free, the account's share corrected to what it really cost (undefined: the estimate stands). */
  leave(actualCost?: number): void;
  /** There was no answer for want of room: the slot is free, and after a rest the request waits again, first in sub-queue with its old tag. */
  again(wait: CooldownOptions): Promise<Slot | undefined>;
}

/** The queue that a slot belongs to, as the slot sees it. */
export interface SlotKeeper {
  leave(ticket: Ticket, actualCost: number | undefined): void;
  again(ticket: Ticket, position: number, wait: CooldownOptions): Promise<Slot | undefined>;
  alarm(error: unknown): void;
}

export class HeldSlot implements Slot {
  readonly waitMs: number;
  readonly position: number;
  readonly #keeper: SlotKeeper;
  readonly #ticket: Ticket;
  #isLeft = false;

  constructor(keeper: SlotKeeper, ticket: Ticket, how: { readonly waitMs: number; readonly position: number }) {
    this.#keeper = keeper;
    this.#ticket = ticket;
    this.waitMs = how.waitMs;
    this.position = how.position;
  }

  get isLeft(): boolean {
    return this.#isLeft;
  }

  leave(actualCost?: number): void {
    if (this.#isLeft) return this.#keeper.alarm(new InvariantViolation('a slot is left once'));
    this.#isLeft = true;
    this.#keeper.leave(this.#ticket, actualCost);
  }

  async again(wait: CooldownOptions): Promise<Slot | undefined> {
    assert(!this.#isLeft, 'a slot that was left cannot be had again');
    this.#isLeft = true;
    return this.#keeper.again(this.#ticket, this.position, wait);
  }
}
