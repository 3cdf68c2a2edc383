import { assert } from 'chat-formats/assert.ts';
import type { Nano } from '../../../core/money.ts';
import type { AccountLease } from '../wallet/account-lease.ts';

interface BudgetShareParts {
  readonly accountLease: AccountLease;
  readonly share: Nano;
  /** The time that selects the span of the budget. */
  readonly at: number;
  /** Called at the end, and again if the store then did not charge all that was spent: its lease has free money. */
  readonly onFreed: (share: BudgetShare) => void;
}

interface SharingHold {
  /** The amount that recovery charged for its request. */
  readonly chargedBefore: () => Nano;
  /** Whether its request may still cost more. A pending charge already names its lease. */
  readonly isRunning: () => boolean;
  /** Called when the share is lost, with the reason why there is no other. */
  readonly lose: (error: unknown) => void;
}

/** The part of a budget that is reserved for a running request. */
export class BudgetShare {
  readonly at: number;
  readonly #parts: BudgetShareParts;
  #accountLease: AccountLease;
  #share: Nano;
  #hold: SharingHold | undefined;
  #spent: Nano = 0n;
  #isOver = false;
  #lost: { readonly error: unknown } | undefined;

  constructor(parts: BudgetShareParts) {
    this.#parts = parts;
    this.at = parts.at;
    this.#accountLease = parts.accountLease;
    this.#share = parts.share;
  }

  get accountLease(): AccountLease {
    return this.#accountLease;
  }

  get budget(): string {
    return this.#accountLease.accountId;
  }

  /** The amount that the request may still need. */
  get stillDue(): Nano {
    const charged = this.#hold?.chargedBefore() ?? 0n;
    return this.#share > charged ? this.#share - charged : 0n;
  }

  /** Whether the share must be replaced if it is lost. */
  get isNeeded(): boolean {
    return this.#hold?.isRunning() ?? true;
  }

  /** The share may be lost already: its request waited for the account's money after the reservation. */
  attachTo(hold: SharingHold): void {
    this.#hold = hold;
    if (this.#lost) hold.lose(this.#lost.error);
  }

  grow(accountLease: AccountLease, more: Nano): boolean {
    if (this.#isOver || (this.#share > 0n && accountLease !== this.#accountLease)) return false;
    this.#accountLease = accountLease;
    this.#share += more;
    return true;
  }

  /**
   * Returns false if the request is over and has released all of it. The part that recovery has charged is no longer in
   * the share.
   */
  shrink(less: Nano): boolean {
    if (this.#isOver) return false;
    const released = less < this.#share ? less : this.#share;
    this.#share -= released;
    this.#accountLease.release(released, 0n);
    return true;
  }

  /** Returns false if the request is over. */
  moveTo(accountLease: AccountLease, share: Nano): boolean {
    if (this.#isOver) return false;
    assert(this.#accountLease.isClosed, 'a share has one account lease at a time');
    [this.#accountLease, this.#share] = [accountLease, share];
    return true;
  }

  /** Call this if the share is lost and cannot be replaced. */
  lose(error: unknown): void {
    if (this.#isOver) return;
    this.#lost = { error };
    this.#hold?.lose(error);
  }

  /** Ends the share. `due` is the cost that is not charged yet; the unspent part becomes free. */
  end(due: Nano): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#hold = undefined;
    this.#spent = due <= 0n ? 0n : due < this.#share ? due : this.#share;
    this.#accountLease.release(this.#share, this.#spent);
    this.#parts.onFreed(this);
  }

  /** Call this when the store has booked the charge against the lease of the budget. */
  booked(stillLeased: Nano): void {
    this.#accountLease.booked(this.#spent, stillLeased);
    if (stillLeased > 0n) this.#parts.onFreed(this);
  }
}
