import { assert } from '../core/assert.ts';
import type { Nano } from '../core/money.ts';

/**
 * What this process has set aside of one account's money under one name, and who waits for more of it. When the process
 * was taken for dead and goes on under another name, the account lease is closed: what was promised from it goes back to nobody.
 */
export class AccountLease {
  readonly accountId: string;
  readonly processId: string;
  /** Set aside in the store, as far as is known here. What is neither free nor held is spent, and not yet booked. */
  leased: Nano = 0n;
  /** Set aside and not promised to any request. */
  free: Nano = 0n;
  /** Promised to running requests. */
  held: Nano = 0n;
  lastUsedMs = 0;
  /** What the last request took. */
  lastTaken: Nano = 0n;
  /** When the store was last asked for more, and how far ahead of need that is done now: not at all while it is rare. */
  askedMs = Number.NEGATIVE_INFINITY;
  ahead = 0n;
  /** In the order they came. */
  readonly waiting: Waiter[] = [];
  /** The store is being asked about this account lease: one thing at a time. */
  isBusy = false;
  /** The store did not say whether it did what it was asked to: more may be set aside than is known here. */
  isUncertain = false;
  isClosed = false;
  /** When another process last asked for what is not needed here. */
  recalledMs = Number.NEGATIVE_INFINITY;
  /** When this process last asked the others. */
  askedOthersMs = Number.NEGATIVE_INFINITY;

  constructor(accountId: string, processId: string) {
    this.accountId = accountId;
    this.processId = processId;
  }

  take(amount: Nano): void {
    assert(amount >= 0n && amount <= this.free, 'no more is held than is free');
    this.#become({ free: this.free - amount, held: this.held + amount });
    this.lastTaken = amount;
  }

  /** A request is over: what it did not spend may serve another. What it did spend stays set aside until it is booked. */
  release(amount: Nano, spent: Nano): void {
    assert(spent >= 0n && spent <= amount && amount <= this.held, 'no more is released than was held');
    this.#become({ held: this.held - amount, free: this.free + amount - spent });
  }

  /** The store has taken a charge from what is set aside. */
  booked(spent: Nano): void {
    this.#become({ leased: this.leased - spent });
  }

  /** Hands over what is free, to be disposed of with the store. Until `receive` or `doubt` none of it can be promised. */
  offer(): Nano {
    const { free } = this;
    this.#become({ free: 0n });
    return free;
  }

  /** The store has disposed of it: of what was known to be set aside before, and of what was offered of that. */
  receive(
    before: { readonly leased: Nano; readonly free: Nano },
    after: { readonly leased: Nano; readonly free: Nano },
  ): void {
    // A charge that was booked meanwhile, or is on its way, may have hidden something.
    const isExact = this.leased === before.leased && before.leased - before.free === this.held + this.free;
    this.#become({ leased: this.leased + after.leased - before.leased, free: this.free + after.free });
    if (isExact) this.isUncertain = false;
  }

  /** Nobody knows what became of what was offered. Whatever is still ours, the next look at the store finds. */
  doubt(offered: Nano): void {
    this.isUncertain = true;
    this.#become({ leased: this.leased - offered });
  }

  /** Serves those who wait, in order, as far as the money goes; only who was found not payable may be passed. */
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

  /** Takes one out of the line; false when it is not in it any more. */
  leave(waiter: Waiter): boolean {
    const index = this.waiting.indexOf(waiter);
    if (index >= 0) this.waiting.splice(index, 1);
    return index >= 0;
  }

  get isEmpty(): boolean {
    return this.leased === 0n && this.held === 0n && this.waiting.length === 0 && !this.isUncertain;
  }

  /** Changes nothing unless the rules hold afterwards: a broken one must not let money be spent twice. */
  #become({ leased = this.leased, free = this.free, held = this.held }: Partial<Record<BalancePart, Nano>>): void {
    assert(free >= 0n, 'what is free is never below nothing');
    assert(held >= 0n, 'what is held is never below nothing');
    assert(held + free <= leased, 'no more is held and free than is set aside');
    this.leased = leased;
    this.free = free;
    this.held = held;
  }
}

type BalancePart = 'leased' | 'free' | 'held';

/** A request that waits for money. */
export interface Waiter {
  readonly amount: Nano;
  /** The last look at the store found nothing to pay it with. */
  isShort: boolean;
  /** When the others were asked to give back what they do not need, and this one was waiting already. */
  recalledMs: number | undefined;
  /** The amount is held in this account lease now. */
  granted(accountLease: AccountLease): void;
  refused(error: unknown): void;
}
