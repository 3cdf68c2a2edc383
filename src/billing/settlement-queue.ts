import { InvariantViolation } from '../core/assert.ts';
import type { Clock } from '../core/clock.ts';
import { delay } from '../core/delay.ts';
import { type Failpoint, noFailpoint } from '../core/failpoint.ts';
import { GatewayError } from '../core/gateway-error.ts';
import type { Store } from '../store/store.ts';
import { isUnreachable } from '../store/unreachable.ts';
import { ChargeError } from './charge-error.ts';
import type { Settlement } from './charging.ts';
import type { Journal } from './journal.ts';
import { type ChargeOutcome, outcomeOf, RefusedCharges } from './refused-charges.ts';
import { settling } from './settle.ts';
import { settlementOf, JournalAck, type PendingCharge } from './journal-ack.ts';

/** Charges on their way to the store, several in one commit. */
export interface SettlementQueue {
  /**
   * Resolves when the charge is durable: in the store, or in the journal if many come at once or the store takes too long.
   * Rejects when the store has it and not all of it could be charged, and with `overloaded` when for too long nobody could
   * say whether it can be; it is charged all the same. `booked` is called as soon as the store has it.
   */
  push(settlement: Settlement, booked?: () => void): Promise<void>;
  /** Does something with the store while no charge is on its way there: before all charges that are pushed later. */
  inTurn(work: () => Promise<void>): Promise<void>;
  /** Resolves when the store has everything but what it refuses: that is in the journal, and tried at the next start. */
  flush(): Promise<void>;
  /** Resolves when the store has what waits, or has just failed to take it. */
  tried(): Promise<void>;
  /** Whether the store does not have everything of an account yet. */
  owes(accountId: string): boolean;
  /** Neither the store nor the disk takes a charge: what is begun now might never be charged. */
  readonly isStuck: boolean;
  /** How many charges the store does not have yet. */
  readonly pending: number;
}

export interface SettlementQueueOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly journal: () => Journal;
  readonly onError: (error: unknown) => void;
  /** Whether what was set aside for a charge is still ours for certain: otherwise only the store can tell that it is paid. */
  readonly isLeaseSure: (settlement: Settlement) => boolean;
  readonly failpoint?: Failpoint | undefined;
  /** Hears what the store has taken. */
  readonly booked?: ((settlements: readonly Settlement[]) => void) | undefined;
}

/**
 * A commit costs far more than a charge, so charges wait for company where there is some: each of the last batch gives
 * the next one so long to gather, from the last one's beginning on. A charge that comes alone goes at once.
 */
const gatherPerChargeMs = 2;
const gatherMaxMs = 15;
const batchMax = 100;
/**
 * Where the store is a file, a synced journal beside it is worth as much, at a tenth of what a commit costs. While so many
 * charges come within this time the journal lets their answers end, and the store gets all of that time in one batch.
 */
const acknowledgeFrom = 3;
const lingerMs = 80;
/** How long a client waits for the store before the journal has to do. */
const storeTimeoutMs = 2000;
const retryMaxMs = 2000;
/** So often a store that is there is offered the same charges before they are taken apart. */
const triesMax = 3;
/** While the store is away, newly finished requests go to disk this often. */
const journalEveryMs = 50;
/** A full disk stays full for a while. */
const diskRetryMs = 500;

export function settlementQueue(options: SettlementQueueOptions): SettlementQueue {
  return new BatchedSettlementQueue(options);
}

class BatchedSettlementQueue implements SettlementQueue {
  readonly #options: SettlementQueueOptions;
  readonly #waiting: PendingCharge[] = [];
  readonly #tasks: (() => Promise<void>)[] = [];
  #running: Promise<void> | undefined;
  /** The last batch of charges that somebody waited for, to the store or to the journal. */
  #last = { begunMs: Number.NEGATIVE_INFINITY, charges: 0 };
  /** When the last few charges came. */
  readonly #came: number[] = [];
  #isStoreSlow = false;
  #isDiskFailing = false;
  readonly #journalAck: JournalAck;
  readonly #refused: RefusedCharges;
  /** Those who want to find in the store what anybody was told of. */
  readonly #readers: (() => void)[] = [];
  #flushes = 0;
  /** Ends a pause early. */
  #wake = (): void => {};
  #isLingering = false;

  constructor(options: SettlementQueueOptions) {
    this.#options = options;
    this.#journalAck = new JournalAck(options);
    this.#refused = new RefusedCharges({ ...options, again: (charges) => this.#rejoin(charges) });
    options.store.beforeReads?.(() => this.#caughtUp());
  }

  get isStuck(): boolean {
    return this.#isDiskFailing;
  }

  get pending(): number {
    return this.#waiting.length + this.#refused.all.length;
  }

  owes(accountId: string): boolean {
    const isTheirs = ({ settlement }: PendingCharge): boolean => settlement.accountId === accountId;
    return this.#waiting.some(isTheirs) || this.#refused.all.some(isTheirs);
  }

  push(settlement: Settlement, booked = (): void => {}): Promise<void> {
    const { clock, journal } = this.#options;
    const sinceMs = clock.elapsed();
    if (this.#came.push(sinceMs) > acknowledgeFrom) this.#came.shift();
    return new Promise((safe, failed) => {
      const waiting = { settlement, journal: journal(), sinceMs, safe, failed, booked, isNoted: false, isSafe: false };
      this.#waiting.push(waiting);
      this.#journalAck.begin(waiting);
      this.#running ??= this.#run();
      if (this.#isLingering) this.#wake();
    });
  }

  inTurn(work: () => Promise<void>): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#tasks.push(() => work().then(resolve, reject));
      this.#running ??= this.#run();
      if (this.#isLingering) this.#wake();
    });
  }

  async flush(): Promise<void> {
    this.#flushes += 1;
    this.#wake();
    try {
      for (let pending = this.#running; pending; pending = this.#running) await pending;
    } finally {
      this.#flushes -= 1;
    }
    this.#refused.stop();
  }

  async tried(): Promise<void> {
    if (this.#waiting.length > 0) await this.#nextTry();
  }

  #rejoin(charges: readonly PendingCharge[]): void {
    this.#waiting.push(...charges);
    this.#running ??= this.#run();
  }

  /** Resolves when the store has what anybody was told of, or has just failed to take it: then it fails its reader too. */
  #caughtUp(): Promise<void> | undefined {
    return this.#waiting.some(({ isSafe }) => isSafe) ? this.#nextTry() : undefined;
  }

  #nextTry(): Promise<void> {
    return new Promise((resolve) => {
      this.#readers.push(resolve);
      this.#wake();
    });
  }

  #letRead(): void {
    for (const read of this.#readers.splice(0)) read();
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0 || this.#tasks.length > 0) {
      if (this.#tasks.length === 0) await this.#gather();
      if ((await this.#acknowledge()) && this.#mayLinger) {
        await this.#linger();
        continue;
      }
      const deadline = this.#options.clock.after(storeTimeoutMs, () => {
        this.#isStoreSlow = true;
        void this.#intoJournal();
      });
      await this.#tasks.shift()?.();
      if (this.#waiting.length > 0) await this.#commit(this.#waiting.slice(0, batchMax));
      this.#options.clock.cancel(deadline);
      this.#isStoreSlow = false;
    }
    this.#running = undefined;
  }

  async #gather(): Promise<void> {
    const untilMs = this.#last.begunMs + Math.min(gatherMaxMs, gatherPerChargeMs * this.#last.charges);
    const waitMs = untilMs - this.#options.clock.elapsed();
    if (waitMs > 0 && this.#waiting.length < batchMax && !this.#isHurried) await this.#pause(waitMs);
  }

  #pause(ms: number): Promise<void> {
    const { clock } = this.#options;
    return new Promise((resolve) => {
      const timer = clock.after(ms, resolve);
      this.#wake = () => {
        clock.cancel(timer);
        resolve();
      };
    });
  }

  /** Somebody waits until the store has everything. */
  get #isHurried(): boolean {
    return this.#readers.length > 0 || this.#flushes > 0;
  }

  /** Whether charges come so close together that one commit for several is worth waiting for. */
  get #isBusy(): boolean {
    const [first] = this.#came;
    return first !== undefined && this.#came.length === acknowledgeFrom && this.#agoMs(first) < lingerMs;
  }

  /** Whether what was acknowledged may wait for more company. */
  get #mayLinger(): boolean {
    const { length, 0: oldest } = this.#waiting;
    if (!oldest || length >= batchMax || this.#isHurried || this.#tasks.length > 0) return false;
    return this.#agoMs(oldest.sinceMs) < lingerMs;
  }

  /** Until another charge comes, somebody is in a hurry or the oldest charge has waited for long enough. */
  async #linger(): Promise<void> {
    const [oldest] = this.#waiting;
    // Whoever came while the journal was at work waits to be told.
    if (!oldest || this.#waiting.some(isFresh)) return;
    this.#isLingering = true;
    await this.#pause(lingerMs - this.#agoMs(oldest.sinceMs));
    this.#isLingering = false;
  }

  #begin(charges: number): void {
    this.#last = { begunMs: this.#options.clock.elapsed(), charges };
  }

  #agoMs(elapsedMs: number): number {
    return this.#options.clock.elapsed() - elapsedMs;
  }

  /** Lets the journal tell those who wait, if that is enough and worth it. */
  async #acknowledge(): Promise<boolean> {
    if (!this.#options.store.beforeReads || this.#isHurried || !this.#isBusy) return false;
    const fresh = this.#waiting.filter(isFresh);
    if (fresh.length === 0) return true;
    this.#begin(fresh.length);
    return this.#journalAck.acknowledge(fresh);
  }

  async #commit(batch: readonly PendingCharge[]): Promise<void> {
    this.#begin(batch.filter(isFresh).length);
    this.#journalAck.note();
    const outcome = await this.#outcome(batch);
    this.#isDiskFailing = false;
    this.#waiting.splice(0, batch.length);
    if (!this.#waiting.some(({ isSafe }) => isSafe)) this.#letRead();
    const taken = batch.filter((waiting) => !outcome.refused.has(waiting));
    this.#tell(taken.map(settlementOf));
    for (const waiting of taken) this.#settled(waiting, outcome);
    if (outcome.refused.size > 0) await this.#setAside(outcome.refused);
    await this.#journalAck.forget(taken).catch(this.#options.onError);
  }

  /** Tries until it works: a charge is never given up, and one that the store refuses keeps no other from it. */
  async #outcome(batch: readonly PendingCharge[]): Promise<ChargeOutcome> {
    const { clock, onError } = this.#options;
    let refusals = 0;
    for (let retryMs = 50; ; retryMs = Math.min(retryMs * 2, retryMaxMs)) {
      try {
        return refusals < triesMax ? await this.#settle(batch) : await this.#refused.sort(batch);
      } catch (error) {
        if (!isUnreachable(error)) refusals += 1;
        onError(error);
        this.#letRead();
        await delay(clock, retryMs);
      }
    }
  }

  async #settle(batch: readonly PendingCharge[]): Promise<ChargeOutcome> {
    const { store, failpoint = noFailpoint } = this.#options;
    failpoint('ledger.settling');
    const unsettled = await this.#beside(store.commitTogether(settling, batch.map(settlementOf)));
    failpoint('ledger.settled');
    return outcomeOf(batch, unsettled);
  }

  /** While the store is at work the journal acknowledges those who come. */
  async #beside<Result>(commit: Promise<Result>): Promise<Result> {
    if (!this.#options.store.beforeReads) return commit;
    const state = { isOver: false };
    const over = (): void => {
      state.isOver = true;
      this.#wake();
    };
    commit.then(over, over);
    while (!state.isOver && !this.#isHurried) {
      await this.#pause(gatherMaxMs);
      if (!state.isOver) await this.#acknowledge();
    }
    return commit;
  }

  /** Whoever listens to what was booked must not keep the charges behind it from being booked. */
  #tell(settlements: readonly Settlement[]): void {
    try {
      this.#options.booked?.(settlements);
    } catch (error) {
      this.#options.onError(error);
    }
  }

  #settled({ settlement, booked, safe, failed }: PendingCharge, { short }: ChargeOutcome): void {
    try {
      booked();
      const uncharged = short.get(settlement.requestId);
      if (uncharged === undefined) safe();
      else failed(moneyGone(uncharged));
    } catch (error) {
      failed(error);
    }
  }

  /** These stay in the journal, which has to do for those who wait. Where a rule of our own is at stake it cannot. */
  async #setAside(refused: ChargeOutcome['refused']): Promise<void> {
    const { onError } = this.#options;
    for (const [waiting, error] of refused) {
      this.#refused.keep(waiting, error);
      if (!(error instanceof InvariantViolation)) continue;
      onError(error);
      waiting.isSafe = true;
      waiting.failed(new GatewayError('internal-error', { cause: error }));
    }
    await this.#journalAck.standIn([...refused.keys()]).catch(onError);
  }

  /** Everything that waits goes to disk, and again whatever joined meanwhile, until the store answers. */
  async #intoJournal(): Promise<void> {
    try {
      await this.#journalAck.standIn(this.#waiting);
      this.#isDiskFailing = false;
    } catch (error) {
      this.#isDiskFailing = this.#isStoreSlow;
      this.#options.onError(error);
    }
    const againMs = this.#isDiskFailing ? diskRetryMs : journalEveryMs;
    if (this.#isStoreSlow) this.#options.clock.after(againMs, () => void this.#intoJournal()).unref();
  }
}

/** Whether somebody still waits to hear of it. */
function isFresh({ isSafe }: PendingCharge): boolean {
  return !isSafe;
}

/** What a request is told whose money was spent by others while this process was taken for dead, and how much of it is missing. */
export function moneyGone(uncharged = 0n): ChargeError {
  const detail =
    'The money set aside for this request had to be given back while it was running, and the balance no longer covers it. Top up the account, or ask again with a lower max_tokens.';
  return new ChargeError('insufficient-balance', { detail, uncharged });
}
