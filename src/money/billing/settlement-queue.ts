import { InvariantViolation } from 'chat-formats/assert.ts';
import type { Clock } from '../../core/time/clock.ts';
import { delay } from '../../core/time/delay.ts';
import { type Failpoint, noFailpoint } from '../../core/failpoint.ts';
import { GatewayError } from 'chat-formats/gateway-error.ts';
import { GroupCommitQueue } from '../../platform/store/group-commit-queue.ts';
import type { Store } from '../../platform/store/store.ts';
import { ChargeError } from './ledger/charge-error.ts';
import type { Settlement, UnsettledCharges } from './ledger/charging.ts';
import type { Journal } from './recovery/journal.ts';
import { DeadLetterCharges } from './recovery/dead-letter-charges.ts';
import { settleCharges } from './settle.ts';
import { settlementOf, JournalAck, type PendingCharge } from './recovery/journal-ack.ts';

export interface SettlementQueueOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly journal: () => Journal;
  readonly onError: (error: unknown) => void;
  /**
   * Whether this process certainly still owns the lease that pays. If not, only the store can confirm that the charge
   * is paid.
   */
  readonly isLeaseCertain: (settlement: Settlement) => boolean;
  readonly failpoint?: Failpoint | undefined;
  /** Called with the charges that the store has booked. */
  readonly booked?: ((settlements: readonly Settlement[]) => void) | undefined;
}

/**
 * Batching delay. A commit costs far more than a charge, so charges wait for others under load. Each charge of the last
 * batch adds 2 ms, counted from the start of that batch. A single charge is committed at once.
 */
const delayPerChargeMs = 2;
const delayMaxMs = 15;
const batchMax = 100;
/**
 * With the embedded store, a synced journal is as durable and costs a tenth of a commit. While at least this many
 * charges arrive within this time, the journal acknowledges them. The store then gets all charges of that time in one
 * batch.
 */
const acknowledgeFrom = 3;
const acknowledgedDelayMs = 80;
/** How long a client waits for the store before the journal acknowledges its charge. */
const storeTimeoutMs = 2000;
const retryMaxMs = 2000;
/** How often a reachable store may reject a batch before the batch is bisected. */
const attemptsMax = 3;
/** While the store is unreachable, new charges are synced to disk at this interval. */
const journalEveryMs = 50;
/** Retry interval after a disk error: a full disk stays full for a while. */
const diskRetryMs = 500;

/**
 * Books charges in group commits. A charge is confirmed once it is durable: in the store, or in the journal under load
 * or while the store is slow.
 */
export class SettlementQueue {
  readonly #options: SettlementQueueOptions;
  readonly #charges: GroupCommitQueue<PendingCharge, UnsettledCharges>;
  readonly #tasks: (() => Promise<void>)[] = [];
  #running: Promise<void> | undefined;
  /** The last batch with waiting requests, to the store or to the journal. */
  #last = { startedMs: Number.NEGATIVE_INFINITY, charges: 0 };
  /** Arrival times of the last few charges. */
  readonly #arrivalsMs: number[] = [];
  #isStoreSlow = false;
  #isDiskFailing = false;
  readonly #journalAck: JournalAck;
  readonly #refused: DeadLetterCharges;
  /** Reads of the store that wait until it has all acknowledged charges. */
  readonly #readers: (() => void)[] = [];
  #flushes = 0;
  #wake = (): void => {};
  #isDelaying = false;

  constructor(options: SettlementQueueOptions) {
    this.#options = options;
    this.#charges = new GroupCommitQueue({
      clock: options.clock,
      commit: (batch) => this.#settle(batch),
      onCommitted: (batch, unsettled) => this.#finishBatch(batch, unsettled),
      onRejected: (pending, error) => {
        this.#storeAnswered();
        return this.#keepRefused(new Map([[pending, error]]));
      },
      onError: options.onError,
      limits: { batchMax },
      retry: { attemptsMax },
    });
    this.#journalAck = new JournalAck(options);
    this.#refused = new DeadLetterCharges({ ...options, retry: (charges) => this.#requeue(charges) });
    options.store.beforeReads?.(() => this.#waitForAcknowledged());
  }

  get #waiting(): readonly PendingCharge[] {
    return this.#charges.waiting;
  }

  /** Neither the store nor the disk accepts charges: a new request might never be charged. */
  get isStuck(): boolean {
    return this.#isDiskFailing;
  }

  /** The number of charges that the store lacks. */
  get pending(): number {
    return this.#waiting.length + this.#refused.all.length;
  }

  /** Whether the store lacks charges of an account. */
  hasPendingOf(accountId: string): boolean {
    const isTheirs = ({ settlement }: PendingCharge): boolean => settlement.accountId === accountId;
    return this.#waiting.some(isTheirs) || this.#refused.all.some(isTheirs);
  }

  /**
   * Resolves when the charge is durable. Rejects if the store has it but could not charge it in full. Rejects with
   * `overloaded` if it could not be confirmed for too long; it is charged all the same. `booked` is called as soon as
   * the store has it, with the part that stays leased.
   */
  push(settlement: Settlement, booked: PendingCharge['onBooked'] = () => {}): Promise<void> {
    const { clock, journal } = this.#options;
    const sinceMs = clock.elapsed();
    if (this.#arrivalsMs.push(sinceMs) > acknowledgeFrom) this.#arrivalsMs.shift();
    return new Promise((resolve, reject) => {
      const pending = {
        settlement,
        journal: journal(),
        sinceMs,
        resolve,
        reject,
        onBooked: booked,
        isJournaled: false,
        isAcknowledged: false,
      };
      this.#charges.push(pending);
      this.#journalAck.add(pending);
      this.#running ??= this.#run();
      if (this.#isDelaying) this.#wake();
    });
  }

  /** Runs work on the store while no charge is being committed, before all charges that are pushed later. */
  runExclusive(work: () => Promise<void>): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#tasks.push(() => work().then(resolve, reject));
      this.#running ??= this.#run();
      if (this.#isDelaying) this.#wake();
    });
  }

  /**
   * Resolves when the store has all charges except those it rejects: these are in the journal, and retried at the next
   * start.
   */
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

  /** Resolves when the store has the waiting charges, or has just failed to book them. */
  async attemptNow(): Promise<void> {
    if (this.#waiting.length > 0) await this.#nextAttempt();
  }

  #requeue(charges: readonly PendingCharge[]): void {
    for (const pending of charges) this.#charges.push(pending);
    this.#running ??= this.#run();
  }

  /** Resolves when the store has all acknowledged charges, or has just failed to book them: then the read fails too. */
  #waitForAcknowledged(): Promise<void> | undefined {
    return this.#waiting.some(({ isAcknowledged }) => isAcknowledged) ? this.#nextAttempt() : undefined;
  }

  #nextAttempt(): Promise<void> {
    return new Promise((resolve) => {
      this.#readers.push(resolve);
      this.#wake();
    });
  }

  #releaseReaders(): void {
    for (const read of this.#readers.splice(0)) read();
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0 || this.#tasks.length > 0) {
      if (this.#tasks.length === 0) await this.#waitForBatch();
      if ((await this.#acknowledge()) && this.#canDelay) {
        await this.#delayAcknowledged();
        continue;
      }
      const deadline = this.#options.clock.after(storeTimeoutMs, () => {
        this.#isStoreSlow = true;
        void this.#syncJournal();
      });
      await this.#tasks.shift()?.();
      if (this.#waiting.length > 0) await this.#commit();
      this.#options.clock.cancel(deadline);
      this.#isStoreSlow = false;
    }
    this.#running = undefined;
  }

  async #waitForBatch(): Promise<void> {
    const untilMs = this.#last.startedMs + Math.min(delayMaxMs, delayPerChargeMs * this.#last.charges);
    const waitMs = untilMs - this.#options.clock.elapsed();
    if (waitMs > 0 && this.#waiting.length < batchMax && !this.#isUrgent) await this.#pause(waitMs);
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

  /** Whether a read or a flush waits for the store. */
  get #isUrgent(): boolean {
    return this.#readers.length > 0 || this.#flushes > 0;
  }

  /** Whether charges arrive so often that a delayed commit pays off. */
  get #isBusy(): boolean {
    const [first] = this.#arrivalsMs;
    return (
      first !== undefined && this.#arrivalsMs.length === acknowledgeFrom && this.#sinceMs(first) < acknowledgedDelayMs
    );
  }

  /** Whether acknowledged charges may wait for more charges. */
  get #canDelay(): boolean {
    const { length, 0: oldest } = this.#waiting;
    if (!oldest || length >= batchMax || this.#isUrgent || this.#tasks.length > 0) return false;
    return this.#sinceMs(oldest.sinceMs) < acknowledgedDelayMs;
  }

  /** Waits until another charge arrives, a read or flush needs the store, or the oldest charge has waited 80 ms. */
  async #delayAcknowledged(): Promise<void> {
    const [oldest] = this.#waiting;
    // Charges that arrived during the journal sync still need their acknowledgement.
    if (!oldest || this.#waiting.some(isUnacknowledged)) return;
    this.#isDelaying = true;
    await this.#pause(acknowledgedDelayMs - this.#sinceMs(oldest.sinceMs));
    this.#isDelaying = false;
  }

  #begin(charges: number): void {
    this.#last = { startedMs: this.#options.clock.elapsed(), charges };
  }

  #sinceMs(elapsedMs: number): number {
    return this.#options.clock.elapsed() - elapsedMs;
  }

  /** Acknowledges waiting charges from the journal, if that suffices and pays off. */
  async #acknowledge(): Promise<boolean> {
    if (!this.#options.store.beforeReads || this.#isUrgent || !this.#isBusy) return false;
    const unacknowledged = this.#waiting.filter(isUnacknowledged);
    if (unacknowledged.length === 0) return true;
    this.#begin(unacknowledged.length);
    return this.#journalAck.acknowledge(unacknowledged);
  }

  /** Retries until it succeeds: a charge is never dropped. Charges that the store rejects do not block the others. */
  async #commit(): Promise<void> {
    const { clock, onError } = this.#options;
    for (let retryMs = 50; ; retryMs = Math.min(retryMs * 2, retryMaxMs)) {
      try {
        return await this.#charges.attempt();
      } catch (error) {
        onError(error);
        this.#releaseReaders();
        await delay(clock, retryMs);
      }
    }
  }

  async #settle(batch: readonly PendingCharge[]): Promise<UnsettledCharges> {
    const { store, failpoint = noFailpoint } = this.#options;
    this.#begin(batch.filter(isUnacknowledged).length);
    this.#journalAck.write();
    failpoint('ledger.settling');
    const unsettled = await this.#acknowledgeDuring(store.commitTogether(settleCharges, batch.map(settlementOf)));
    failpoint('ledger.settled');
    return unsettled;
  }

  /** Acknowledges new charges from the journal while a commit is in progress. */
  async #acknowledgeDuring<Result>(commit: Promise<Result>): Promise<Result> {
    if (!this.#options.store.beforeReads) return commit;
    const state = { isOver: false };
    const over = (): void => {
      state.isOver = true;
      this.#wake();
    };
    commit.then(over, over);
    while (!state.isOver && !this.#isUrgent) {
      await this.#pause(delayMaxMs);
      if (!state.isOver) await this.#acknowledge();
    }
    return commit;
  }

  /** The first batch has left the queue. */
  #storeAnswered(): void {
    this.#isDiskFailing = false;
    if (!this.#waiting.some(({ isAcknowledged }) => isAcknowledged)) this.#releaseReaders();
  }

  /** Charges that would violate an invariant were not booked. */
  async #finishBatch(batch: readonly PendingCharge[], unsettled: UnsettledCharges): Promise<void> {
    this.#storeAnswered();
    const refused = new Map<PendingCharge, unknown>();
    const booked = batch.filter((pending) => {
      const rule = unsettled.broken.get(pending.settlement.requestId);
      if (rule !== undefined) refused.set(pending, new InvariantViolation(rule));
      return rule === undefined;
    });
    this.#reportBooked(booked.map(settlementOf));
    for (const pending of booked) finish(pending, unsettled);
    if (refused.size > 0) await this.#keepRefused(refused);
    await this.#journalAck.removeBooked(booked).catch(this.#options.onError);
  }

  /** An error of the listener must not block later charges. */
  #reportBooked(settlements: readonly Settlement[]): void {
    try {
      this.#options.booked?.(settlements);
    } catch (error) {
      this.#options.onError(error);
    }
  }

  /**
   * Keeps rejected charges in the journal, which acknowledges them. A charge that violates an invariant fails its
   * request instead.
   */
  async #keepRefused(refused: ReadonlyMap<PendingCharge, unknown>): Promise<void> {
    const { onError } = this.#options;
    for (const [pending, error] of refused) {
      this.#refused.keep(pending, error);
      if (!(error instanceof InvariantViolation)) continue;
      onError(error);
      pending.isAcknowledged = true;
      pending.reject(new GatewayError('internal-error', { cause: error }));
    }
    await this.#journalAck.acknowledgeWithoutStore([...refused.keys()]).catch(onError);
  }

  /** Syncs all waiting charges to disk, and repeats for new ones until the store responds. */
  async #syncJournal(): Promise<void> {
    try {
      await this.#journalAck.acknowledgeWithoutStore(this.#waiting);
      this.#isDiskFailing = false;
    } catch (error) {
      this.#isDiskFailing = this.#isStoreSlow;
      this.#options.onError(error);
    }
    const againMs = this.#isDiskFailing ? diskRetryMs : journalEveryMs;
    if (this.#isStoreSlow) this.#options.clock.after(againMs, () => void this.#syncJournal()).unref();
  }
}

function finish(
  { settlement: { requestId }, onBooked, resolve, reject }: PendingCharge,
  { short, stillLeased }: UnsettledCharges,
): void {
  const uncharged = short.get(requestId);
  try {
    onBooked(stillLeased.get(requestId) ?? 0n);
    if (uncharged === undefined) resolve();
    else reject(moneyLostError(uncharged));
  } catch (error) {
    reject(error);
  }
}

/** Whether its request still waits for the acknowledgement. */
function isUnacknowledged({ isAcknowledged }: PendingCharge): boolean {
  return !isAcknowledged;
}

/** The error of a request whose money was spent by others after this process expired, with the missing amount. */
export function moneyLostError(uncharged = 0n): ChargeError {
  const detail =
    'The money reserved for this request was released while the request was running, and the balance no longer covers it. Top up the account, or retry with a lower max_tokens.';
  return new ChargeError('insufficient-balance', { detail, uncharged });
}
