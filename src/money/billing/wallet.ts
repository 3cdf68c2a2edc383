import type { ChangeFeed } from '../../platform/cluster/change-feed.ts';
import { InvariantViolation } from 'chat-formats/assert.ts';
import type { Clock } from '../../core/time/clock.ts';
import { delay } from '../../core/time/delay.ts';
import type { Failpoint } from '../../core/failpoint.ts';
import { GatewayError } from 'chat-formats/gateway-error.ts';
import type { Nano } from '../../core/money.ts';
import { type Deadline, whenOver } from '../../core/time/deadline.ts';
import type { Store } from '../../platform/store/store.ts';
import { type Checkpoints, checkpoints } from './recovery/checkpoints.ts';
import { type Hold, type HoldName, OpenHold } from './wallet/hold.ts';
import type { Journal } from './recovery/journal.ts';
import { adjustLease } from './wallet/leases.ts';
import { Leasing } from './leasing.ts';
import { heartbeatEveryMs, Membership } from './recovery/membership.ts';
import type { JournalReplay } from './recovery/processes.ts';
import type { AccountLease, Waiter } from './wallet/account-lease.ts';
import { DeadLetterCheckpoints } from './recovery/dead-letter-checkpoints.ts';
import { PeriodicTasks } from '../../core/time/periodic-tasks.ts';
import type { Settlement } from './ledger/charging.ts';
import { moneyLostError, SettlementQueue } from './settlement-queue.ts';
import { Budgets } from './budgets.ts';
import type { BudgetShare } from './budgets/budget-share.ts';

/** Reserves and charges money of all accounts, for this process. */
export interface Wallet {
  /**
   * Reserves the most a request can cost. Synchronous, without the store, while the leases of this process cover it.
   * Otherwise it leases more, and waits for an unreachable store until the deadline. Throws or rejects with
   * `insufficient-balance`, `key-cap-reached` or `limit-reached`; with `overloaded` if the deadline is over or no charge can be saved;
   * or with the abort reason of the client.
   */
  hold(name: HoldName, amount: Nano, deadline?: Deadline): Hold | Promise<Hold>;
  /** The same, if it needs neither the store nor a wait. Otherwise it holds nothing and returns `undefined`. */
  holdNow(name: HoldName, amount: Nano): Hold | undefined;
  /** The number of holds that are neither posted nor voided. */
  readonly holds: number;
  /** Charges that the store lacks, and the size of the journal that keeps them. */
  readonly pending: number;
  readonly journalBytes: number;
  /** Checkpoints of expired processes that cannot be charged. The number is the same for every process on the store. */
  readonly refusedCheckpoints: number;
  /** The id (incarnation) of this process. It changes if the process expired by mistake. */
  readonly processId: string;
  /** Whether no other process can have reaped this one since its last heartbeat. */
  readonly isSurelyAlive: boolean;
  /** Whether a running request of this process holds money of the account. */
  holdsMoney(accountId: string): boolean;
  /** Why new requests cannot be charged, as a sentence; `undefined` if they can. */
  readonly problem: string | undefined;
  /** A warning while requests can still be charged, as a sentence. */
  readonly note: string | undefined;
  start(): Promise<void>;
  /** Books the finished charges and returns the leases. */
  stop(): Promise<void>;
}

export interface WalletParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly feed: Pick<ChangeFeed, 'subscribe' | 'publish'>;
  readonly newId: () => string;
  readonly journal: (processId: string) => Journal;
  /** Books the charges in the journals of this machine. */
  readonly replay?: JournalReplay;
  /** Also called once for each `DeadLetterCharge` and `DeadLetterCheckpoint`. */
  readonly onError: (error: unknown) => void;
  /** Called with the charges that the store has booked. */
  readonly booked?: (settlements: readonly Settlement[]) => void;
  /** Lets a crash test kill the process at a chosen point. */
  readonly failpoint?: Failpoint;
}

/** How long a running request waits for new money after its lease was lost. Also the default deadline of a hold. */
const defaultTimeoutMs = 10_000;
const giveBackEveryMs = 5000;
const checkpointEveryMs = 1000;
/** An unreachable store must not delay the exit: by then the charges are in the journal, and recovery does the rest. */
const stopTimeoutMs = 5000;

export function wallet(parts: WalletParts): Wallet {
  return new ProcessWallet(parts);
}

interface HoldTerms {
  readonly deadline: Deadline;
  /** The reserved parts of the budgets. */
  readonly shares: readonly BudgetShare[];
}

class ProcessWallet implements Wallet {
  readonly #parts: WalletParts;
  readonly #open = new Set<OpenHold>();
  readonly #membership: Membership;
  readonly #refused: DeadLetterCheckpoints;
  readonly #leasing: Leasing;
  readonly #queue: SettlementQueue;
  readonly #budgets: Budgets;
  readonly #checkpoints: Checkpoints;
  readonly #periodicTasks: PeriodicTasks;
  #journal: Journal;
  #unsubscribe = (): void => {};

  constructor(parts: WalletParts) {
    const { store, clock, feed, onError } = parts;
    this.#parts = parts;
    this.#refused = new DeadLetterCheckpoints(parts);
    this.#membership = new Membership({
      ...parts,
      refused: this.#refused,
      running: () => [...this.#open].map(({ name }) => name.requestId),
      settle: () => this.#queue.attemptNow(),
      onNewId: (charged) => this.#replaceLeases(charged),
    });
    this.#leasing = new Leasing({
      clock,
      onError,
      membership: this.#membership,
      funds: {
        adjust: (name, wish) => store.commit(adjustLease, { name, wish }),
        recall: (accountId) => feed.publish(store.db, 'lease', accountId),
        refusal: () => new GatewayError('insufficient-balance'),
      },
    });
    this.#budgets = new Budgets({ store, clock, feed, onError, membership: this.#membership });
    this.#journal = parts.journal(this.#membership.processId);
    this.#queue = new SettlementQueue({
      ...parts,
      journal: () => this.#journal,
      isLeaseCertain: ({ processId }) => processId === this.#membership.processId && this.#membership.isSurelyAlive,
    });
    this.#checkpoints = checkpoints({ store, queue: this.#queue, processId: () => this.processId });
    this.#periodicTasks = new PeriodicTasks(clock, onError);
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

  get isSurelyAlive(): boolean {
    return this.#membership.isSurelyAlive;
  }

  holdsMoney(accountId: string): boolean {
    return [...this.#open].some(({ name, amount }) => name.accountId === accountId && amount > 0n);
  }

  get problem(): string | undefined {
    if (this.#queue.isStuck) return 'Charges can be kept neither in the store nor on the disk.';
    return this.#membership.isSurelyAlive ? undefined : 'Money cannot be leased from the store.';
  }

  get note(): string | undefined {
    if (this.#membership.isOnTime) return undefined;
    if (!this.#membership.canUseLeases) return 'Money cannot be leased just now: paid requests wait.';
    return 'Money cannot be leased just now: requests use existing leases.';
  }

  async start(): Promise<void> {
    this.#unsubscribe = this.#parts.feed.subscribe((changes) => {
      for (const change of changes) {
        if (change.topic === 'lease') this.#leasing.onRecalled(change.subject);
        this.#budgets.onChange(change);
      }
    });
    this.#periodicTasks.every(heartbeatEveryMs, () => this.#membership.sendHeartbeat());
    this.#periodicTasks.every(heartbeatEveryMs, () => this.#membership.reapPeers());
    this.#periodicTasks.every(giveBackEveryMs, () => this.#leasing.giveBackIdle());
    this.#periodicTasks.every(giveBackEveryMs, () => this.#budgets.giveBackIdle());
    this.#periodicTasks.every(checkpointEveryMs, () => this.#checkpoints.save(this.#open));
    await this.#membership.start();
    // A failure here is not fatal: the next run reaps the expired processes.
    await this.#membership.reapPeers().catch(this.#parts.onError);
  }

  async stop(): Promise<void> {
    this.#unsubscribe();
    this.#periodicTasks.stop();
    const { clock, onError } = this.#parts;
    const booked = Promise.all([this.#leasing.stop(), this.#budgets.stop(), this.#queue.flush()])
      .then(() => this.#membership.stop())
      .catch(onError);
    const isBooked = new AbortController();
    await Promise.race([booked, delay(clock, stopTimeoutMs, isBooked.signal).catch(() => undefined)]);
    isBooked.abort();
    await this.#journal.close().catch(onError);
  }

  hold(name: HoldName, amount: Nano, deadline = this.#defaultDeadline()): Hold | Promise<Hold> {
    if (this.#queue.isStuck) throw new GatewayError('overloaded', { cause: new Error('no charge can be saved') });
    const { accountId, limits } = name;
    if (!limits) return this.#hold(name, amount, { deadline, shares: [] });
    const shares = this.#guarded(() => this.#budgets.reserve({ accountId, limits }, amount, deadline));
    if (!(shares instanceof Promise)) return this.#hold(name, amount, { deadline, shares });
    return shares.then((late) => this.#hold(name, amount, { deadline, shares: late }));
  }

  holdNow(name: HoldName, amount: Nano): Hold | undefined {
    const { accountId, limits } = name;
    const accountLease = this.#leasing.accountLease(accountId);
    if (this.#queue.isStuck || !this.#isCovered(accountLease, amount)) return undefined;
    return this.#guarded(() => {
      const shares = limits ? this.#budgets.reserveNow({ accountId, limits }, amount) : [];
      if (!shares) return undefined;
      accountLease.take(amount);
      return this.#openHold(name, amount, accountLease, shares);
    });
  }

  #isCovered(accountLease: AccountLease, amount: Nano): boolean {
    return (
      amount === 0n ||
      (accountLease.waiting.length === 0 && accountLease.free >= amount && this.#membership.canUseLeases)
    );
  }

  #hold(name: HoldName, amount: Nano, { deadline, shares }: HoldTerms): Hold | Promise<Hold> {
    const accountLease = this.#leasing.accountLease(name.accountId);
    if (this.#isCovered(accountLease, amount)) {
      this.#guarded(() => accountLease.take(amount));
      return this.#openHold(name, amount, accountLease, shares);
    }
    return new Promise((resolve, reject) => {
      const waiter = this.#waiter(amount, {
        granted: (granting) => resolve(this.#openHold(name, amount, granting, shares)),
        refused: (error) => {
          for (const share of shares) share.end(0n);
          reject(error);
        },
      });
      this.#leasing.wait(accountLease, this.#withDeadline(waiter, name, deadline));
    });
  }

  #openHold(name: HoldName, amount: Nano, accountLease: AccountLease, shares: readonly BudgetShare[]): OpenHold {
    const hold = new OpenHold(name, amount, accountLease, {
      at: shares[0]?.at ?? this.#parts.clock.now(),
      budgetLeases: () => leasesOf(shares),
      settle: (charge, booked) =>
        this.#queue.push(charge, (stillLeased) => {
          this.#guarded(() => booked(stillLeased));
          for (const share of shares) this.#guarded(() => share.booked(stillLeased));
        }),
      onEnd: (ended, funding, spent, cost) => {
        this.#open.delete(ended);
        for (const share of shares) this.#guarded(() => share.end(cost - ended.chargedBefore));
        this.#guarded(() => {
          funding.accountLease.release(funding.share, spent);
          this.#leasing.onFreed(funding.accountLease);
        });
      },
      onFreed: (freed) => this.#leasing.onFreed(freed),
      getMore: (wider, more, deadline) =>
        this.#widen(wider, more, { deadline: deadline ?? this.#defaultDeadline(), shares }),
      alarm: this.#parts.onError,
    });
    for (const share of shares) {
      share.attachTo({
        chargedBefore: () => hold.chargedBefore,
        isRunning: () => hold.isRunning,
        lose: (error) => hold.lose(error instanceof Error ? error : moneyLostError()),
      });
    }
    this.#open.add(hold);
    return hold;
  }

  /** While a request waits for more, its hold stays. It is refused as a new hold would be. */
  async #widen(hold: OpenHold, more: Nano, { deadline, shares }: HoldTerms): Promise<void> {
    if (this.#queue.isStuck) throw new GatewayError('overloaded', { cause: new Error('no charge can be saved') });
    const { accountId } = hold.name;
    await this.#budgets.widen(shares, more, deadline);
    return new Promise((resolve, reject) => {
      const refused = (error: unknown): void => {
        this.#guarded(() => this.#budgets.narrow(shares, more));
        reject(error);
      };
      const granted = (accountLease: AccountLease): void => {
        if (!hold.grow(accountLease, more)) {
          // The request has ended meanwhile, or is about to.
          accountLease.release(more, 0n);
          return refused(new GatewayError('overloaded'));
        }
        resolve();
      };
      const accountLease = this.#leasing.accountLease(accountId);
      if (!this.#isCovered(accountLease, more)) {
        const waiter = this.#waiter(more, { granted, refused });
        return this.#leasing.wait(accountLease, this.#withDeadline(waiter, hold.name, deadline));
      }
      this.#guarded(() => accountLease.take(more));
      granted(accountLease);
    });
  }

  /** All leases are gone. Running requests get new money before others; a request that gets none is aborted. */
  #replaceLeases(charged: ReadonlyMap<string, Nano>): void {
    this.#journal.close().catch(this.#parts.onError);
    this.#journal = this.#parts.journal(this.#membership.processId);
    const orphans = new Map<string, Waiter[]>();
    for (const hold of this.#open) {
      if (!hold.isRunning || hold.amount === 0n) continue;
      hold.chargedBefore = charged.get(hold.name.requestId) ?? 0n;
      const waiters = orphans.get(hold.name.accountId) ?? [];
      waiters.push(this.#orphan(hold));
      orphans.set(hold.name.accountId, waiters);
    }
    this.#leasing.resetLeases(orphans);
    this.#budgets.resetLeases();
  }

  #orphan(hold: OpenHold): Waiter {
    const share = hold.amount > hold.chargedBefore ? hold.amount - hold.chargedBefore : 0n;
    const waiter = this.#waiter(share, {
      granted: (accountLease) => {
        if (hold.isRunning) return hold.moveTo(accountLease, share);
        accountLease.release(share, 0n);
      },
      refused: () => hold.lose(moneyLostError()),
    });
    return this.#withDeadline(waiter, hold.name, this.#defaultDeadline());
  }

  #waiter(amount: Nano, callbacks: Pick<Waiter, 'granted' | 'refused'>): Waiter {
    return { amount, ...callbacks, isShort: false, recalledMs: undefined };
  }

  /** Wraps a waiter so that it stops waiting at its deadline. */
  #withDeadline(waiter: Waiter, { accountId }: HoldName, deadline: Deadline): Waiter {
    const limited: Waiter = {
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
      if (this.#leasing.leave(accountId, limited)) waiter.refused(error);
    });
    return limited;
  }

  #defaultDeadline(): Deadline {
    return { deadlineMs: this.#parts.clock.elapsed() + defaultTimeoutMs };
  }

  /** An invariant violation is reported and ends the request, not the process. */
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

function leasesOf(shares: readonly BudgetShare[]): Settlement['budgetLeases'] {
  if (shares.length === 0) return undefined;
  return shares.map(({ accountLease, budget }) => ({ processId: accountLease.processId, budget }));
}
