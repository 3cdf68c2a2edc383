import type { Clock, Timer } from '../../core/time/clock.ts';
import { delay } from '../../core/time/delay.ts';
import { GatewayError } from 'chat-formats/gateway-error.ts';
import type { LeaseName, LeaseOutcome, LeaseRequest } from './wallet/leases.ts';
import type { Membership } from './recovery/membership.ts';
import { AccountLease, type Waiter } from './wallet/account-lease.ts';

/** The funds that processes lease: balances of accounts, or budgets of keys. Each has a name. */
export interface LeasedFunds {
  /** One exchange with the store about a lease. Resolves to `undefined` if the process has expired. */
  adjust(name: LeaseName, wish: LeaseRequest): Promise<LeaseOutcome | undefined>;
  /** Sends a recall: all processes return the money of this fund that they do not need. */
  recall(fund: string): Promise<void>;
  /** The error for a request that cannot be paid from it. */
  refusal(fund: string): GatewayError;
}

export interface LeasingParts {
  readonly funds: LeasedFunds;
  readonly clock: Clock;
  readonly membership: Pick<Membership, 'processId' | 'canUseLeases' | 'sendHeartbeat'>;
  readonly onError: (error: unknown) => void;
}

/** How long peers may take to return unused money. */
const recallMs = 1500;
/** Requests that arrive meanwhile share the next recall. */
const recallEveryMs = 500;
const pollMs = 100;
/** Retry interval while the store is unreachable. */
const storeRetryMs = 250;
const idleMs = 10_000;
const waitingMax = 10_000;
/** If a lease lasts less than this, the next one is made ahead of need, and larger each time. */
const shortLeaseMs = 1000;
const aheadMax = 32n;
/**
 * A multiple of the amount leased ahead. If less than that is free, more is leased. The store grants nine times the
 * amount if the balance allows.
 */
const lowWaterFactor = 4n;

/** Leases money from the store for waiting requests, and returns unused money. */
export class Leasing {
  readonly #parts: LeasingParts;
  #accountLeases = new Map<string, AccountLease>();
  /** Leases that wait before their next exchange. */
  readonly #pauses = new Map<AccountLease, { readonly timer: Timer; readonly over: () => void }>();

  readonly #exchanges = new Set<Promise<unknown>>();

  constructor(parts: LeasingParts) {
    this.#parts = parts;
  }

  accountLease(accountId: string): AccountLease {
    const accountLease = this.#accountLeases.get(accountId) ?? this.#newAccountLease(accountId);
    accountLease.lastUsedMs = this.#parts.clock.elapsed();
    return accountLease;
  }

  /** Appends a waiter. Refuses it at once if 10,000 wait already. */
  wait(accountLease: AccountLease, waiter: Waiter): void {
    if (accountLease.waiting.length >= waitingMax) return waiter.refused(new GatewayError('overloaded'));
    accountLease.waiting.push(waiter);
    this.#wake(accountLease);
  }

  /** Removes a waiter, from the current lease of the account. Returns false if it no longer waits. */
  leave(accountId: string, waiter: Waiter): boolean {
    return this.#accountLeases.get(accountId)?.leave(waiter) ?? false;
  }

  /** Call this after money of a lease became free. */
  onFreed(accountLease: AccountLease): void {
    accountLease.serve();
    this.#giveBackIfRecalled(accountLease);
    if (accountLease.free < lowWaterFactor * accountLease.ahead * accountLease.lastTaken) this.#topUp(accountLease);
  }

  /** A peer recalled the unused money of this account. */
  onRecalled(accountId: string): void {
    const accountLease = this.#accountLeases.get(accountId);
    if (accountLease) this.#recall(accountLease);
  }

  /** A peer recalled unused money, but cannot name the fund. */
  onRecalledWhere(isMatch: (accountId: string) => boolean): void {
    for (const accountLease of this.#accountLeases.values())
      if (isMatch(accountLease.accountId)) this.#recall(accountLease);
  }

  #recall(accountLease: AccountLease): void {
    accountLease.recalledMs = this.#parts.clock.elapsed();
    this.#giveBackIfRecalled(accountLease);
  }

  async giveBackIdle(): Promise<void> {
    const idleSinceMs = this.#parts.clock.elapsed() - idleMs;
    for (const accountLease of this.#accountLeases.values()) {
      if (accountLease.isBusy || accountLease.waiting.length > 0 || accountLease.lastUsedMs > idleSinceMs) continue;
      if (accountLease.isEmpty) this.#accountLeases.delete(accountLease.accountId);
      else if (accountLease.free > 0n || accountLease.isUncertain)
        await this.#giveBack(accountLease).catch(this.#parts.onError);
    }
  }

  /**
   * Starts with new leases after this process registered under a new id: the old leases are gone. Waiting requests stay
   * in order, after the running requests that lost their money.
   */
  resetLeases(orphans: ReadonlyMap<string, readonly Waiter[]>): void {
    const old = this.#accountLeases;
    this.#accountLeases = new Map();
    for (const accountId of new Set([...orphans.keys(), ...old.keys()])) {
      const before = old.get(accountId);
      const waiting = [...(orphans.get(accountId) ?? []), ...(before?.waiting.splice(0) ?? [])];
      if (before) this.#close(before);
      if (waiting.length === 0) continue;
      const accountLease = this.accountLease(accountId);
      for (const waiter of waiting) Object.assign(waiter, { isShort: false, recalledMs: undefined });
      accountLease.waiting.push(...waiting);
      this.#wake(accountLease);
    }
  }

  /** Refuses all waiting requests. Resolves when no exchange is in progress. */
  async stop(): Promise<void> {
    for (const accountLease of this.#accountLeases.values()) {
      const waiting = accountLease.waiting.splice(0);
      this.#close(accountLease);
      for (const waiter of waiting) waiter.refused(new GatewayError('overloaded'));
    }
    this.#accountLeases.clear();
    await Promise.allSettled(this.#exchanges);
  }

  #newAccountLease(accountId: string): AccountLease {
    const accountLease = new AccountLease(accountId, this.#parts.membership.processId);
    this.#accountLeases.set(accountId, accountLease);
    return accountLease;
  }

  #close(accountLease: AccountLease): void {
    accountLease.close();
    this.#endPause(accountLease);
  }

  #wake(accountLease: AccountLease): void {
    if (accountLease.isBusy) this.#endPause(accountLease);
    else void this.#refill(accountLease);
  }

  /** Leases more before the lease is used up, so that no request has to wait. The free money stays usable meanwhile. */
  #topUp(accountLease: AccountLease): void {
    if (
      accountLease.isBusy ||
      accountLease.isClosed ||
      !this.#parts.membership.canUseLeases ||
      this.#isRecalled(accountLease)
    )
      return;
    accountLease.isBusy = true;
    const { leased, ahead, lastTaken } = accountLease;
    this.#exchange(accountLease, { leased, free: 0n, amounts: [ahead * lastTaken], spare: 'keep' })
      .then((outcome) => {
        // If there is nothing to lease ahead, stop until a request needs money.
        if (outcome?.isPaid[0] !== true) accountLease.ahead = 0n;
      })
      .catch((error: unknown) => {
        accountLease.ahead = 0n;
        this.#parts.onError(error);
      })
      .finally(() => this.#finishExchange(accountLease));
  }

  /** Exchanges with the store until every waiting request is granted, refused or gone. */
  async #refill(accountLease: AccountLease): Promise<void> {
    const { clock, membership, onError } = this.#parts;
    accountLease.isBusy = true;
    for (let isStoreAway = false; accountLease.waiting.length > 0; ) {
      try {
        // One heartbeat checks for all waiting requests whether the store is back.
        if (isStoreAway || !membership.canUseLeases) await membership.sendHeartbeat();
        isStoreAway = false;
        await this.#refillOnce(accountLease);
      } catch (error) {
        isStoreAway = true;
        onError(error);
        await delay(clock, storeRetryMs);
      }
    }
    this.#finishExchange(accountLease);
  }

  /** One exchange for all waiting requests. Grants those that are covered and refuses those that cannot be. */
  async #refillOnce(accountLease: AccountLease): Promise<void> {
    accountLease.serve();
    const batch = [...accountLease.waiting];
    if (batch.length === 0) return;
    const outcome = await this.#adjust(accountLease, batch);
    if (!outcome || accountLease.isClosed) return;
    for (const [index, waiter] of batch.entries()) waiter.isShort = !outcome.isPaid[index];
    accountLease.serve();
    const still = new Set(accountLease.waiting);
    const short = batch.filter((waiter) => waiter.isShort && still.has(waiter));
    const nowMs = this.#parts.clock.elapsed();
    const inReach = accountLease.free + outcome.available;
    let isRetryUseful = short.length === 0 || hasNewWaiters(accountLease, batch);
    for (const waiter of short) {
      if (waiter.amount <= inReach) isRetryUseful = true;
      else if (waiter.amount > inReach + outcome.elsewhere || hasWaitedForPeers(waiter, nowMs)) {
        if (accountLease.leave(waiter)) waiter.refused(this.#parts.funds.refusal(accountLease.accountId));
      }
    }
    if (isRetryUseful) return;
    await this.#recallFromPeers(accountLease);
    if (accountLease.waiting.length > 0) await this.#pause(accountLease);
  }

  /** One recall covers all requests that wait when it is sent. */
  async #recallFromPeers(accountLease: AccountLease): Promise<void> {
    const { clock, funds } = this.#parts;
    const unanswered = accountLease.waiting.filter(({ isShort, recalledMs }) => isShort && recalledMs === undefined);
    if (unanswered.length === 0 || clock.elapsed() - accountLease.recallSentMs < recallEveryMs) return;
    await funds.recall(accountLease.accountId);
    accountLease.recallSentMs = clock.elapsed();
    for (const waiter of unanswered) waiter.recalledMs = accountLease.recallSentMs;
  }

  #giveBackIfRecalled(accountLease: AccountLease): void {
    if (accountLease.isBusy || accountLease.isClosed || accountLease.waiting.length > 0 || accountLease.free === 0n)
      return;
    if (this.#isRecalled(accountLease)) void this.#giveBack(accountLease).catch(this.#parts.onError);
  }

  async #giveBack(accountLease: AccountLease): Promise<void> {
    accountLease.isBusy = true;
    try {
      await this.#adjust(accountLease, []);
    } finally {
      this.#finishExchange(accountLease);
    }
  }

  /** No await between the last check of `waiting` and this call, so a new waiter always sees `isBusy === false`. */
  #finishExchange(accountLease: AccountLease): void {
    accountLease.isBusy = false;
    if (accountLease.isClosed) return;
    if (accountLease.waiting.length > 0) void this.#refill(accountLease);
    else this.#giveBackIfRecalled(accountLease);
  }

  /** Exchanges all free money with the store, for the given waiters or to return it. */
  #adjust(accountLease: AccountLease, batch: readonly Waiter[]): Promise<LeaseOutcome | undefined> {
    const spare = batch.length === 0 || this.#isRecalled(accountLease) ? 'give-back' : 'keep';
    return this.#exchange(accountLease, {
      leased: accountLease.leased,
      free: accountLease.offer(),
      amounts: batch.map(({ amount }) => amount),
      spare,
    });
  }

  /** One exchange with the store about this lease. Resolves to `undefined` if the process has expired. */
  async #exchange(accountLease: AccountLease, wish: LeaseRequest): Promise<LeaseOutcome | undefined> {
    const { funds, membership } = this.#parts;
    const { accountId, processId } = accountLease;
    if (wish.spare === 'keep') this.#adjustAhead(accountLease);
    const exchange = funds.adjust({ processId, accountId }, wish);
    this.#exchanges.add(exchange);
    let outcome: LeaseOutcome | undefined;
    try {
      outcome = await exchange;
    } catch (error) {
      accountLease.markUncertain(wish.free);
      throw error;
    } finally {
      this.#exchanges.delete(exchange);
    }
    if (outcome) accountLease.receive(wish, outcome);
    else await membership.sendHeartbeat();
    return outcome;
  }

  #adjustAhead(accountLease: AccountLease): void {
    const nowMs = this.#parts.clock.elapsed();
    const isSoon = nowMs - accountLease.leasedMoreMs < shortLeaseMs;
    accountLease.leasedMoreMs = nowMs;
    if (isSoon) accountLease.ahead = min(accountLease.ahead === 0n ? 1n : 2n * accountLease.ahead, aheadMax);
    else accountLease.ahead /= 2n;
  }

  #isRecalled(accountLease: AccountLease): boolean {
    return this.#parts.clock.elapsed() - accountLease.recalledMs < recallMs;
  }

  /** Ends early when a new waiter arrives. */
  #pause(accountLease: AccountLease): Promise<void> {
    if (accountLease.isClosed) return Promise.resolve();
    return new Promise((resolve) => {
      const over = (): void => {
        this.#pauses.delete(accountLease);
        resolve();
      };
      this.#pauses.set(accountLease, { timer: this.#parts.clock.after(pollMs, over), over });
    });
  }

  #endPause(accountLease: AccountLease): void {
    const pause = this.#pauses.get(accountLease);
    this.#parts.clock.cancel(pause?.timer);
    pause?.over();
  }
}

function min(one: bigint, other: bigint): bigint {
  return one < other ? one : other;
}

function hasNewWaiters({ waiting }: AccountLease, batch: readonly Waiter[]): boolean {
  const last = waiting.at(-1);
  return last !== undefined && !batch.includes(last);
}

function hasWaitedForPeers({ recalledMs }: Waiter, nowMs: number): boolean {
  return recalledMs !== undefined && nowMs - recalledMs >= recallMs;
}
