import { assert } from 'chat-formats/assert.ts';
import type { Nano } from '../../../core/money.ts';

/**
 * The part of one account's balance that this process has leased, and the requests that wait for more of it. When the
 * process expires and registers again under a new id, the lease is closed. Money released to a closed lease is not
 * returned to any account.
 */
export class AccountLease {
  readonly accountId: string;
  readonly processId: string;
  #leased: Nano = 0n;
  #free: Nano = 0n;
  #held: Nano = 0n;
  #isUncertain = false;
  #isClosed = false;
  lastUsedMs = 0;
  /** The amount of the last hold. */
  lastTaken: Nano = 0n;
  /** When the process last leased more, and for how many requests it leases ahead. 0 while that is rare. */
  leasedMoreMs = Number.NEGATIVE_INFINITY;
  ahead = 0n;
  /** In order of arrival. */
  readonly waiting: Waiter[] = [];
  /** An exchange with the store is in progress. There is at most one at a time. */
  isBusy = false;
  /** When a peer last recalled the money that this process does not need. */
  recalledMs = Number.NEGATIVE_INFINITY;
  /** When this process last sent a recall to its peers. */
  recallSentMs = Number.NEGATIVE_INFINITY;

  constructor(accountId: string, processId: string) {
    this.accountId = accountId;
    this.processId = processId;
  }

  /**
   * The leased amount in the store, as far as this process has confirmed it. `leased - free - held` is spent and not
   * yet booked.
   */
  get leased(): Nano {
    return this.#leased;
  }

  /** Leased and not held for any request. */
  get free(): Nano {
    return this.#free;
  }

  /** Held for running requests. */
  get held(): Nano {
    return this.#held;
  }

  /** The reply of the store was lost. It may hold a larger lease than `leased`. */
  get isUncertain(): boolean {
    return this.#isUncertain;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** The process has stopped or expired. No request gets money from this lease any more. */
  close(): void {
    this.#isClosed = true;
  }

  take(amount: Nano): void {
    assert(amount >= 0n && amount <= this.free, 'a hold takes at most the free amount');
    this.#update({ free: this.free - amount, held: this.held + amount });
    this.lastTaken = amount;
  }

  /** Ends a hold. The unspent part becomes free. The spent part stays leased until it is booked. */
  release(amount: Nano, spent: Nano): void {
    assert(spent >= 0n && spent <= amount && amount <= this.held, 'a release returns at most the held amount');
    this.#update({ held: this.held - amount, free: this.free + amount - spent });
  }

  /** Call this when the store has booked a charge against this lease. The part that stays leased is free again. */
  booked(spent: Nano, stillLeased = 0n): void {
    // Recovery may have refunded a charge that this process counts as paid.
    const freed = stillLeased < spent ? stillLeased : spent;
    this.#update({ leased: this.leased - spent + freed, free: this.free + freed });
  }

  /** Returns the free money, to exchange it with the store. Until `receive` or `doubt` it cannot be held. */
  offer(): Nano {
    const { free } = this;
    this.#update({ free: 0n });
    return free;
  }

  /** Applies the result of an exchange. `before` is what was sent to the store, `after` is its answer. */
  receive(
    before: { readonly leased: Nano; readonly free: Nano },
    after: { readonly leased: Nano; readonly free: Nano },
  ): void {
    // A charge that was booked during the exchange, or is still pending, may hide a difference.
    const isExact = this.leased === before.leased && before.leased - before.free === this.held + this.free;
    this.#update({ leased: this.leased + after.leased - before.leased, free: this.free + after.free });
    if (isExact) this.#isUncertain = false;
  }

  /** The reply was lost. The next exchange with the store finds what is still leased. */
  markUncertain(offered: Nano): void {
    this.#isUncertain = true;
    this.#update({ leased: this.leased - offered });
  }

  /** Grants waiting requests in order while the money lasts. It skips only requests marked `isShort`. */
  serve(): void {
    for (let index = 0; ; ) {
      const next = this.waiting[index];
      if (!next || this.isClosed) return;
      if (next.amount <= this.free) {
        this.waiting.splice(index, 1);
        this.take(next.amount);
        next.granted(this);
      } else if (next.isShort) index += 1;
      else return;
    }
  }

  /** Removes a waiter. Returns false if it no longer waits. */
  leave(waiter: Waiter): boolean {
    const index = this.waiting.indexOf(waiter);
    if (index >= 0) this.waiting.splice(index, 1);
    return index >= 0;
  }

  get isEmpty(): boolean {
    return this.leased === 0n && this.held === 0n && this.waiting.length === 0 && !this.isUncertain;
  }

  /** Changes nothing unless the invariants hold afterwards: a violation could let money be spent twice. */
  #update({ leased = this.leased, free = this.free, held = this.held }: Partial<Record<BalancePart, Nano>>): void {
    assert(free >= 0n, 'the free amount is never negative');
    assert(held >= 0n, 'the held amount is never negative');
    assert(held + free <= leased, 'held and free together never exceed the lease');
    this.#leased = leased;
    this.#free = free;
    this.#held = held;
  }
}

type BalancePart = 'leased' | 'free' | 'held';

export interface Waiter {
  readonly amount: Nano;
  /** The last exchange with the store could not cover this request. */
  isShort: boolean;
  /** When a recall was sent to the peers while this request was already waiting. */
  recalledMs: number | undefined;
  /** Called once the amount is held in this lease. */
  granted(accountLease: AccountLease): void;
  refused(error: unknown): void;
}
