import type { Clock, Timer } from '../core/clock.ts';
import { delay } from '../core/delay.ts';
import { GatewayError } from '../core/gateway-error.ts';
import type { LeaseName, LeaseOutcome, LeaseWish } from './leases.ts';
import type { Life } from './life.ts';
import { Purse, type Waiter } from './purse.ts';

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
  readonly life: Pick<Life, 'processId' | 'isHeardOf' | 'stay'>;
  readonly onTrouble: (error: unknown) => void;
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
  #purses = new Map<string, Purse>();
  /** Those that wait a moment before they look again. */
  readonly #pauses = new Map<Purse, { readonly timer: Timer; readonly over: () => void }>();

  readonly #exchanges = new Set<Promise<unknown>>();

  constructor(parts: LeasingParts) {
    this.#parts = parts;
  }

  purse(accountId: string): Purse {
    const purse = this.#purses.get(accountId) ?? this.#newPurse(accountId);
    purse.lastUsedMs = this.#parts.clock.elapsed();
    return purse;
  }

  /** Puts somebody at the end of the line. */
  wait(purse: Purse, waiter: Waiter): void {
    if (purse.waiting.length >= waitingMax) return waiter.refused(new GatewayError('overloaded'));
    purse.waiting.push(waiter);
    this.#wake(purse);
  }

  /** Takes somebody out of the line, under whichever name the process goes by now; false when nobody waits there any more. */
  leave(accountId: string, waiter: Waiter): boolean {
    return this.#purses.get(accountId)?.leave(waiter) ?? false;
  }

  /** Something came free in a purse. */
  freed(purse: Purse): void {
    purse.serve();
    this.#giveBackIfRecalled(purse);
    if (purse.free < lowMark * purse.ahead * purse.lastTaken) this.#topUp(purse);
  }

  /** Another process needs money of this account more than we do. */
  recalled(accountId: string): void {
    const purse = this.#purses.get(accountId);
    if (purse) this.#recall(purse);
  }

  /** The same where whoever needs it cannot name the sum. */
  recalledWhere(isMeant: (accountId: string) => boolean): void {
    for (const purse of this.#purses.values()) if (isMeant(purse.accountId)) this.#recall(purse);
  }

  #recall(purse: Purse): void {
    purse.recalledMs = this.#parts.clock.elapsed();
    this.#giveBackIfRecalled(purse);
  }

  async giveBackIdle(): Promise<void> {
    const idleSinceMs = this.#parts.clock.elapsed() - idleMs;
    for (const purse of this.#purses.values()) {
      if (purse.isBusy || purse.waiting.length > 0 || purse.lastUsedMs > idleSinceMs) continue;
      if (purse.isEmpty) this.#purses.delete(purse.accountId);
      else if (purse.free > 0n || purse.isUncertain) await this.#giveBack(purse).catch(this.#parts.onTrouble);
    }
  }

  /**
   * What was set aside under the old name is gone. Everybody who waits goes on waiting for money under the new one, in
   * their order behind those whose running requests were paid from the old.
   */
  startAnew(orphans: ReadonlyMap<string, readonly Waiter[]>): void {
    const old = this.#purses;
    this.#purses = new Map();
    for (const accountId of new Set([...orphans.keys(), ...old.keys()])) {
      const before = old.get(accountId);
      const waiting = [...(orphans.get(accountId) ?? []), ...(before?.waiting.splice(0) ?? [])];
      if (before) this.#close(before);
      if (waiting.length === 0) continue;
      const purse = this.purse(accountId);
      for (const waiter of waiting) Object.assign(waiter, { isShort: false, recalledMs: undefined });
      purse.waiting.push(...waiting);
      this.#wake(purse);
    }
  }

  /** Nobody is served any more. Resolves when nothing is being asked of the store. */
  async stop(): Promise<void> {
    for (const purse of this.#purses.values()) {
      const waiting = purse.waiting.splice(0);
      this.#close(purse);
      for (const waiter of waiting) waiter.refused(new GatewayError('overloaded'));
    }
    this.#purses.clear();
    await Promise.allSettled(this.#exchanges);
  }

  #newPurse(accountId: string): Purse {
    const purse = new Purse(accountId, this.#parts.life.processId);
    this.#purses.set(accountId, purse);
    return purse;
  }

  #close(purse: Purse): void {
    purse.isClosed = true;
    this.#endPause(purse);
  }

  #wake(purse: Purse): void {
    if (purse.isBusy) this.#endPause(purse);
    else void this.#refill(purse);
  }

  /** Gets more while there still is some, so that nobody has to wait for it. What is at hand stays there meanwhile. */
  #topUp(purse: Purse): void {
    if (purse.isBusy || purse.isClosed || !this.#parts.life.isHeardOf || this.#isRecalled(purse)) return;
    purse.isBusy = true;
    const { leased, ahead, lastTaken } = purse;
    this.#exchanged(purse, { leased, free: 0n, amounts: [ahead * lastTaken], spare: 'keep' })
      .then((outcome) => {
        // Who finds nothing to spare waits until somebody needs it.
        if (outcome?.isPaid[0] !== true) purse.ahead = 0n;
      })
      .catch((error: unknown) => {
        purse.ahead = 0n;
        this.#parts.onTrouble(error);
      })
      .finally(() => this.#rest(purse));
  }

  /** Leases until everyone who waits is served, told no, or gone. */
  async #refill(purse: Purse): Promise<void> {
    const { clock, life, onTrouble } = this.#parts;
    purse.isBusy = true;
    for (let isAway = false; purse.waiting.length > 0; ) {
      try {
        // However many wait, one sign of life finds out for all of them whether the store is back.
        if (isAway || !life.isHeardOf) await life.stay();
        isAway = false;
        await this.#lookOnce(purse);
      } catch (error) {
        isAway = true;
        onTrouble(error);
        await delay(clock, awayPauseMs);
      }
    }
    this.#rest(purse);
  }

  /** Asks the store for everyone at once, serves whom that pays, and refuses who cannot be paid. */
  async #lookOnce(purse: Purse): Promise<void> {
    purse.serve();
    const asked = [...purse.waiting];
    if (asked.length === 0) return;
    const outcome = await this.#adjust(purse, asked);
    if (!outcome || purse.isClosed) return;
    for (const [index, waiter] of asked.entries()) waiter.isShort = !outcome.isPaid[index];
    purse.serve();
    const still = new Set(purse.waiting);
    const short = asked.filter((waiter) => waiter.isShort && still.has(waiter));
    const nowMs = this.#parts.clock.elapsed();
    const inReach = purse.free + outcome.available;
    let isWorthAnotherLook = short.length === 0 || hasNewcomers(purse, asked);
    for (const waiter of short) {
      if (waiter.amount <= inReach) isWorthAnotherLook = true;
      else if (waiter.amount > inReach + outcome.elsewhere || hasWaitedForOthers(waiter, nowMs)) {
        if (purse.leave(waiter)) waiter.refused(this.#parts.sums.refusal(purse.accountId));
      }
    }
    if (isWorthAnotherLook) return;
    await this.#askOthers(purse);
    if (purse.waiting.length > 0) await this.#pause(purse);
  }

  /** One request to the others is for all who wait when it is sent. */
  async #askOthers(purse: Purse): Promise<void> {
    const { clock, sums } = this.#parts;
    const unanswered = purse.waiting.filter(({ isShort, recalledMs }) => isShort && recalledMs === undefined);
    if (unanswered.length === 0 || clock.elapsed() - purse.askedOthersMs < recallEveryMs) return;
    await sums.recall(purse.accountId);
    purse.askedOthersMs = clock.elapsed();
    for (const waiter of unanswered) waiter.recalledMs = purse.askedOthersMs;
  }

  #giveBackIfRecalled(purse: Purse): void {
    if (purse.isBusy || purse.isClosed || purse.waiting.length > 0 || purse.free === 0n) return;
    if (this.#isRecalled(purse)) void this.#giveBack(purse).catch(this.#parts.onTrouble);
  }

  async #giveBack(purse: Purse): Promise<void> {
    purse.isBusy = true;
    try {
      await this.#adjust(purse, []);
    } finally {
      this.#rest(purse);
    }
  }

  /** In the same breath as the last look at who waits: whoever comes from now on finds the purse at rest. */
  #rest(purse: Purse): void {
    purse.isBusy = false;
    if (purse.isClosed) return;
    if (purse.waiting.length > 0) void this.#refill(purse);
    else this.#giveBackIfRecalled(purse);
  }

  /** Disposes of all that is free, for those who are asked for or for nobody. */
  #adjust(purse: Purse, asked: readonly Waiter[]): Promise<LeaseOutcome | undefined> {
    const spare = asked.length === 0 || this.#isRecalled(purse) ? 'give-back' : 'keep';
    return this.#exchanged(purse, {
      leased: purse.leased,
      free: purse.offer(),
      amounts: asked.map(({ amount }) => amount),
      spare,
    });
  }

  /** One exchange with the store over this purse. Nothing comes of it when the process was taken for dead. */
  async #exchanged(purse: Purse, wish: LeaseWish): Promise<LeaseOutcome | undefined> {
    const { sums, life } = this.#parts;
    const { accountId, processId } = purse;
    if (wish.spare === 'keep') this.#noteAsking(purse);
    const exchange = sums.adjust({ processId, accountId }, wish);
    this.#exchanges.add(exchange);
    let outcome: LeaseOutcome | undefined;
    try {
      outcome = await exchange;
    } catch (error) {
      purse.doubt(wish.free);
      throw error;
    } finally {
      this.#exchanges.delete(exchange);
    }
    if (outcome) purse.receive(wish, outcome);
    else await life.stay();
    return outcome;
  }

  #noteAsking(purse: Purse): void {
    const nowMs = this.#parts.clock.elapsed();
    const isSoon = nowMs - purse.askedMs < lastsMs;
    purse.askedMs = nowMs;
    if (isSoon) purse.ahead = min(purse.ahead === 0n ? 1n : 2n * purse.ahead, aheadMax);
    else purse.ahead /= 2n;
  }

  #isRecalled(purse: Purse): boolean {
    return this.#parts.clock.elapsed() - purse.recalledMs < recallMs;
  }

  /** Ends early when somebody new comes. */
  #pause(purse: Purse): Promise<void> {
    if (purse.isClosed) return Promise.resolve();
    return new Promise((resolve) => {
      const over = (): void => {
        this.#pauses.delete(purse);
        resolve();
      };
      this.#pauses.set(purse, { timer: this.#parts.clock.after(pollMs, over), over });
    });
  }

  #endPause(purse: Purse): void {
    const pause = this.#pauses.get(purse);
    this.#parts.clock.cancel(pause?.timer);
    pause?.over();
  }
}

function min(one: bigint, other: bigint): bigint {
  return one < other ? one : other;
}

function hasNewcomers({ waiting }: Purse, asked: readonly Waiter[]): boolean {
  const last = waiting.at(-1);
  return last !== undefined && !asked.includes(last);
}

function hasWaitedForOthers({ recalledMs }: Waiter, nowMs: number): boolean {
  return recalledMs !== undefined && nowMs - recalledMs >= recallMs;
}
