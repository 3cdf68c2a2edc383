import { assert } from 'chat-formats/assert.ts';
import type { SpendLimit } from '../../../core/caller.ts';
import type { LineOutcome } from '../../../core/line-outcome.ts';
import type { Nano } from '../../../core/money.ts';
import type { Deadline } from '../../../core/time/deadline.ts';
import type { AccountLease } from './account-lease.ts';
import type { Settlement } from '../ledger/charging.ts';

/** The account and request of a hold. */
export interface HoldName {
  readonly requestId: string;
  readonly accountId: string;
  readonly keyId: string;
  readonly priceVersion: string;
  /** The limits on its spend, if there are any. */
  readonly limits?: readonly SpendLimit[] | undefined;
}

/** Money reserved for one request. It is posted or voided once; a repeat changes nothing. */
export interface Hold {
  readonly amount: Nano;
  /** From now on checkpoints save this cost. If the process crashes, the last checkpoint is charged. */
  watch(costSoFar: () => Nano): void;
  /**
   * Called at most once, when the money is lost: this process expired and others spent it. The request must end with
   * that error, and be posted with its cost until then.
   */
  whenLost(callback: (error: Error) => void): void;
  /**
   * Raises the hold to this amount. Rejects as `hold` does if the money is not available; the existing hold then stays.
   */
  widen(amount: Nano, deadline?: Deadline): Promise<void>;
  /** From now on another price applies than at the start. */
  reprice(priceVersion: string): void;
  /**
   * Charges the cost. Resolves when the charge is durable. Rejects when it could not be charged in full. The reason
   * appears in the ledger; without one it is `request`. A second post with another cost violates an invariant. The
   * outcome of a batch line is written in the same commit, unless the cost is 0.
   */
  post(cost: Nano, reason?: string, line?: LineOutcome): Promise<void>;
  /** Ends the hold without a charge, unless it is posted. */
  void(): void;
}

export interface HoldParts {
  readonly at: number;
  /** The leases of the budgets that pay too. */
  readonly budgetLeases: () => Settlement['budgetLeases'];
  /**
   * Charges. `booked` is called as soon as the store has the charge, which may be long after it is durable. Its parameter
   * is the part that stays leased.
   */
  settle(charge: Settlement, booked: (stillLeased: Nano) => void): Promise<void>;
  /** Called once when the request is over. The unspent part of its funding is free. */
  onEnd(hold: OpenHold, funding: Funding, spent: Nano, cost: Nano): void;
  /** Called if money of the lease became free after the end, because the store did not charge it. */
  onFreed(accountLease: AccountLease): void;
  /** Gets more money for the hold and adds it with `grow`. */
  getMore(hold: OpenHold, amount: Nano, deadline: Deadline | undefined): Promise<void>;
  /** Called with an invariant violation, before the call that violated it rejects. */
  alarm(error: unknown): void;
}

/** The lease that pays for a hold. */
export interface Funding {
  readonly accountLease: AccountLease;
  /** The amount of that lease held for this request. */
  readonly share: Nano;
}

export class OpenHold implements Hold {
  readonly #parts: HoldParts;
  #name: HoldName;
  #amount: Nano;
  /** Whether the store may have a checkpoint of it. */
  hasCheckpoint = false;
  /** The cost in the last checkpoint. */
  checkpointCost: Nano = 0n;
  /** The amount that recovery charged for it after this process expired. */
  chargedBefore: Nano = 0n;
  #funding: Funding;
  #ending: { readonly cost: Nano; readonly charged: Promise<void> } | undefined;
  #isOver = false;
  #costSoFar: (() => Nano) | undefined;
  #onLost: ((error: Error) => void) | undefined;
  #lostError: Error | undefined;

  constructor(name: HoldName, amount: Nano, accountLease: AccountLease, parts: HoldParts) {
    this.#name = name;
    this.#amount = amount;
    this.#parts = parts;
    this.#funding = { accountLease, share: amount };
  }

  get name(): HoldName {
    return this.#name;
  }

  get amount(): Nano {
    return this.#amount;
  }

  /** When the money was reserved. This time selects the span of a renewing cap. */
  get at(): number {
    return this.#parts.at;
  }

  /** Whether the hold is neither posted nor voided. */
  get isRunning(): boolean {
    return this.#ending === undefined;
  }

  get costSoFar(): Nano {
    return this.#ending ? 0n : (this.#costSoFar?.() ?? 0n);
  }

  watch(costSoFar: () => Nano): void {
    this.#costSoFar = costSoFar;
  }

  whenLost(callback: (error: Error) => void): void {
    this.#onLost = callback;
    if (this.#lostError) callback(this.#lostError);
  }

  /** Moves the hold to a new lease after its old one was closed. */
  moveTo(accountLease: AccountLease, share: Nano): void {
    assert(this.#funding.accountLease.isClosed, 'a hold has one account lease at a time');
    this.#funding = { accountLease, share };
  }

  async widen(amount: Nano, deadline?: Deadline): Promise<void> {
    if (amount > this.#amount) await this.#parts.getMore(this, amount - this.#amount, deadline);
  }

  /** Adds to the hold. Returns false if the hold is over or lost, or if another lease pays for it. */
  grow(accountLease: AccountLease, more: Nano): boolean {
    const { accountLease: before, share } = this.#funding;
    if (!this.isRunning || this.#lostError || (share > 0n && before !== accountLease)) return false;
    this.#funding = { accountLease, share: share + more };
    this.#amount += more;
    return true;
  }

  reprice(priceVersion: string): void {
    assert(this.isRunning, 'the price of a finished request cannot change');
    this.#name = { ...this.#name, priceVersion };
  }

  lose(error: Error): void {
    if (this.#ending || this.#lostError) return;
    this.#lostError = error;
    this.#onLost?.(error);
  }

  post(cost: Nano, reason?: string, line?: LineOutcome): Promise<void> {
    try {
      assert(cost >= 0n, 'a charge is never negative');
      assert(this.#ending === undefined || this.#ending.cost === cost, 'a hold is posted with one cost');
    } catch (error) {
      this.#parts.alarm(error);
      return Promise.reject(error);
    }
    this.#ending ??= { cost, charged: this.#charge(cost, reason, line) };
    return this.#ending.charged;
  }

  void(): void {
    this.#ending ??= { cost: 0n, charged: this.#charge(0n) };
    // The caller does not wait: a void needs no confirmation from the store.
    this.#ending.charged.catch(() => undefined);
  }

  async #charge(cost: Nano, reason?: string, line?: LineOutcome): Promise<void> {
    const funding = this.#funding;
    if (cost === 0n) return this.#cancel(funding);
    const spent = spentOf(funding.share, cost - this.chargedBefore);
    const booked = (stillLeased: Nano): void => {
      this.#end(funding, spent, cost);
      funding.accountLease.booked(spent, stillLeased);
      if (stillLeased > 0n) this.#parts.onFreed(funding.accountLease);
    };
    try {
      const settlement = this.#settlement(cost, funding, reason);
      await this.#parts.settle(line ? { ...settlement, line } : settlement, booked);
    } finally {
      this.#end(funding, spent, cost);
    }
  }

  /** Deletes the checkpoint too: otherwise recovery would charge it. */
  async #cancel(funding: Funding): Promise<void> {
    this.#end(funding, 0n, 0n);
    if (this.hasCheckpoint) await this.#parts.settle(this.#settlement(0n, funding), () => {});
  }

  #end(funding: Funding, spent: Nano, cost: Nano): void {
    if (this.#isOver) return;
    this.#isOver = true;
    // The charge may stay pending for long. Drop these references, which retain the request and its answer.
    this.#costSoFar = undefined;
    this.#onLost = undefined;
    this.#parts.onEnd(this, funding, spent, cost);
  }

  #settlement(cost: Nano, { accountLease }: Funding, reason = 'request'): Settlement {
    const { requestId, accountId, keyId, priceVersion } = this.name;
    const name = { requestId, accountId, keyId, priceVersion, processId: accountLease.processId };
    const budgetLeases = this.#parts.budgetLeases();
    return {
      ...name,
      held: this.amount,
      cost,
      by: 'gateway',
      reason,
      at: this.at,
      ...(budgetLeases && { budgetLeases }),
    };
  }
}

function spentOf(share: Nano, due: Nano): Nano {
  if (due <= 0n) return 0n;
  return due < share ? due : share;
}
