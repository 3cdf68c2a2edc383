import type { Clock, Timer } from '../core/clock.ts';
import { delay } from '../core/delay.ts';
import { GatewayError } from '../core/gateway-error.ts';
import type { LeaseName, LeaseOutcome, LeaseWish } from './leases.ts';
import type { Membership } from './membership.ts';
import { AccountLease, type Waiter } from './account-lease.ts';

/** What money is set aside of: accounts, or what keys may spend. Each such sum has a name. */
export interface LeasedSums {
  /** One exchange with the store over what a process has set aside; nothing when it was taken for dead. */
  adjust(name: LeaseName, wish: LeaseWish): Promise<LeaseOutcome | undefined>;
  /** Asks all processes to give back what they do not need of it. */
  recall(sum: string): Promise<void>;
  /** Why somebody cannot be paid from it. */
  refusal(sum: string): GatewayError;
}

export interface LeasingParts {
  readonly sums: LeasedSums;
  readonly clock: Clock;
  readonly membership: Pick<Membership, 'processId' | 'isHeardOf' | 'stay'>;
  readonly onError: (error: unknown) => void;
}

/** How long other processes may take to give back what they do not need. */
const recallMs = 1500;
/** Those who come meanwhile share the next request to the others. */
const recallEveryMs = 500;
const pollMs = 100;
/** A store that is away is asked again after so long. */
const awayPauseMs = 250;
const idleMs = 10_000;
const waitingMax = 10_000;
/** Money that lasts shorter than this is asked for before it is needed, each time for more of it. */
const lastsMs = 1000;
const aheadMax = 32n;
/** Times what is asked for ahead: with less than that at hand it is asked for. The store gives nine times as much where there is plenty. */
const lowMark = 4n;

/** Gets money from the store for those who wait for it, and gives back what nobody needs. */
export class Leasing {
  readonly #parts: LeasingParts;
  #accountLeases = new Map<string, AccountLease>();
  /** Those that wait a moment before they look again. */
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

  /** Puts somebody at the end of the line. */
  wait(accountLease: AccountLease, waiter: Waiter): void {
    if (accountLease.waiting.length >= waitingMax) return waiter.refused(new GatewayError('overloaded'));
    accountLease.waiting.push(waiter);
    this.#wake(accountLease);
  }

  /** Takes somebody out of the line, under whichever name the process goes by now; false when nobody waits there any more. */
  leave(accountId: string, waiter: Waiter): boolean {
    return this.#accountLeases.get(accountId)?.leave(waiter) ?? false;
  }

  /** Something came free in an account lease. */
  freed(accountLease: AccountLease): void {
    accountLease.serve();
    this.#giveBackIfRecalled(accountLease);
    if (accountLease.free < lowMark * accountLease.ahead * accountLease.lastTaken) this.#topUp(accountLease);
  }

  /** Another process needs money of this account more than we do. */
  recalled(accountId: string): void {
    const accountLease = this.#accountLeases.get(accountId);
    if (accountLease) this.#recall(accountLease);
  }

  /** The same where whoever needs it cannot name the sum. */
  recalledWhere(isMeant: (accountId: string) => boolean): void {
    for (const accountLease of this.#accountLeases.values())
      if (isMeant(accountLease.accountId)) this.#recall(accountLease);
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
   * What was set aside under the old name is gone. Everybody who waits goes on waiting for money under the new one, in
   * their order behind those whose running requests were paid from the old.
   */
  startAnew(orphans: ReadonlyMap<string, readonly Waiter[]>): void {
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

  /** Nobody is served any more. Resolves when nothing is being asked of the store. */
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
    accountLease.isClosed = true;
    this.#endPause(accountLease);
  }

  #wake(accountLease: AccountLease): void {
    if (accountLease.isBusy) this.#endPause(accountLease);
    else void this.#refill(accountLease);
  }

  /** Gets more while there still is some, so that nobody has to wait for it. What is at hand stays there meanwhile. */
  #topUp(accountLease: AccountLease): void {
    if (
      accountLease.isBusy ||
      accountLease.isClosed ||
      !this.#parts.membership.isHeardOf ||
      this.#isRecalled(accountLease)
    )
      return;
    accountLease.isBusy = true;
    const { leased, ahead, lastTaken } = accountLease;
    this.#exchanged(accountLease, { leased, free: 0n, amounts: [ahead * lastTaken], spare: 'keep' })
      .then((outcome) => {
        // Who finds nothing to spare waits until somebody needs it.
        if (outcome?.isPaid[0] !== true) accountLease.ahead = 0n;
      })
      .catch((error: unknown) => {
        accountLease.ahead = 0n;
        this.#parts.onError(error);
      })
      .finally(() => this.#rest(accountLease));
  }

  /** Leases until everyone who waits is served, told no, or gone. */
  async #refill(accountLease: AccountLease): Promise<void> {
    const { clock, membership, onError } = this.#parts;
    accountLease.isBusy = true;
    for (let isAway = false; accountLease.waiting.length > 0; ) {
      try {
        // However many wait, one heartbeat finds out for all of them whether the store is back.
        if (isAway || !membership.isHeardOf) await membership.stay();
        isAway = false;
        await this.#lookOnce(accountLease);
      } catch (error) {
        isAway = true;
        onError(error);
        await delay(clock, awayPauseMs);
      }
    }
    this.#rest(accountLease);
  }

  /** Asks the store for everyone at once, serves whom that pays, and refuses who cannot be paid. */
  async #lookOnce(accountLease: AccountLease): Promise<void> {
    accountLease.serve();
    const asked = [...accountLease.waiting];
    if (asked.length === 0) return;
    const outcome = await this.#adjust(accountLease, asked);
    if (!outcome || accountLease.isClosed) return;
    for (const [index, waiter] of asked.entries()) waiter.isShort = !outcome.isPaid[index];
    accountLease.serve();
    const still = new Set(accountLease.waiting);
    const short = asked.filter((waiter) => waiter.isShort && still.has(waiter));
    const nowMs = this.#parts.clock.elapsed();
    const inReach = accountLease.free + outcome.available;
    let isWorthAnotherLook = short.length === 0 || hasNewcomers(accountLease, asked);
    for (const waiter of short) {
      if (waiter.amount <= inReach) isWorthAnotherLook = true;
      else if (waiter.amount > inReach + outcome.elsewhere || hasWaitedForOthers(waiter, nowMs)) {
        if (accountLease.leave(waiter)) waiter.refused(this.#parts.sums.refusal(accountLease.accountId));
      }
    }
    if (isWorthAnotherLook) return;
    await this.#askOthers(accountLease);
    if (accountLease.waiting.length > 0) await this.#pause(accountLease);
  }

  /** One request to the others is for all who wait when it is sent. */
  async #askOthers(accountLease: AccountLease): Promise<void> {
    const { clock, sums } = this.#parts;
    const unanswered = accountLease.waiting.filter(({ isShort, recalledMs }) => isShort && recalledMs === undefined);
    if (unanswered.length === 0 || clock.elapsed() - accountLease.askedOthersMs < recallEveryMs) return;
    await sums.recall(accountLease.accountId);
    accountLease.askedOthersMs = clock.elapsed();
    for (const waiter of unanswered) waiter.recalledMs = accountLease.askedOthersMs;
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
      this.#rest(accountLease);
    }
  }

  /** In the same breath as the last look at who waits: whoever comes from now on finds the account lease at rest. */
  #rest(accountLease: AccountLease): void {
    accountLease.isBusy = false;
    if (accountLease.isClosed) return;
    if (accountLease.waiting.length > 0) void this.#refill(accountLease);
    else this.#giveBackIfRecalled(accountLease);
  }

  /** Disposes of all that is free, for those who are asked for or for nobody. */
  #adjust(accountLease: AccountLease, asked: readonly Waiter[]): Promise<LeaseOutcome | undefined> {
    const spare = asked.length === 0 || this.#isRecalled(accountLease) ? 'give-back' : 'keep';
    return this.#exchanged(accountLease, {
      leased: accountLease.leased,
      free: accountLease.offer(),
      amounts: asked.map(({ amount }) => amount),
      spare,
    });
  }

  /** One exchange with the store over this account lease. Nothing comes of it when the process was taken for dead. */
  async #exchanged(accountLease: AccountLease, wish: LeaseWish): Promise<LeaseOutcome | undefined> {
    const { sums, membership } = this.#parts;
    const { accountId, processId } = accountLease;
    if (wish.spare === 'keep') this.#noteAsking(accountLease);
    const exchange = sums.adjust({ processId, accountId }, wish);
    this.#exchanges.add(exchange);
    let outcome: LeaseOutcome | undefined;
    try {
      outcome = await exchange;
    } catch (error) {
      accountLease.doubt(wish.free);
      throw error;
    } finally {
      this.#exchanges.delete(exchange);
    }
    if (outcome) accountLease.receive(wish, outcome);
    else await membership.stay();
    return outcome;
  }

  #noteAsking(accountLease: AccountLease): void {
    const nowMs = this.#parts.clock.elapsed();
    const isSoon = nowMs - accountLease.askedMs < lastsMs;
    accountLease.askedMs = nowMs;
    if (isSoon) accountLease.ahead = min(accountLease.ahead === 0n ? 1n : 2n * accountLease.ahead, aheadMax);
    else accountLease.ahead /= 2n;
  }

  #isRecalled(accountLease: AccountLease): boolean {
    return this.#parts.clock.elapsed() - accountLease.recalledMs < recallMs;
  }

  /** Ends early when somebody new comes. */
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

function hasNewcomers({ waiting }: AccountLease, asked: readonly Waiter[]): boolean {
  const last = waiting.at(-1);
  return last !== undefined && !asked.includes(last);
}

function hasWaitedForOthers({ recalledMs }: Waiter, nowMs: number): boolean {
  return recalledMs !== undefined && nowMs - recalledMs >= recallMs;
}
