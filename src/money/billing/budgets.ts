import type { ChangeFeed } from '../../platform/cluster/change-feed.ts';
import type { SpendLimit } from '../../core/caller.ts';
import type { Clock } from '../../core/time/clock.ts';
import { GatewayError } from 'chat-formats/gateway-error.ts';
import type { Nano } from '../../core/money.ts';
import { type Deadline, whenOver } from '../../core/time/deadline.ts';
import type { Store } from '../../platform/store/store.ts';
import type { Membership } from './recovery/membership.ts';
import type { AccountLease, Waiter } from './wallet/account-lease.ts';
import { Leasing } from './leasing.ts';
import { budgetName, budgetNamed, budgetsOfLimits } from './budgets/budget.ts';
import { adjustBudgetLease } from './budgets/budget-leases.ts';
import { BudgetShare } from './budgets/budget-share.ts';
import { limitReachedError } from './budgets/limit-reached.ts';

export interface BudgetsParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly feed: Pick<ChangeFeed, 'publish'>;
  readonly membership: Membership;
  readonly onError: (error: unknown) => void;
}

/** The account of a request, and the limits that it must keep. */
export interface LimitedRequest {
  readonly accountId: string;
  readonly limits: readonly SpendLimit[];
}

/** Distinguishes recalls of budget leases from recalls of account leases. */
const recallPrefix = 'spend ';

/**
 * Enforces limits on spend across all processes. Each process leases part of a budget ahead of time, as with account
 * balances, so a recently used key needs no store access. A request is paid from the span in which it began, whenever it
 * ends.
 */
export class Budgets {
  readonly #parts: BudgetsParts;
  readonly #leasing: Leasing;
  readonly #budgetsOf = budgetsOfLimits();
  readonly #open = new Set<BudgetShare>();

  constructor(parts: BudgetsParts) {
    const { store, clock, feed, membership, onError } = parts;
    this.#parts = parts;
    this.#leasing = new Leasing({
      clock,
      membership,
      onError,
      funds: {
        adjust: ({ processId, accountId: budget }, wish) =>
          store.commit(adjustBudgetLease, { at: clock.now(), processId, budget, wish }),
        recall: (budget) => feed.publish(store.db, 'lease', recallPrefix + budgetNamed(budget).subjectId),
        refusal: (budget) => limitReachedError(budgetNamed(budget)),
      },
    });
  }

  /**
   * Reserves an amount of every budget, in the order of the limits, or of none. Synchronous while the leases of this
   * process cover it. Otherwise rejects with `key-cap-reached` or `limit-reached`, or when the deadline ends, if a budget
   * does not cover it.
   */
  reserve(
    request: LimitedRequest,
    amount: Nano,
    deadline: Deadline,
  ): readonly BudgetShare[] | Promise<readonly BudgetShare[]> {
    return this.reserveNow(request, amount) ?? this.#reserveInTurn(request, amount, deadline);
  }

  /** The same, if it needs neither the store nor a wait. Otherwise it reserves nothing and returns `undefined`. */
  reserveNow(request: LimitedRequest, amount: Nano): readonly BudgetShare[] | undefined {
    const at = this.#parts.clock.now();
    const leases = this.#namesOf(request, at).map((name) => this.#leasing.accountLease(name));
    if (!leases.every((accountLease) => this.#isCovered(accountLease, amount))) return undefined;
    return leases.map((accountLease) => {
      accountLease.take(amount);
      return this.#opened(accountLease, amount, at);
    });
  }

  /** While a request waits for one budget, it keeps what it has reserved of those before. */
  async #reserveInTurn(request: LimitedRequest, amount: Nano, deadline: Deadline): Promise<readonly BudgetShare[]> {
    const at = this.#parts.clock.now();
    const shares: BudgetShare[] = [];
    try {
      for (const name of this.#namesOf(request, at)) {
        shares.push(this.#opened(await this.#take(name, amount, deadline), amount, at));
      }
    } catch (error) {
      for (const share of shares) share.end(0n);
      throw error;
    }
    return shares;
  }

  /** Reserves more for a request: of all its budgets or of none. */
  async widen(shares: readonly BudgetShare[], more: Nano, deadline: Deadline): Promise<void> {
    const widened: BudgetShare[] = [];
    try {
      for (const share of shares) {
        await this.#widen(share, more, deadline);
        widened.push(share);
      }
    } catch (error) {
      this.narrow(widened, more);
      throw error;
    }
  }

  /** Returns a part that the request was widened by and does not need. */
  narrow(shares: readonly BudgetShare[], less: Nano): void {
    for (const share of shares) if (share.shrink(less)) this.#leasing.onFreed(share.accountLease);
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

  /** Returns unused parts of budgets after a recall by a peer, or after a change of limits. */
  onChange({ topic, subject }: { readonly topic: string; readonly subject: string }): void {
    const isRecall = topic === 'lease' && subject.startsWith(recallPrefix);
    if (!isRecall && !limitTopics.has(topic)) return;
    const id = isRecall ? subject.slice(recallPrefix.length) : subject;
    this.#leasing.onRecalledWhere((budget) => {
      const { subjectId, accountId } = budgetNamed(budget);
      return id === '*' || id === subjectId || (!isRecall && id === accountId);
    });
  }

  giveBackIdle(): Promise<void> {
    return this.#leasing.giveBackIdle();
  }

  stop(): Promise<void> {
    return this.#leasing.stop();
  }

  #namesOf({ accountId, limits }: LimitedRequest, at: number): readonly string[] {
    return [...new Set(this.#budgetsOf(accountId, limits, at).map(budgetName))];
  }

  #isCovered(accountLease: AccountLease, amount: Nano): boolean {
    if (amount === 0n) return true;
    return accountLease.waiting.length === 0 && accountLease.free >= amount && this.#parts.membership.canUseLeases;
  }

  #opened(accountLease: AccountLease, amount: Nano, at: number): BudgetShare {
    const share = new BudgetShare({ accountLease, share: amount, at, onFreed: (each) => this.#freed(each) });
    this.#open.add(share);
    return share;
  }

  async #widen(share: BudgetShare, more: Nano, deadline: Deadline): Promise<void> {
    const accountLease = await this.#take(share.budget, more, deadline);
    if (share.grow(accountLease, more)) return;
    accountLease.release(more, 0n);
    this.#leasing.onFreed(accountLease);
    throw new GatewayError('overloaded');
  }

  #take(budget: string, amount: Nano, deadline: Deadline): AccountLease | Promise<AccountLease> {
    const accountLease = this.#leasing.accountLease(budget);
    if (this.#isCovered(accountLease, amount)) {
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

  #waiter(request: BudgetRequest, callbacks: Pick<Waiter, 'granted' | 'refused'>): Waiter {
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

  #orphan(share: BudgetShare): Waiter {
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

  #freed(share: BudgetShare): void {
    this.#open.delete(share);
    this.#leasing.onFreed(share.accountLease);
  }
}

/** Changes after which limits may be others. */
const limitTopics: ReadonlySet<string> = new Set(['key', 'account', 'organisation']);

/** How long a running request waits for a new share after its lease was lost. */
const orphanTimeoutMs = 10_000;

interface BudgetRequest {
  readonly budget: string;
  readonly amount: Nano;
  readonly deadline: Deadline;
}
