import { assert, InvariantViolation } from 'chat-formats/assert.ts';
import type { SubQueue } from '../fair-queue/sub-queue.ts';
import type { Ticket } from '../fair-queue/queued-account.ts';
import type { QueueEntry } from '../fair-queue/queue-limit.ts';

export interface WaitOptions {
  readonly signal: AbortSignal;
  /** On the clock's `elapsed` scale: a point in time, not a duration. */
  readonly deadlineMs: number;
  /** The sub-queue of the candidates that the request accepts. */
  readonly subQueue?: SubQueue;
  /** Called when the slot is granted, before another request can be admitted. */
  readonly granted?: () => void;
  /** Whether the request should no longer wait here. */
  readonly isOutdated?: () => boolean;
  /** Set by a request that waits at several upstreams. */
  readonly shared?: SharedQueueEntry;
}

export interface CooldownOptions extends WaitOptions {
  /** How long the request stays out of the queue before it waits again. */
  readonly cooldownMs: number;
}

/** One request's waits at several upstreams, which end together: the first to end releases the shared queue entry. */
export interface SharedQueueEntry {
  queueEntry: QueueEntry | undefined;
  /** Rejects the request at all of them. */
  sendAway(): void;
}

export interface SlotQueue {
  release(ticket: Ticket, actualCost: number | undefined): void;
  requeue(ticket: Ticket, position: number, wait: CooldownOptions): Promise<Slot | undefined>;
  alarm(error: unknown): void;
}

/** A taken slot: the right to run one call. It is released once. */
export class Slot {
  readonly waitMs: number;
  /** How many requests were ahead of it when it arrived. */
  readonly position: number;
  readonly #queue: SlotQueue;
  readonly #ticket: Ticket;
  #isReleased = false;

  constructor(queue: SlotQueue, ticket: Ticket, how: { readonly waitMs: number; readonly position: number }) {
    this.#queue = queue;
    this.#ticket = ticket;
    this.waitMs = how.waitMs;
    this.position = how.position;
  }

  get isReleased(): boolean {
    return this.#isReleased;
  }

  /** The call is over: corrects the account's cost to the actual one. `undefined` keeps the estimate. */
  release(actualCost?: number): void {
    if (this.#isReleased) return this.#queue.alarm(new InvariantViolation('a slot is released once'));
    this.#isReleased = true;
    this.#queue.release(this.#ticket, actualCost);
  }

  /** The provider lacked capacity. After a cooldown the request waits again, first in its sub-queue, with its old tag. */
  async requeue(wait: CooldownOptions): Promise<Slot | undefined> {
    assert(!this.#isReleased, 'a released slot cannot be requeued');
    this.#isReleased = true;
    return this.#queue.requeue(this.#ticket, this.position, wait);
  }
}
