import type { ChangeFeed } from '../cluster/change-feed.ts';
import type { Clock, Timer } from '../core/clock.ts';
import { delay } from '../core/delay.ts';
import type { Failpoint } from '../core/failpoint.ts';
import { GatewayError } from '../core/gateway-error.ts';
import type { Nano } from '../core/money.ts';
import type { Store } from '../store/store.ts';
import { type Hold, type HoldName, OpenHold } from './hold.ts';
import type { Journal } from './journal.ts';
import { giveBack, isLeasedElsewhere, takeLease } from './leases.ts';
import { beat, processLifeMs, reap, registerProcess, unregisterProcess } from './processes.ts';
import { Purse } from './purse.ts';
import { saveCheckpoints } from './checkpoints.ts';
import type { Settlement } from './settle.ts';
import { type SettlementQueue, settlementQueue } from './settlement-queue.ts';
import { type SpendCaps, spendCaps } from './spend-caps.ts';

/** This process's access to the money of all accounts. */
export interface Wallet {
  /**
   * Sets aside the most a request can cost. Answers at once and without the store while what this process has leased
   * suffices; otherwise leases more. Refuses with `insufficient-balance`, or `overloaded` if the store is out of reach or
   * nothing can be made durable.
   */
  hold(name: HoldName, amount: Nano): Hold | Promise<Hold>;
  /** How many holds are neither posted nor voided. */
  readonly holds: number;
  /** The name of this process in the store; another once it was taken for dead by mistake. */
  readonly processId: string;
  start(): Promise<void>;
  /** Charges what is finished, and gives back what is not needed. */
  stop(): Promise<void>;
}

export interface WalletParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly feed: Pick<ChangeFeed, 'subscribe' | 'publish'>;
  readonly newId: () => string;
  readonly journal: (processId: string) => Journal;
  readonly onTrouble: (error: unknown) => void;
  /** Hears of charges that the store has taken. */
  readonly booked?: (settlements: readonly Settlement[]) => void;
  /** Where a crash test ends the process. */
  readonly failpoint?: Failpoint;
}

/** A lease is larger than what is needed now by so many times the request at hand, so that the next ones need no store. */
const headroomRequests = 8n;
const storePatienceMs = 10_000;
/** How long another process may take to give back what it does not need. */
const recallMs = 1500;
const beatEveryMs = 5000;
const idleMs = 10_000;
const checkpointEveryMs = 2000;
/** A store that is gone must not keep the process: by then its charges are in the journal, and recovery does the rest. */
const stopPatienceMs = 5000;

export function wallet(parts: WalletParts): Wallet {
  return new ProcessWallet(parts);
}

class ProcessWallet implements Wallet {
  readonly #parts: WalletParts;
  readonly #purses = new Map<string, Purse>();
  readonly #open = new Set<OpenHold>();
  readonly #queue: SettlementQueue;
  readonly #caps: SpendCaps;
  #processId: string;
  #heardOfMs = Number.NEGATIVE_INFINITY;
  readonly #timers = new Map<() => Promise<void>, Timer>();
  #unsubscribe = (): void => {};

  constructor(parts: WalletParts) {
    this.#parts = parts;
    this.#processId = parts.newId();
    const { store, onTrouble, clock, failpoint, booked } = parts;
    this.#caps = spendCaps(store, clock);
    this.#queue = settlementQueue({
      store,
      clock,
      onTrouble,
      failpoint,
      booked,
      journal: parts.journal(this.#processId),
    });
  }

  get holds(): number {
    return this.#open.size;
  }

  get processId(): string {
    return this.#processId;
  }

  async start(): Promise<void> {
    const { store, clock, feed } = this.#parts;
    await registerProcess(store, this.#processId);
    this.#heardOfMs = clock.elapsed();
    await reap(store, clock);
    this.#every(beatEveryMs, () => this.#stayAlive());
    this.#every(idleMs, () => this.#giveBackIdle());
    this.#every(checkpointEveryMs, () => saveCheckpoints(store, this.#processId, this.#open));
    this.#unsubscribe = feed.subscribe((changes) => {
      for (const { topic, subject } of changes) if (topic === 'lease') this.#recalled(subject);
    });
  }

  async stop(): Promise<void> {
    this.#unsubscribe();
    const { store, clock, onTrouble } = this.#parts;
    for (const timer of this.#timers.values()) clock.cancel(timer);
    this.#timers.clear();
    const booked = this.#queue
      .flush()
      .then(() => unregisterProcess(store, this.#processId, clock))
      .catch(onTrouble);
    const isBooked = new AbortController();
    await Promise.race([booked, delay(clock, stopPatienceMs, isBooked.signal).catch(() => undefined)]);
    isBooked.abort();
  }

  hold(name: HoldName, amount: Nano): Hold | Promise<Hold> {
    if (name.spendCap !== undefined && amount > 0n) return this.#holdCapped(name, name.spendCap, amount);
    return this.#hold(name, amount, noCap);
  }

  async #holdCapped(name: HoldName, cap: Nano, amount: Nano): Promise<Hold> {
    const reserved = await this.#caps.reserve(name.keyId, cap, amount);
    try {
      return await this.#hold(name, amount, reserved.release);
    } catch (error) {
      reserved.release(0n);
      throw error;
    }
  }

  #hold(name: HoldName, amount: Nano, over: (spent: Nano) => void): Hold | Promise<Hold> {
    if (this.#queue.isStuck) throw new GatewayError('overloaded', { cause: new Error('no charge can be kept') });
    const purse = this.#purse(name.accountId);
    purse.lastUsedMs = this.#parts.clock.elapsed();
    if (amount === 0n || (purse.waiting.length === 0 && purse.free >= amount && this.#isHeardOf())) {
      purse.take(amount);
      return this.#opened(name, amount, purse, over);
    }
    return new Promise((resolve, reject) => {
      const deadlineMs = this.#parts.clock.elapsed() + storePatienceMs;
      const granted = (): void => resolve(this.#opened(name, amount, purse, over));
      purse.waiting.push({ amount, deadlineMs, granted, refused: reject });
      if (!purse.isRefilling) void this.#refill(purse);
    });
  }

  #opened(name: HoldName, amount: Nano, purse: Purse, over: (spent: Nano) => void): OpenHold {
    // The lease is the one of now, also if this process should be taken for dead and go on under another name.
    const processId = this.#processId;
    const hold = new OpenHold(name, amount, {
      at: this.#parts.clock.now(),
      settle: (charge) => this.#queue.push({ ...charge, processId }),
      over: (spent) => {
        over(spent);
        purse.release(amount, spent);
        this.#open.delete(hold);
        purse.serve();
      },
    });
    this.#open.add(hold);
    return hold;
  }

  /** Leases until everyone who waits is served or told no. */
  async #refill(purse: Purse): Promise<void> {
    purse.isRefilling = true;
    for (let [first] = purse.waiting; first; [first] = purse.waiting) {
      try {
        if (!this.#isHeardOf()) await this.#stayAlive();
        purse.serve();
        if (purse.waiting[0] !== first) continue;
        const taken = await this.#lease(purse, first.amount);
        if (taken > 0n) purse.free += taken;
        else this.#refuseFirst(purse, new GatewayError('insufficient-balance'));
      } catch (error) {
        this.#parts.onTrouble(error);
        if (this.#parts.clock.elapsed() > first.deadlineMs) {
          this.#refuseFirst(purse, new GatewayError('overloaded', { cause: error }));
        } else await delay(this.#parts.clock, 100);
      }
    }
    // In the same breath as the last look at who waits: whoever comes now starts the next refill.
    purse.isRefilling = false;
  }

  #refuseFirst(purse: Purse, error: GatewayError): void {
    purse.waiting.shift()?.refused(error);
  }

  async #lease(purse: Purse, amount: Nano): Promise<Nano> {
    const { store, clock } = this.#parts;
    const name = { processId: this.#processId, accountId: purse.accountId };
    const needed = amount - purse.free;
    const wanted = needed + headroomRequests * amount;
    const take = () =>
      store
        .transaction((tx) => takeLease(tx, name, { needed, wanted }))
        .catch((error: unknown) => {
          purse.isUncertain = true;
          throw error;
        });
    const taken = await take();
    if (taken > 0n || !(await isLeasedElsewhere(store.db, name))) return taken;
    await this.#parts.feed.publish(store.db, 'lease', purse.accountId);
    for (const untilMs = clock.elapsed() + recallMs; clock.elapsed() < untilMs; ) {
      await delay(clock, 100);
      const late = await take();
      if (late > 0n) return late;
    }
    return 0n;
  }

  /** Another process needs money of this account more than we do. */
  #recalled(accountId: string): void {
    const purse = this.#purses.get(accountId);
    if (purse && hasToGive(purse) && purse.waiting.length === 0) void this.#giveBack(purse);
  }

  async #giveBackIdle(): Promise<void> {
    const idleSinceMs = this.#parts.clock.elapsed() - idleMs;
    for (const purse of this.#purses.values()) {
      if (purse.lastUsedMs > idleSinceMs || purse.held > 0n || purse.waiting.length > 0) continue;
      if (hasToGive(purse)) await this.#giveBack(purse);
      else if (!purse.isRefilling) this.#purses.delete(purse.accountId);
    }
  }

  /** When no request needs any of it, all that the store has under our name goes back, known here or not. */
  async #giveBack(purse: Purse): Promise<void> {
    const { free, accountId } = purse;
    const isUnused = purse.held === 0n && !this.#queue.owes(accountId);
    purse.free = 0n;
    // Whoever comes meanwhile leases when this is over: the store must not take that for what is given back.
    purse.isRefilling = true;
    try {
      const name = { processId: this.#processId, accountId };
      await this.#parts.store.transaction((tx) => giveBack(tx, name, isUnused ? 'all' : free));
      if (isUnused) purse.isUncertain = false;
    } catch (error) {
      // It may have gone back all the same, and then it must not be spent.
      purse.isUncertain = true;
      this.#parts.onTrouble(error);
    }
    purse.isRefilling = false;
    if (purse.waiting.length > 0) void this.#refill(purse);
  }

  /** Without a sign of life in half its time, others may soon take this process for dead: its leases no longer count. */
  #isHeardOf(): boolean {
    return this.#parts.clock.elapsed() - this.#heardOfMs < processLifeMs / 2;
  }

  async #stayAlive(): Promise<void> {
    const { store, clock, newId } = this.#parts;
    const askedMs = clock.elapsed();
    if (!(await beat(store, this.#processId))) {
      // Taken for dead: what was leased went back. Running requests are charged from what is available.
      for (const purse of this.#purses.values()) purse.free = 0n;
      this.#processId = newId();
      await registerProcess(store, this.#processId);
    }
    this.#heardOfMs = askedMs;
    await reap(store, clock);
  }

  #purse(accountId: string): Purse {
    const known = this.#purses.get(accountId);
    if (known) return known;
    const purse = new Purse(accountId);
    this.#purses.set(accountId, purse);
    return purse;
  }

  #every(ms: number, work: () => Promise<void>): void {
    const { clock, onTrouble } = this.#parts;
    const next = (): void => {
      const timer = clock.after(ms, () => void round());
      timer.unref();
      this.#timers.set(work, timer);
    };
    const round = async (): Promise<void> => {
      await work().catch(onTrouble);
      if (this.#timers.has(work)) next();
    };
    next();
  }
}

function hasToGive({ free, isUncertain, isRefilling }: Purse): boolean {
  return !isRefilling && (free > 0n || isUncertain);
}

function noCap(): void {}
