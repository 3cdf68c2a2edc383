import { BrokenRule } from '../core/assert.ts';
import type { Clock, Timer } from '../core/clock.ts';
import { delay } from '../core/delay.ts';
import { type Failpoint, noFailpoint } from '../core/failpoint.ts';
import { GatewayError } from '../core/gateway-error.ts';
import type { Store } from '../store/store.ts';
import type { Settlement, Unsettled } from './charging.ts';
import type { Journal } from './journal.ts';
import { settling } from './settle.ts';

/** Charges on their way to the store, several in one commit. */
export interface SettlementQueue {
  /**
   * Resolves when the charge is durable: in the store, or in the journal if the store takes too long. Rejects when the
   * store has it and not all of it could be charged, and with `overloaded` when for too long nobody could say whether it
   * can be; it is charged all the same. `booked` is called as soon as the store has it.
   */
  push(settlement: Settlement, booked?: () => void): Promise<void>;
  /** Does something with the store while no charge is on its way there: before all charges that are pushed later. */
  inTurn(work: () => Promise<void>): Promise<void>;
  /** Resolves when the store has everything. */
  flush(): Promise<void>;
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
  readonly onTrouble: (error: unknown) => void;
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
const batchMax = 200;
/** How long a client waits for the store before the journal has to do. */
const storePatienceMs = 2000;
const retryMaxMs = 2000;
/**
 * How long a client waits for the store once this process may have been taken for dead: only the store knows by then
 * whether what was set aside for the charge is still there.
 */
const unsurePatienceMs = 60_000;
/** While the store is away, newly finished requests go to disk this often. */
const journalEveryMs = 50;
/** A full disk stays full for a while. */
const diskRetryMs = 500;
/** How long a charge may be in memory alone: those that come so close together are written down in one go. */
const noteWithinMs = 2;

interface Waiting {
  readonly settlement: Settlement;
  readonly journal: Journal;
  readonly safe: () => void;
  readonly failed: (error: unknown) => void;
  readonly booked: () => void;
  readonly sinceMs: number;
  isSafe: boolean;
}

export function settlementQueue(options: SettlementQueueOptions): SettlementQueue {
  return new Queue(options);
}

class Queue implements SettlementQueue {
  readonly #options: SettlementQueueOptions;
  readonly #waiting: Waiting[] = [];
  readonly #tasks: (() => Promise<void>)[] = [];
  #running: Promise<void> | undefined;
  /** The last batch. */
  #last = { begunMs: Number.NEGATIVE_INFINITY, charges: 0 };
  #isStoreSlow = false;
  #isDiskFailing = false;
  /** Charges that are written down nowhere yet, and when they will be. */
  #unnoted: Waiting[] = [];
  #noting: Timer | undefined;
  /** So that a disk that takes nothing is told of once. */
  #cannotNote = false;

  constructor(options: SettlementQueueOptions) {
    this.#options = options;
  }

  get isStuck(): boolean {
    return this.#isDiskFailing;
  }

  get pending(): number {
    return this.#waiting.length;
  }

  owes(accountId: string): boolean {
    return this.#waiting.some(({ settlement }) => settlement.accountId === accountId);
  }

  push(settlement: Settlement, booked = (): void => {}): Promise<void> {
    const { clock, journal } = this.#options;
    return new Promise((safe, failed) => {
      const waiting = { settlement, journal: journal(), safe, failed, booked, sinceMs: clock.elapsed(), isSafe: false };
      this.#waiting.push(waiting);
      this.#unnoted.push(waiting);
      this.#noting ??= clock.after(noteWithinMs, this.#note);
      this.#running ??= this.#run();
    });
  }

  inTurn(work: () => Promise<void>): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#tasks.push(() => work().then(resolve, reject));
      this.#running ??= this.#run();
    });
  }

  async flush(): Promise<void> {
    for (let pending = this.#running; pending; pending = this.#running) await pending;
  }

  /** Before the store is asked, so that whatever ends this process meanwhile does not lose the charges. */
  readonly #note = (): void => {
    this.#options.clock.cancel(this.#noting);
    this.#noting = undefined;
    const unnoted = this.#unnoted;
    this.#unnoted = [];
    try {
      for (const [journal, some] of Map.groupBy(unnoted, ({ journal }) => journal))
        journal.note(some.map(settlementOf));
      this.#cannotNote = false;
    } catch (error) {
      if (!this.#cannotNote) this.#options.onTrouble(error);
      this.#cannotNote = true;
    }
  };

  async #run(): Promise<void> {
    while (this.#waiting.length > 0 || this.#tasks.length > 0) {
      if (this.#tasks.length === 0) await this.#gather();
      const patience = this.#options.clock.after(storePatienceMs, () => {
        this.#isStoreSlow = true;
        void this.#intoJournal();
      });
      await this.#tasks.shift()?.();
      if (this.#waiting.length > 0) await this.#commit(this.#waiting.slice(0, batchMax));
      this.#options.clock.cancel(patience);
      this.#isStoreSlow = false;
    }
    this.#running = undefined;
  }

  async #gather(): Promise<void> {
    const { clock } = this.#options;
    const untilMs = this.#last.begunMs + Math.min(gatherMaxMs, gatherPerChargeMs * this.#last.charges);
    const waitMs = untilMs - clock.elapsed();
    if (waitMs > 0 && this.#waiting.length < batchMax) await delay(clock, waitMs);
  }

  /** Tries until it works: a charge is never given up. */
  async #commit(batch: readonly Waiting[]): Promise<void> {
    this.#last = { begunMs: this.#options.clock.elapsed(), charges: batch.length };
    if (this.#unnoted.length > 0) this.#note();
    const { store, clock, onTrouble, failpoint = noFailpoint } = this.#options;
    const settlements = batch.map(settlementOf);
    let unsettled: Unsettled | undefined;
    for (let retryMs = 50; !unsettled; retryMs = Math.min(retryMs * 2, retryMaxMs)) {
      try {
        failpoint('ledger.settling');
        unsettled = await store.commitTogether(settling, settlements);
        failpoint('ledger.settled');
      } catch (error) {
        onTrouble(error);
        await delay(clock, retryMs);
      }
    }
    this.#isDiskFailing = false;
    this.#waiting.splice(0, batch.length);
    this.#tell(settlements);
    for (const waiting of batch) this.#settled(waiting, unsettled);
    for (const [journal, some] of Map.groupBy(batch, ({ journal }) => journal)) {
      // What stays behind is replayed at the next start and found to be booked.
      await journal.taken(some.map(settlementOf)).catch(onTrouble);
    }
  }

  /** Whoever listens to what was booked must not keep the charges behind it from being booked. */
  #tell(settlements: readonly Settlement[]): void {
    try {
      this.#options.booked?.(settlements);
    } catch (error) {
      this.#options.onTrouble(error);
    }
  }

  #settled({ settlement, booked, safe, failed }: Waiting, { short, broken }: Unsettled): void {
    const { requestId } = settlement;
    const rule = broken.get(requestId);
    if (rule !== undefined) {
      const cause = new BrokenRule(rule);
      this.#options.onTrouble(cause);
      return failed(new GatewayError('internal-error', { cause }));
    }
    try {
      booked();
      if (short.has(requestId)) failed(moneyGone());
      else safe();
    } catch (error) {
      failed(error);
    }
  }

  /** Everything that waits goes to disk, and again whatever joined meanwhile, until the store answers. */
  async #intoJournal(): Promise<void> {
    const { clock, isLeaseSure } = this.#options;
    const isLate = ({ sinceMs }: Waiting): boolean => clock.elapsed() - sinceMs > unsurePatienceMs;
    const unsafe = this.#waiting.filter((each) => !each.isSafe && (isLeaseSure(each.settlement) || isLate(each)));
    if (unsafe.length > 0) {
      try {
        for (const [journal, some] of Map.groupBy(unsafe, ({ journal }) => journal)) {
          await journal.append(some.map(settlementOf));
        }
        this.#isDiskFailing = false;
        for (const waiting of unsafe) {
          waiting.isSafe = true;
          if (isLeaseSure(waiting.settlement)) waiting.safe();
          else waiting.failed(unsure());
        }
      } catch (error) {
        this.#isDiskFailing = this.#isStoreSlow;
        this.#options.onTrouble(error);
      }
    }
    const againMs = this.#isDiskFailing ? diskRetryMs : journalEveryMs;
    if (this.#isStoreSlow) this.#options.clock.after(againMs, () => void this.#intoJournal()).unref();
  }
}

function settlementOf({ settlement }: Waiting): Settlement {
  return settlement;
}

/** What a request is told whose charge nobody can vouch for; its answer came to its end. */
function unsure(): GatewayError {
  const detail =
    'The answer is complete, but the gateway could not reach its database to make sure that it is paid for. It is charged once the database is back.';
  return new GatewayError('overloaded', { detail });
}

/** What a request is told whose money was spent by others while this process was taken for dead. */
export function moneyGone(): GatewayError {
  const detail =
    'The money set aside for this request had to be given back while it was running, and the balance no longer covers it. Top up the account, or ask again with a lower max_tokens.';
  return new GatewayError('insufficient-balance', { detail });
}
