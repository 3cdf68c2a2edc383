import type { ChangeFeed } from '../../cluster/change-feed.ts';
import { assert } from '../../core/assert.ts';
import type { KeyCap } from '../../core/caller.ts';
import type { Clock } from '../../core/time/clock.ts';
import { GatewayError } from '../../core/gateway-error.ts';
import { decimalText, type Nano } from '../../core/money.ts';
import { type Deadline, whenOver } from '../../core/time/deadline.ts';
import type { Store } from '../../store/store.ts';
import { budgetName, budgetNamed, type KeyBudget, keyBudgets } from './key-budget.ts';
import { adjustingKeyLease } from './key-leases.ts';
import { Leasing } from '../wallet/leasing.ts';
import type { Membership } from '../recovery/membership.ts';
import type { AccountLease, Waiter } from '../wallet/account-lease.ts';

export interface SpendCapsParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly feed: Pick<ChangeFeed, 'publish'>;
  readonly membership: Membership;
  readonly onError: (error: unknown) => void;
}

/** The account and key of a request, and the spend cap of the key. */
export interface CappedKey {
  readonly accountId: string;
  readonly keyId: string;
  readonly cap: KeyCap;
}

/** Distinguishes recalls of key leases from recalls of account leases. */
const recallPrefix = 'spend ';

/**
 * Enforces the spend caps of keys across all processes. Each process leases part of a budget ahead of time, as with
 * account balances, so a recently used key needs no store access. A request is paid from the span in which it began,
 * whenever it ends.
 */
export class SpendCaps {
  readonly #parts: SpendCapsParts;
  readonly #leasing: Leasing;
  readonly #budgetOf = keyBudgets();
  readonly #open = new Set<CapShare>();

  constructor(parts: SpendCapsParts) {
    const { store, clock, feed, membership, onError } = parts;
    this.#parts = parts;
    this.#leasing = new Leasing({
      clock,
      membership,
      onError,
      funds: {
        adjust: ({ processId, accountId: budget }, wish) =>
          store.commit(adjustingKeyLease, { processId, budget, wish }),
        recall: (budget) => feed.publish(store.db, 'lease', recallPrefix + budgetNamed(budget).firstKeyId),
        refusal: (budget) => capReachedError(budgetNamed(budget)),
      },
    });
  }

  /**
   * Reserves an amount of the key's budget. Synchronous while the lease of this process covers it. Otherwise rejects
   * with `key-cap-reached`, or when the deadline ends, if the budget does not cover it.
   */
  reserve(key: CappedKey, amount: Nano, deadline: Deadline): CapShare | Promise<CapShare> {
    const at = this.#parts.clock.now();
    const budget = budgetName(this.#budgetOf(key, key.cap, at));
    const lease = this.#take(budget, amount, deadline);
    const opened = (accountLease: AccountLease): CapShare => {
      const share = new CapShare({ accountLease, share: amount, at, onEnd: (each) => this.#ended(each) });
      this.#open.add(share);
      return share;
    };
    return lease instanceof Promise ? lease.then(opened) : opened(lease);
  }

  /** Reserves more for a request, from the same budget. */
  async widen(share: CapShare, more: Nano, deadline: Deadline): Promise<void> {
    const accountLease = await this.#take(share.budget, more, deadline);
    if (share.grow(accountLease, more)) return;
    accountLease.release(more, 0n);
    this.#leasing.onFreed(accountLease);
    throw new GatewayError('overloaded');
  }

  /** Returns a part that the request was widened by and does not need. */
  narrow(share: CapShare, less: Nano): void {
    if (share.shrink(less)) this.#leasing.onFreed(share.accountLease);
  }

  /** Called when all leases are gone: reserves again for running requests. A request that gets nothing is aborted. */
  resetLeases(): void {
    const orphans = new Map<string, Waiter[]>();
    for (const share of this.#open) {
      if (!share.isNeeded) continue;
      const waiters = orphans.get(share.budget) ?? [];
      waiters.push(this.#orphan(share));
      orphans.set(share.budget, waiters);
    }
    this.#leasing.resetLeases(orphans);
  }

  /** Returns unused budget after a recall by a peer, or after a change of a key's limits. */
  onChange({ topic, subject }: { readonly topic: string; readonly subject: string }): void {
    const isRecall = topic === 'lease' && subject.startsWith(recallPrefix);
    if (!isRecall && topic !== 'key') return;
    const id = isRecall ? subject.slice(recallPrefix.length) : subject;
    this.#leasing.onRecalledWhere((budget) => {
      const { keyId, firstKeyId } = budgetNamed(budget);
      return id === '*' || id === firstKeyId || id === keyId;
    });
  }

  giveBackIdle(): Promise<void> {
    return this.#leasing.giveBackIdle();
  }

  stop(): Promise<void> {
    return this.#leasing.stop();
  }

  #take(budget: string, amount: Nano, deadline: Deadline): AccountLease | Promise<AccountLease> {
    const accountLease = this.#leasing.accountLease(budget);
    const isCovered =
      accountLease.waiting.length === 0 && accountLease.free >= amount && this.#parts.membership.canUseLeases;
    if (amount === 0n || isCovered) {
      accountLease.take(amount);
      return accountLease;
    }
    return new Promise((resolve, reject) => {
      this.#leasing.wait(
        accountLease,
        this.#waiter({ budget, amount, deadline }, { granted: resolve, refused: reject }),
      );
    });
  }

  #waiter(request: CapRequest, callbacks: Pick<Waiter, 'granted' | 'refused'>): Waiter {
    const { budget, amount, deadline } = request;
    const waiter: Waiter = {
      amount,
      isShort: false,
      recalledMs: undefined,
      granted(accountLease) {
        stop();
        callbacks.granted(accountLease);
      },
      refused(error) {
        stop();
        callbacks.refused(error);
      },
    };
    const stop = whenOver(this.#parts.clock, deadline, (error) => {
      if (this.#leasing.leave(budget, waiter)) callbacks.refused(error);
    });
    return waiter;
  }

  #orphan(share: CapShare): Waiter {
    const amount = share.stillDue;
    const deadline = { deadlineMs: this.#parts.clock.elapsed() + orphanTimeoutMs };
    return this.#waiter(
      { budget: share.budget, amount, deadline },
      {
        granted: (accountLease) => {
          if (!share.moveTo(accountLease, amount)) accountLease.release(amount, 0n);
        },
        refused: (error) => share.lose(error),
      },
    );
  }

  #ended(share: CapShare): void {
    this.#open.delete(share);
    this.#leasing.onFreed(share.accountLease);
  }
}

/** How long a running request waits for a new share after its lease was lost. */
const orphanTimeoutMs = 10_000;

interface CapRequest {
  readonly budget: string;
  readonly amount: Nano;
  readonly deadline: Deadline;
}

interface CapShareParts {
  readonly accountLease: AccountLease;
  readonly share: Nano;
  /** The time that selects the span of the budget. */
  readonly at: number;
  readonly onEnd: (share: CapShare) => void;
}

interface CapHold {
  /** The amount that recovery charged for its request. */
  readonly chargedBefore: () => Nano;
  /** Whether its request may still cost more. A pending charge already names its lease. */
  readonly isRunning: () => boolean;
  /** Called when the share is lost, with the reason why there is no other. */
  readonly lose: (error: unknown) => void;
}

/** The part of a key's budget that is reserved for a running request. */
export class CapShare {
  readonly at: number;
  readonly #parts: CapShareParts;
  #accountLease: AccountLease;
  #share: Nano;
  #hold: CapHold | undefined;
  #spent: Nano = 0n;
  #isOver = false;
  #lost: { readonly error: unknown } | undefined;

  constructor(parts: CapShareParts) {
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
  attachTo(hold: CapHold): void {
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
    this.#parts.onEnd(this);
  }

  /** Call this when the store has booked the charge against the key lease. */
  booked(): void {
    this.#accountLease.booked(this.#spent);
  }
}

function capReachedError({ cap, period, until }: KeyBudget): GatewayError {
  const [each] = period.split(' ');
  const when = until === undefined ? 'in total' : `per ${each}`;
  const wait = until === undefined ? '' : `, wait until it resets at ${new Date(until).toISOString()}`;
  const detail = `This key has a spend cap of ${decimalText(cap)} ${when}. The remainder is below the maximum cost of this request. Ask its owner to raise the cap${wait}, or lower max_tokens.`;
  return new GatewayError('key-cap-reached', { detail });
}
