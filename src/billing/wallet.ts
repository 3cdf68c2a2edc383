import type { ChangeFeed } from '../cluster/change-feed.ts';
import { InvariantViolation } from '../core/assert.ts';
import type { Clock } from '../core/clock.ts';
import { delay } from '../core/delay.ts';
import type { Failpoint } from '../core/failpoint.ts';
import { GatewayError } from '../core/gateway-error.ts';
import type { Nano } from '../core/money.ts';
import { type Deadline, whenOver } from '../core/deadline.ts';
import type { Store } from '../store/store.ts';
import { type Checkpoints, checkpoints } from './checkpoints.ts';
import { type Hold, type HoldName, OpenHold } from './hold.ts';
import type { Journal } from './journal.ts';
import { adjustingLease } from './leases.ts';
import { Leasing } from './leasing.ts';
import { heartbeatEveryMs, Membership } from './membership.ts';
import type { JournalReplay } from './processes.ts';
import type { AccountLease, Waiter } from './account-lease.ts';
import { RefusedCheckpoints } from './refused-checkpoints.ts';
import { Rounds } from '../core/rounds.ts';
import type { Settlement } from './charging.ts';
import { moneyGone, type SettlementQueue, settlementQueue } from './settlement-queue.ts';
import { type CapShare, SpendCaps } from './spend-caps.ts';

/** This process's access to the money of all accounts. */
export interface Wallet {
  /**
   * Sets aside the most a request can cost. Answers at once and without the store while what this process has leased
   * suffices; otherwise leases more, and waits for a store that is out of reach as long as the deadline lasts. Refuses, at
   * once or later, with `insufficient-balance` or `key-cap-reached`, with `overloaded` if the deadline is over or nothing can be made durable,
   * or with the reason of who left.
   */
  hold(name: HoldName, amount: Nano, deadline?: Deadline): Hold | Promise<Hold>;
  /** The same where nothing has to be asked of the store, nor waited for; otherwise nothing happens. */
  holdNow(name: HoldName, amount: Nano): Hold | undefined;
  /** How many holds are neither posted nor voided. */
  readonly holds: number;
  /** Charges that the store does not have yet, and the size of the journal that keeps them. */
  readonly pending: number;
  readonly journalBytes: number;
  /** Checkpoints of dead processes that cannot be charged; every process on the store says the same. */
  readonly refusedCheckpoints: number;
  /** The name of this process in the store; another once it was taken for dead by mistake. */
  readonly processId: string;
  /** Why a new request could not be charged, as a sentence; `undefined` while it could. */
  readonly problem: string | undefined;
  /** What is worth knowing while requests still can be charged, as a sentence. */
  readonly note: string | undefined;
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
  /** Books what is in the journals of this machine. */
  readonly replay?: JournalReplay;
  /** Hears of a `RefusedCharge` or `RefusedCheckpoint` too, once for each. */
  readonly onError: (error: unknown) => void;
  /** Hears of charges that the store has taken. */
  readonly booked?: (settlements: readonly Settlement[]) => void;
  /** Where a crash test ends the process. */
  readonly failpoint?: Failpoint;
}

/** A running request whose money went back waits so long for other money; so does whoever does not say how long. */
const usualTimeoutMs = 10_000;
const giveBackEveryMs = 5000;
const checkpointEveryMs = 1000;
/** A store that is gone must not keep the process: by then its charges are in the journal, and recovery does the rest. */
const stopTimeoutMs = 5000;

export function wallet(parts: WalletParts): Wallet {
  return new ProcessWallet(parts);
}

/** On which terms money is held. */
interface HoldTerms {
  readonly deadline: Deadline;
  /** What was set aside of what its key may spend, where that has a cap. */
  readonly cap?: CapShare | undefined;
}

class ProcessWallet implements Wallet {
  readonly #parts: WalletParts;
  readonly #open = new Set<OpenHold>();
  readonly #membership: Membership;
  readonly #refused: RefusedCheckpoints;
  readonly #leasing: Leasing;
  readonly #queue: SettlementQueue;
  readonly #caps: SpendCaps;
  readonly #checkpoints: Checkpoints;
  readonly #rounds: Rounds;
  #journal: Journal;
  #unsubscribe = (): void => {};

  constructor(parts: WalletParts) {
    const { store, clock, feed, onError } = parts;
    this.#parts = parts;
    this.#refused = new RefusedCheckpoints(parts);
    this.#membership = new Membership({
      ...parts,
      refused: this.#refused,
      running: () => [...this.#open].map(({ name }) => name.requestId),
      settle: () => this.#queue.tried(),
      reborn: (charged) => this.#startAnew(charged),
    });
    this.#leasing = new Leasing({
      clock,
      onError,
      membership: this.#membership,
      sums: {
        adjust: (name, wish) => store.commit(adjustingLease, { name, wish }),
        recall: (accountId) => feed.publish(store.db, 'lease', accountId),
        refusal: () => new GatewayError('insufficient-balance'),
      },
    });
    this.#caps = new SpendCaps({ store, clock, feed, onError, membership: this.#membership });
    this.#journal = parts.journal(this.#membership.processId);
    this.#queue = settlementQueue({
      ...parts,
      journal: () => this.#journal,
      isLeaseSure: ({ processId }) => processId === this.#membership.processId && this.#membership.isSurelyAlive,
    });
    this.#checkpoints = checkpoints({ store, queue: this.#queue, processId: () => this.processId });
    this.#rounds = new Rounds(clock, onError);
  }

  get holds(): number {
    return this.#open.size;
  }

  get pending(): number {
    return this.#queue.pending;
  }

  get journalBytes(): number {
    return this.#journal.bytes;
  }

  get refusedCheckpoints(): number {
    return this.#refused.count;
  }

  get processId(): string {
    return this.#membership.processId;
  }

  get problem(): string | undefined {
    if (this.#queue.isStuck) return 'Charges can be kept neither in the store nor on the disk.';
    return this.#membership.isSurelyAlive ? undefined : 'The store does not let money be set aside.';
  }

  get note(): string | undefined {
    if (this.#membership.isHeardOfLately) return undefined;
    if (!this.#membership.isHeardOf) return 'No money can be set aside just now: requests that cost something wait.';
    return 'The store does not let money be set aside just now: what was set aside before is used.';
  }

  async start(): Promise<void> {
    this.#unsubscribe = this.#parts.feed.subscribe((changes) => {
      for (const change of changes) {
        if (change.topic === 'lease') this.#leasing.recalled(change.subject);
        this.#caps.heard(change);
      }
    });
    this.#rounds.every(heartbeatEveryMs, () => this.#membership.stay());
    this.#rounds.every(heartbeatEveryMs, () => this.#membership.cleanUp());
    this.#rounds.every(giveBackEveryMs, () => this.#leasing.giveBackIdle());
    this.#rounds.every(giveBackEveryMs, () => this.#caps.giveBackIdle());
    this.#rounds.every(checkpointEveryMs, () => this.#checkpoints.save(this.#open));
    await this.#membership.start();
    // The dead can wait: what they had goes back in the next round if not in this one.
    await this.#membership.cleanUp().catch(this.#parts.onError);
  }

  async stop(): Promise<void> {
    this.#unsubscribe();
    this.#rounds.stop();
    const { clock, onError } = this.#parts;
    const booked = Promise.all([this.#leasing.stop(), this.#caps.stop(), this.#queue.flush()])
      .then(() => this.#membership.stop())
      .catch(onError);
    const isBooked = new AbortController();
    await Promise.race([booked, delay(clock, stopTimeoutMs, isBooked.signal).catch(() => undefined)]);
    isBooked.abort();
    await this.#journal.close().catch(onError);
  }

  hold(name: HoldName, amount: Nano, deadline = this.#usualDeadline()): Hold | Promise<Hold> {
    if (this.#queue.isStuck) throw new GatewayError('overloaded', { cause: new Error('no charge can be kept') });
    if (!name.cap) return this.#hold(name, amount, { deadline });
    const { accountId, keyId, cap: said } = name;
    const cap = this.#guarded(() => this.#caps.reserve({ accountId, keyId, cap: said }, amount, deadline));
    if (!(cap instanceof Promise)) return this.#hold(name, amount, { deadline, cap });
    return cap.then((late) => this.#hold(name, amount, { deadline, cap: late }));
  }

  holdNow(name: HoldName, amount: Nano): Hold | undefined {
    const accountLease = this.#leasing.accountLease(name.accountId);
    // What a key may spend is another matter, of which some may have to be set aside first.
    if (this.#queue.isStuck || name.cap !== undefined || !this.#isAtHand(accountLease, amount)) return undefined;
    this.#guarded(() => accountLease.take(amount));
    return this.#opened(name, amount, accountLease, undefined);
  }

  #isAtHand(accountLease: AccountLease, amount: Nano): boolean {
    return (
      amount === 0n || (accountLease.waiting.length === 0 && accountLease.free >= amount && this.#membership.isHeardOf)
    );
  }

  #hold(name: HoldName, amount: Nano, { deadline, cap }: HoldTerms): Hold | Promise<Hold> {
    const accountLease = this.#leasing.accountLease(name.accountId);
    if (this.#isAtHand(accountLease, amount)) {
      this.#guarded(() => accountLease.take(amount));
      return this.#opened(name, amount, accountLease, cap);
    }
    return new Promise((resolve, reject) => {
      const waiter = this.#waiter(amount, {
        granted: (granting) => resolve(this.#opened(name, amount, granting, cap)),
        refused: (error) => {
          cap?.over(0n);
          reject(error);
        },
      });
      this.#leasing.wait(accountLease, this.#impatient(waiter, name, deadline));
    });
  }

  #opened(name: HoldName, amount: Nano, accountLease: AccountLease, cap: CapShare | undefined): OpenHold {
    const hold = new OpenHold(name, amount, accountLease, {
      at: cap?.at ?? this.#parts.clock.now(),
      ...(cap && { capLease: () => ({ processId: cap.accountLease.processId, budget: cap.budget }) }),
      settle: (charge, booked) =>
        this.#queue.push(charge, () => {
          this.#guarded(booked);
          if (cap) this.#guarded(() => cap.booked());
        }),
      over: (over, cover, spent, cost) => {
        this.#open.delete(over);
        if (cap) this.#guarded(() => cap.over(cost - over.chargedBefore));
        this.#guarded(() => {
          cover.accountLease.release(cover.share, spent);
          this.#leasing.freed(cover.accountLease);
        });
      },
      more: (wider, more, deadline) => this.#widen(wider, more, { deadline: deadline ?? this.#usualDeadline(), cap }),
    });
    cap?.paysFor({
      chargedBefore: () => hold.chargedBefore,
      isRunning: () => hold.isRunning,
      lose: (error) => hold.lose(error instanceof Error ? error : moneyGone()),
    });
    this.#open.add(hold);
    return hold;
  }

  /** Whoever waits for more keeps what it has, and is refused as everybody else is. */
  async #widen(hold: OpenHold, more: Nano, { deadline, cap }: HoldTerms): Promise<void> {
    if (this.#queue.isStuck) throw new GatewayError('overloaded', { cause: new Error('no charge can be kept') });
    const { accountId } = hold.name;
    if (cap) await this.#caps.widen(cap, more, deadline);
    return new Promise((resolve, reject) => {
      const refused = (error: unknown): void => {
        if (cap) this.#guarded(() => this.#caps.narrow(cap, more));
        reject(error);
      };
      const granted = (accountLease: AccountLease): void => {
        if (!hold.grow(accountLease, more)) {
          // Its request is over meanwhile, or is about to be.
          accountLease.release(more, 0n);
          return refused(new GatewayError('overloaded'));
        }
        resolve();
      };
      const accountLease = this.#leasing.accountLease(accountId);
      if (!this.#isAtHand(accountLease, more)) {
        const waiter = this.#waiter(more, { granted, refused });
        return this.#leasing.wait(accountLease, this.#impatient(waiter, hold.name, deadline));
      }
      this.#guarded(() => accountLease.take(more));
      granted(accountLease);
    });
  }

  /** What was leased went back. Running requests are paid for anew, before anybody else; who cannot be is told. */
  #startAnew(charged: ReadonlyMap<string, Nano>): void {
    this.#journal.close().catch(this.#parts.onError);
    this.#journal = this.#parts.journal(this.#membership.processId);
    const orphans = new Map<string, Waiter[]>();
    for (const hold of this.#open) {
      if (!hold.isRunning || hold.amount === 0n) continue;
      hold.chargedBefore = charged.get(hold.name.requestId) ?? 0n;
      const line = orphans.get(hold.name.accountId) ?? [];
      line.push(this.#orphan(hold));
      orphans.set(hold.name.accountId, line);
    }
    this.#leasing.startAnew(orphans);
    this.#caps.startAnew();
  }

  #orphan(hold: OpenHold): Waiter {
    const share = hold.amount > hold.chargedBefore ? hold.amount - hold.chargedBefore : 0n;
    const waiter = this.#waiter(share, {
      granted: (accountLease) => {
        if (hold.isRunning) return hold.moveTo(accountLease, share);
        accountLease.release(share, 0n);
      },
      refused: () => hold.lose(moneyGone()),
    });
    return this.#impatient(waiter, hold.name, this.#usualDeadline());
  }

  #waiter(amount: Nano, told: Pick<Waiter, 'granted' | 'refused'>): Waiter {
    return { amount, ...told, isShort: false, recalledMs: undefined };
  }

  /** The same, but it leaves the line when its deadline is over. */
  #impatient(waiter: Waiter, { accountId }: HoldName, deadline: Deadline): Waiter {
    const impatient: Waiter = {
      ...waiter,
      granted: (accountLease) => {
        stop();
        waiter.granted(accountLease);
      },
      refused: (error) => {
        stop();
        waiter.refused(error);
      },
    };
    const stop = whenOver(this.#parts.clock, deadline, (error) => {
      if (this.#leasing.leave(accountId, impatient)) waiter.refused(error);
    });
    return impatient;
  }

  #usualDeadline(): Deadline {
    return { deadlineMs: this.#parts.clock.elapsed() + usualTimeoutMs };
  }

  /** A rule of our own that was broken ends the request, not the process, and not in silence. */
  #guarded<Result>(work: () => Result): Result {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof InvariantViolation)) throw error;
      this.#parts.onError(error);
      throw new GatewayError('internal-error', { cause: error });
    }
  }
}
