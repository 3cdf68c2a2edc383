import { assert } from 'chat-formats/assert.ts';
import type { AccountDemand, AccountElsewhere } from '../../../platform/cluster/arbiter.ts';
import type { Demand } from './demand.ts';
import { KnownAccounts } from './known-accounts.ts';
import { type SubQueue, openSubQueue } from './sub-queue.ts';
import { LinkedQueue } from './linked-queue.ts';
import { type AccountQueue, type QueuedAccount, type Ticket, WaitingSubQueue } from './queued-account.ts';
import { RecentAccounts } from './recent-accounts.ts';

/** One slot in this many goes to the account whose last slot is longest ago, if it has waited too long for the next. */
const agedGrantEvery = 8;
const agedAfterMs = 120_000;
/** At most this many of the accounts that waited too long are checked; the others have waited for less time. */
const agedChecksMax = 16;

/** The requests of this queue's class in other processes. */
interface DemandElsewhere {
  readonly elsewhere: { readonly running: number; readonly waiting: number };
  readonly accounts: readonly AccountElsewhere[];
}

/**
 * Decides which request gets the next slot of one upstream: start-time fair queueing over accounts by weight, round
 * robin over the keys of an account, and first in, first out within a key. An account is charged in virtual time when
 * its request is admitted, by the estimated cost. The charge is corrected to the actual cost when the request ends.
 * Idle time earns nothing.
 *
 * The queue has no timers and counts no slots: a caller of `next` has a free slot.
 */
export class FairQueue {
  readonly #elapsed: () => number;
  /** An account is kept until others have caught up with it, so that leaving and returning gains nothing. */
  readonly #accounts = new KnownAccounts((account) => account.isIdle && account.served <= this.#virtualTime);
  readonly #subQueues = new Map<string, WaitingSubQueue>();
  /** The accounts with waiting requests, in the order of `firstSinceMs`. */
  readonly #byDeadline = new LinkedQueue<QueuedAccount>();
  readonly #recent: RecentAccounts;
  /** An account may hold every slot: all requests are of one account, or of the idle class. */
  readonly #hasNoMaximum: boolean;
  readonly #isIdleClass: boolean;
  #virtualTime = 0;
  #arrivals = 0;
  #grants = 0;
  #waitingCount = 0;
  #coolingCount = 0;
  #runningCount = 0;
  /** Time that the slots of the idle class were in use until `#countedMs`. */
  #slotMs = 0;
  #countedMs = 0;
  /** Running and waiting requests in other processes. */
  #elsewhereCount = 0;

  constructor(elapsed: () => number, { isOfOne = false, isIdleClass = false } = {}) {
    this.#elapsed = elapsed;
    this.#hasNoMaximum = isOfOne || isIdleClass;
    this.#isIdleClass = isIdleClass;
    this.#recent = new RecentAccounts(elapsed());
  }

  /** Requests in a sub-queue, and requests in a cooldown before they return to theirs. */
  get waiting(): number {
    return this.#waitingCount + this.#coolingCount;
  }

  get coolingDown(): number {
    return this.#coolingCount;
  }

  get running(): number {
    return this.#runningCount;
  }

  /** Time that all its requests together have held slots, in ms. Only the idle class counts it. */
  get slotMs(): number {
    this.#countSlotTime();
    return this.#slotMs;
  }

  /** Every account that waits, runs, or is still ahead in virtual time. */
  get accounts(): Iterable<QueuedAccount> {
    return this.#accounts.all;
  }

  /** When the last request arrived, or when the queue was created. */
  get lastArrivalMs(): number {
    return this.#recent.lastMs;
  }

  get subQueues(): readonly SubQueue[] {
    return [...this.#subQueues.values()].map(({ subQueue }) => subQueue);
  }

  /** The running and waiting requests of each account, for the report to the arbiter. */
  demands(): readonly AccountDemand[] {
    return [...this.#accounts.all]
      .filter((account) => !account.isIdle)
      .map((account) => {
        const { id, weight, running, ready } = account;
        return { id, weight, running, waiting: ready };
      });
  }

  /** Applies the demand of other processes: an account's share is divided in proportion to its requests. */
  applyElsewhere({ elsewhere, accounts }: DemandElsewhere): void {
    this.#elsewhereCount = elsewhere.running + elsewhere.waiting;
    const reported = new Map(accounts.map((account) => [account.id, account]));
    for (const account of this.#accounts.all) {
      const { running = 0, wants = 0 } = reported.get(account.id) ?? {};
      account.runningElsewhere = running;
      const here = account.running + account.ready;
      if (here > 0) this.#setPartHere(account, here / (here + wants));
    }
  }

  enter(demand: Demand, subQueue: SubQueue = openSubQueue): Ticket {
    const ticket = this.#ticket(demand, subQueue);
    const { account } = ticket;
    if (account.waiting === 0) this.#wake(account);
    account.append(ticket, this.#subQueueOf(subQueue));
    this.#waitingCount += 1;
    this.#rank(account);
    return ticket;
  }

  /** Admits a request unless its account holds its maximum. Only correct if no waiting one could be admitted. */
  enterAtOnce(demand: Demand, limit: number): Ticket | undefined {
    const ticket = this.#ticket(demand, openSubQueue);
    const { account } = ticket;
    if (this.#isHeldBack(account, limit)) return undefined;
    account.served = Math.max(account.served, this.#virtualTime);
    this.#virtualTime = account.served;
    this.#admit(ticket);
    this.#rank(account);
    return ticket;
  }

  /** Admits the next request, of `limit` slots in all. `undefined` if no waiting request may have a slot. */
  next(limit: number): Ticket | undefined {
    const open = this.#openSubQueues();
    const ticket = (this.#nextAged(open, limit) ?? this.#nextFair(open, limit))?.head;
    if (!ticket) {
      const isAnyoneLeft = open.some(({ accounts }) => accounts.size > 1);
      assert(!isAnyoneLeft, 'only requests of an account that holds its maximum are left waiting');
      return undefined;
    }
    const { account } = ticket;
    this.#grants += 1;
    this.#dequeue(ticket);
    if (!ticket.isCharged) account.rotateKey(ticket.demand.keyId);
    this.#admit(ticket);
    this.#moveToEnd(account);
    this.#rank(account);
    return ticket;
  }

  /** Cancels a waiting request: it costs its account nothing. */
  cancel(ticket: Ticket): void {
    if (ticket.state === 'waiting') this.#dequeue(ticket);
    else if (ticket.state === 'cooling-down') this.#endCooldown(ticket);
    else return;
    ticket.state = 'over';
    if (ticket.isCharged) this.#correct(ticket, 0);
    this.#rank(ticket.account);
    this.#forgetIfIdle(ticket.account);
  }

  /** Charges the account the actual cost, at most `costMax`, or the estimate if no cost is known. */
  leave(ticket: Ticket, actualCost = ticket.demand.cost): void {
    const cost = Math.min(actualCost, ticket.demand.costMax ?? Number.POSITIVE_INFINITY);
    this.#stop(ticket);
    ticket.state = 'over';
    this.#correct(ticket, cost);
    this.#rank(ticket.account);
    this.#forgetIfIdle(ticket.account);
  }

  /** A refused request gives up its slot, and will wait in the given sub-queue after a cooldown. */
  coolDown(ticket: Ticket, subQueue: SubQueue = openSubQueue): void {
    this.#stop(ticket);
    ticket.subQueue = subQueue;
    ticket.state = 'cooling-down';
    ticket.account.coolingDown += 1;
    this.#coolingCount += 1;
  }

  /** The cooldown of a request is over: it waits again, with its old tag, before all others. */
  requeue(ticket: Ticket): void {
    this.#endCooldown(ticket);
    const { account } = ticket;
    if (account.waiting === 0) this.#wake(account);
    account.requeue(ticket, this.#subQueueOf(ticket.subQueue));
    ticket.state = 'waiting';
    this.#waitingCount += 1;
    this.#rank(account);
  }

  /** Accounts in a closed sub-queue have no claim on the time that goes by meanwhile. */
  #openSubQueues(): readonly WaitingSubQueue[] {
    const open: WaitingSubQueue[] = [];
    for (const each of this.#subQueues.values()) {
      if (each.subQueue.isOpen()) {
        open.push(each);
        continue;
      }
      each.closedAt = this.#virtualTime;
      each.closedAtMs = this.#elapsed();
    }
    return open;
  }

  #nextFair(open: readonly WaitingSubQueue[], limit: number): AccountQueue | undefined {
    let first: AccountQueue | undefined;
    let heldBack: QueuedAccount | undefined;
    for (const { accounts } of open) {
      let at = accounts.first;
      if (at && this.#isHeldBack(at.account, limit, open)) {
        heldBack = at.account;
        // While a slot is free, no second account can hold the maximum, so the next one is not held back too.
        at = accounts.second;
      }
      if (at && (!first || isBefore(at, first))) first = at;
    }
    if (!first?.head || first.head.isCharged) return first;
    this.#take(first);
    // The account keeps its claim to what it is behind now, and gets none to what others gain while it is held back.
    if (heldBack) heldBack.behind ??= Math.max(0, this.#virtualTime - heldBack.served);
    return first;
  }

  /** Virtual time moves on to the account, which has no claim on slots that it could not have taken. */
  #take({ account, subQueue }: AccountQueue): void {
    const claim = account.behind === undefined ? 0 : this.#virtualTime - account.behind;
    account.served = Math.max(account.served, subQueue.closedAt, claim);
    account.behind = undefined;
    if (subQueue.closedAtMs > account.waitingSinceMs) this.#startWaiting(account);
    this.#virtualTime = Math.max(this.#virtualTime, account.served);
  }

  /**
   * Out of order, so virtual time does not move; the account is charged as usual. The time since the account's last
   * slot decides. If the age of its request did, the account with the longest backlog would gain.
   */
  #nextAged(open: readonly WaitingSubQueue[], limit: number): AccountQueue | undefined {
    if (this.#grants % agedGrantEvery !== agedGrantEvery - 1) return undefined;
    let link = this.#byDeadline.firstLink;
    for (let checks = 0; link && checks < agedChecksMax; checks += 1, link = link.after) {
      const account = link.item;
      if (this.#elapsed() - account.firstSinceMs <= agedAfterMs) return undefined;
      if (this.#isHeldBack(account, limit, open)) continue;
      const at = account.next((subQueue) => open.includes(subQueue));
      if (at) return at;
    }
    return undefined;
  }

  /**
   * Whether an account holds its maximum. Its slots elsewhere count only if the slot would stay free for others. If
   * others wait here too, they take turns; otherwise each gateway would pass over the account that another one serves.
   */
  #isHeldBack(account: QueuedAccount, limit: number, open: readonly WaitingSubQueue[] = []): boolean {
    const runningElsewhere = isAlsoForOthers(open, account) ? 0 : account.runningElsewhere;
    if (this.#hasNoMaximum || limit < 2 || account.running + runningElsewhere < accountSlotsMax(limit)) return false;
    const isAloneHere =
      this.#runningCount === account.running && this.waiting === account.waiting + account.coolingDown;
    const isAlone = isAloneHere && this.#elsewhereCount <= account.runningElsewhere;
    return !isAlone || this.#recent.mayCome(account.id, limit, this.#elapsed());
  }

  #ticket(demand: Demand, subQueue: SubQueue): Ticket {
    assert(demand.cost > 0 && demand.weight > 0 && demand.cost < Infinity, 'a request has a cost and a weight');
    this.#recent.note(demand.accountId, this.#elapsed());
    const account = this.#accounts.of(demand.accountId);
    account.weight = demand.weight;
    const arrival = (this.#arrivals += 1);
    return {
      demand,
      account,
      subQueue,
      arrival,
      isIdleClass: this.#isIdleClass,
      state: 'waiting',
      tag: 0,
      isCharged: false,
      at: undefined,
      link: undefined,
    };
  }

  #subQueueOf(subQueue: SubQueue): WaitingSubQueue {
    const known = this.#subQueues.get(subQueue.name);
    if (known) return known;
    const waiting = new WaitingSubQueue(subQueue);
    waiting.closedAt = this.#virtualTime;
    this.#subQueues.set(subQueue.name, waiting);
    return waiting;
  }

  /** An account that did not wait has no claim on the time that went by. */
  #wake(account: QueuedAccount): void {
    account.served = Math.max(account.served, this.#virtualTime);
    this.#startWaiting(account);
    account.behind = undefined;
    account.order = this.#arrivals;
    this.#moveToEnd(account);
  }

  #startWaiting(account: QueuedAccount): void {
    account.servedBefore = account.served;
    account.waitingSinceMs = this.#elapsed();
  }

  #moveToEnd(account: QueuedAccount): void {
    if (account.deadline) this.#byDeadline.remove(account.deadline);
    account.deadline = this.#byDeadline.push(account);
    account.firstSinceMs = this.#elapsed();
  }

  #admit(ticket: Ticket): void {
    const { account, demand } = ticket;
    if (!ticket.isCharged) {
      ticket.tag = account.served;
      account.served += demand.cost / account.weightHere;
      ticket.isCharged = true;
    }
    ticket.state = 'running';
    account.running += 1;
    this.#countSlotTime();
    this.#runningCount += 1;
  }

  #stop(ticket: Ticket): void {
    const { account, state } = ticket;
    assert(state === 'running' && account.running > 0 && this.#runningCount > 0, 'only a running request can end');
    account.running -= 1;
    this.#countSlotTime();
    this.#runningCount -= 1;
  }

  #countSlotTime(): void {
    if (!this.#isIdleClass) return;
    const nowMs = this.#elapsed();
    this.#slotMs += this.#runningCount * (nowMs - this.#countedMs);
    this.#countedMs = nowMs;
  }

  #dequeue(ticket: Ticket): void {
    const { account, at } = ticket;
    account.remove(ticket);
    assert(this.#waitingCount > 0, 'only a waiting request leaves the queue');
    this.#waitingCount -= 1;
    if (!at || at.length > 0) return;
    at.subQueue.accounts.remove(at);
    if (at.subQueue.accounts.size === 0) this.#subQueues.delete(at.subQueue.subQueue.name);
  }

  #endCooldown(ticket: Ticket): void {
    const { account } = ticket;
    assert(ticket.state === 'cooling-down' && account.coolingDown > 0, 'only a request in a cooldown ends it');
    account.coolingDown -= 1;
    this.#coolingCount -= 1;
  }

  #correct({ account, demand }: Ticket, actualCost: number): void {
    account.served += (actualCost - demand.cost) / account.weightHere;
  }

  /** The cost that an account is ahead stays the same: with more of its weight here, others catch up sooner. */
  #setPartHere(account: QueuedAccount, part: number): void {
    const ahead = Math.max(0, account.served - this.#virtualTime);
    account.served += ahead * (account.partHere / part - 1);
    account.partHere = part;
    this.#rank(account);
  }

  /** Updates the position of an account among the waiting ones after any change to it. */
  #rank(account: QueuedAccount): void {
    for (const at of account.subQueues.values()) at.subQueue.accounts.rank(at);
    if (account.waiting === 0 && account.deadline) this.#byDeadline.remove(account.deadline);
  }

  #forgetIfIdle(account: QueuedAccount): void {
    if (this.waiting > 0 || this.#runningCount > 0) return this.#accounts.forget(account);
    assert(this.#subQueues.size === 0, 'a queue without waiting requests has no sub-queue');
    this.#accounts.clear();
    this.#virtualTime = 0;
  }
}

function isAlsoForOthers(open: readonly WaitingSubQueue[], account: QueuedAccount): boolean {
  return open.some(({ accounts }) => accounts.size > 1 || accounts.first?.account !== account);
}

/** Whether the first request of `one` gets a slot before that of `other`. */
export function isBefore(one: AccountQueue, other: AccountQueue): boolean {
  if (one.account === other.account) return one.isBeforeOwn(other);
  return one.tag < other.tag || (one.tag === other.tag && one.account.order < other.account.order);
}

/** The largest share of one account while others could come; at least one slot is left to them. */
const accountShareMax = 0.9;

export function accountSlotsMax(limit: number): number {
  return Math.max(1, Math.min(limit - 1, Math.floor(accountShareMax * limit)));
}
