import type { Nano } from '../core/money.ts';

/** What this process has set aside of one account's money, and who waits for more of it. */
export class Purse {
  readonly accountId: string;
  /** Set aside and not promised to any request. */
  free: Nano = 0n;
  /** Promised to running requests. */
  held: Nano = 0n;
  lastUsedMs = 0;
  readonly waiting: Waiter[] = [];
  isRefilling = false;
  /** The store did not say whether it did what it was asked to: more may be set aside than is known here. */
  isUncertain = false;

  constructor(accountId: string) {
    this.accountId = accountId;
  }

  take(amount: Nano): void {
    this.free -= amount;
    this.held += amount;
  }

  /** A request is over: what it did not spend may serve another. */
  release(amount: Nano, spent: Nano): void {
    this.held -= amount;
    this.free += spent < amount ? amount - spent : 0n;
  }

  /** Serves those who wait, in order, as far as the money goes. */
  serve(): void {
    for (let next = this.waiting[0]; next && this.free >= next.amount; next = this.waiting[0]) {
      this.waiting.shift();
      this.take(next.amount);
      next.granted();
    }
  }
}

export interface Waiter {
  readonly amount: Nano;
  /** By the monotonic clock; nobody waits for the store longer. */
  readonly deadlineMs: number;
  granted(): void;
  refused(error: unknown): void;
}
