import { assert } from '../../core/assert.ts';
import type { AccountDemand, SlotLease } from '../../cluster/arbiter.ts';
import { accountSlotsMax } from './account-share.ts';
import type { Demand } from './demand.ts';
import { KnownAccounts } from './known-accounts.ts';
import { type SubQueue, openSubQueue } from './sub-queue.ts';
import { LinkedSubQueue } from './linked-sub-queue.ts';
import { type AccountQueue, type QueuedAccount, type Ticket, WaitingSubQueue } from './queued-account.ts';
import { RecentAccounts } from './recent-accounts.ts';

/** One turn in so many goes to the account whose last turn is longest ago, if it has waited too long for the next. */
const agedTurnEvery = 8;
const agedAfterMs = 120_000;
/** Of those who have waited too long, so many are looked at; the others are closer to their turn than these. */
const agedLooksMax = 16;

/**
 * Decides whose turn it is at one upstream: start-time fair queueing over accounts by weight, the keys of an account in
 * turn, the requests of a key in order of arrival. An account pays for a request in virtual time when it is let in, by
 * its expected cost, and is corrected to the real one when it ends; having been idle earns nothing.
 *
 * It keeps no time and counts no slots: whoever asks for the `next` has a slot for it.
 */
export class FairQueue {
  readonly #elapsed: () => number;
  /** An account is remembered until others have caught up with it, so that going away and coming back gains nothing. */
  readonly #accounts = new KnownAccounts((account) => account.isIdle && account.served <= this.#virtualTime);
  readonly #subQueues = new Map<string, WaitingSubQueue>();
  /** The accounts with waiting requests, by how long the first of them has been first. */
  readonly #byDeadline = new LinkedSubQueue<QueuedAccount>();
  readonly #recent: RecentAccounts;
  /** All that comes is one account's: nobody else needs a slot to be left. */
  readonly #isOfOne: boolean;
  #virtualTime = 0;
  #arrivals = 0;
  #turns = 0;
  #waitingCount = 0;
  #coolingCount = 0;
  #runningCount = 0;
  /** Requests that run and wait in other processes. */
  #elsewhereCount = 0;

  constructor(elapsed: () => number, { isOfOne = false } = {}) {
    this.#elapsed = elapsed;
    this.#isOfOne = isOfOne;
    this.#recent = new RecentAccounts(elapsed());
  }

  /** Those in a sub-queue, and those that rest before they come back to theirs. */
  get waiting(): number {
    return this.#waitingCount + this.#coolingCount;
  }

  get resting(): number {
    return this.#coolingCount;
  }

  get running(): number {
    return this.#runningCount;
  }

  /** Every account that waits, runs or has not yet been caught up with. */
  get accounts(): Iterable<QueuedAccount> {
    return this.#accounts.all;
  }

  /** The sub-queues in which somebody waits. */
  get subQueues(): readonly SubQueue[] {
    return [...this.#subQueues.values()].map(({ subQueue }) => subQueue);
  }

  /** What each account has and wants, for those who divide the slots. */
  demands(): readonly AccountDemand[] {
    return [...this.#accounts.all]
      .filter((account) => !account.isIdle)
      .map((account) => {
        const { id, weight, running, ready } = account;
        return { id, weight, running, waiting: ready, used: 0 };
      });
  }

  /** What other processes have and want: an account has one share, and of it here the part of its requests that is here. */
  heardElsewhere({ elsewhere, accounts }: Pick<SlotLease, 'elsewhere' | 'accounts'>): void {
    this.#elsewhereCount = elsewhere.running + elsewhere.waiting;
    const said = new Map(accounts.map((account) => [account.id, account]));
    for (const account of this.#accounts.all) {
      const { running = 0, wants = 0 } = said.get(account.id) ?? {};
      account.runningElsewhere = running;
      const here = account.running + account.ready;
      if (here > 0) this.#setPartHere(account, here / (here + wants));
    }
  }

  /** Sub-queues a request up. */
  enter(demand: Demand, subQueue: SubQueue = openSubQueue): Ticket {
    const ticket = this.#ticket(demand, subQueue);
    const { account } = ticket;
    if (account.waiting === 0) this.#wake(account);
    account.append(ticket, this.#subQueueOf(subQueue));
    this.#waitingCount += 1;
    this.#rank(account);
    return ticket;
  }

  /** Lets a request in at once, unless its account holds all it may. Right only when nobody else could be let in. */
  enterAtOnce(demand: Demand, limit: number): Ticket | undefined {
    const ticket = this.#ticket(demand, openSubQueue);
    const { account } = ticket;
    if (this.#isHeldBack(account, limit)) return undefined;
    account.served = Math.max(account.served, this.#virtualTime);
    this.#virtualTime = account.served;
    this.#letIn(ticket);
    this.#rank(account);
    return ticket;
  }

  /** Whose turn it is, of `limit` slots in all; that request is let in. Nobody, when none waits that may have a slot. */
  next(limit: number): Ticket | undefined {
    const open = this.#openSubQueues();
    const ticket = (this.#agedTurn(open, limit) ?? this.#fairTurn(open, limit))?.head;
    if (!ticket) {
      const isAnyoneLeft = open.some(({ accounts }) => accounts.size > 1);
      assert(!isAnyoneLeft, 'nobody who could be let in is left waiting, but an account that holds all it may');
      return undefined;
    }
    const { account } = ticket;
    this.#turns += 1;
    this.#stepOut(ticket);
    if (!ticket.isCharged) account.passTurn(ticket.demand.keyId);
    this.#letIn(ticket);
    this.#standLast(account);
    this.#rank(account);
    return ticket;
  }

  /** A request that waits gives up: it costs its account nothing. */
  cancel(ticket: Ticket): void {
    if (ticket.state === 'waiting') this.#stepOut(ticket);
    else if (ticket.state === 'resting') this.#endCooldown(ticket);
    else return;
    ticket.state = 'over';
    if (ticket.isCharged) this.#correct(ticket, 0);
    this.#rank(ticket.account);
    this.#forgetIfIdle(ticket.account);
  }

  /** A request is over; its account pays what it cost, at most what it could cost, or the estimate where no cost is known. */
  leave(ticket: Ticket, actualCost = ticket.demand.cost): void {
    const cost = Math.min(actualCost, ticket.demand.costMax ?? Number.POSITIVE_INFINITY);
    this.#stop(ticket);
    ticket.state = 'over';
    this.#correct(ticket, cost);
    this.#rank(ticket.account);
    this.#forgetIfIdle(ticket.account);
  }

  /** A request that was let in got no answer for want of room: it has no slot any more, and will wait in that sub-queue, but not yet. */
  rest(ticket: Ticket, subQueue: SubQueue = openSubQueue): void {
    this.#stop(ticket);
    ticket.subQueue = subQueue;
    ticket.state = 'resting';
    ticket.account.resting += 1;
    this.#coolingCount += 1;
  }

  /** A request has rested: it waits again, with its old tag, before all others. */
  takeBack(ticket: Ticket): void {
    this.#endCooldown(ticket);
    const { account } = ticket;
    if (account.waiting === 0) this.#wake(account);
    account.takeBack(ticket, this.#subQueueOf(ticket.subQueue));
    ticket.state = 'waiting';
    this.#waitingCount += 1;
    this.#rank(account);
  }

  /** Those of a closed sub-queue have no claim on the time that goes by meanwhile. */
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

  #fairTurn(open: readonly WaitingSubQueue[], limit: number): AccountQueue | undefined {
    let first: AccountQueue | undefined;
    let heldBack: QueuedAccount | undefined;
    for (const { accounts } of open) {
      let at = accounts.first;
      if (at && this.#isHeldBack(at.account, limit, open)) {
        heldBack = at.account;
        // While a slot is free, no second account can hold as many as one may, so the next one is not held back too.
        at = accounts.second;
      }
      if (at && (!first || isBefore(at, first))) first = at;
    }
    if (!first?.head || first.head.isCharged) return first;
    this.#take(first);
    // It keeps its claim to what it is behind now, and has none to what others gain while it is held back.
    if (heldBack) heldBack.behind ??= Math.max(0, this.#virtualTime - heldBack.served);
    return first;
  }

  /** Virtual time moves on to the account whose turn it is, which has no claim on turns that it could not have taken. */
  #take({ account, subQueue }: AccountQueue): void {
    const claim = account.behind === undefined ? 0 : this.#virtualTime - account.behind;
    account.served = Math.max(account.served, subQueue.closedAt, claim);
    account.behind = undefined;
    if (subQueue.closedAtMs > account.waitingSinceMs) this.#startWaiting(account);
    this.#virtualTime = Math.max(this.#virtualTime, account.served);
  }

  /**
   * Out of its order, so virtual time does not move; the account pays as for any other turn. What counts is the time
   * since the account's last turn: by the age of a request alone, whoever has the longest backlog would gain by it.
   */
  #agedTurn(open: readonly WaitingSubQueue[], limit: number): AccountQueue | undefined {
    if (this.#turns % agedTurnEvery !== agedTurnEvery - 1) return undefined;
    let link = this.#byDeadline.firstLink;
    for (let looks = 0; link && looks < agedLooksMax; looks += 1, link = link.after) {
      const account = link.item;
      if (this.#elapsed() - account.firstSinceMs <= agedAfterMs) return undefined;
      if (this.#isHeldBack(account, limit, open)) continue;
      const at = account.next((subQueue) => open.includes(subQueue));
      if (at) return at;
    }
    return undefined;
  }

  /**
   * Whether an account holds all it may. What it has elsewhere counts while the slot would stay free for others: where
   * others wait here too, they take turns, or each gateway would pass over the account that another one serves.
   */
  #isHeldBack(account: QueuedAccount, limit: number, open: readonly WaitingSubQueue[] = []): boolean {
    const runningElsewhere = isAlsoForOthers(open, account) ? 0 : account.runningElsewhere;
    if (this.#isOfOne || limit < 2 || account.running + runningElsewhere < accountSlotsMax(limit)) return false;
    const isAloneHere = this.#runningCount === account.running && this.waiting === account.waiting + account.resting;
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

  /** Who did not wait has no claim on the time that went by. */
  #wake(account: QueuedAccount): void {
    account.served = Math.max(account.served, this.#virtualTime);
    this.#startWaiting(account);
    account.behind = undefined;
    account.order = this.#arrivals;
    this.#standLast(account);
  }

  #startWaiting(account: QueuedAccount): void {
    account.servedBefore = account.served;
    account.waitingSinceMs = this.#elapsed();
  }

  #standLast(account: QueuedAccount): void {
    if (account.deadline) this.#byDeadline.remove(account.deadline);
    account.deadline = this.#byDeadline.push(account);
    account.firstSinceMs = this.#elapsed();
  }

  #letIn(ticket: Ticket): void {
    const { account, demand } = ticket;
    if (!ticket.isCharged) {
      ticket.tag = account.served;
      account.served += demand.cost / account.weightHere;
      ticket.isCharged = true;
    }
    ticket.state = 'running';
    account.running += 1;
    this.#runningCount += 1;
  }

  #stop(ticket: Ticket): void {
    const { account, state } = ticket;
    assert(state === 'running' && account.running > 0 && this.#runningCount > 0, 'only a request that runs is over');
    account.running -= 1;
    this.#runningCount -= 1;
  }

  #stepOut(ticket: Ticket): void {
    const { account, at } = ticket;
    account.remove(ticket);
    assert(this.#waitingCount > 0, 'a queue in which nobody waits is left by nobody');
    this.#waitingCount -= 1;
    if (!at || at.length > 0) return;
    at.subQueue.accounts.remove(at);
    if (at.subQueue.accounts.size === 0) this.#subQueues.delete(at.subQueue.subQueue.name);
  }

  #endCooldown(ticket: Ticket): void {
    const { account } = ticket;
    assert(ticket.state === 'resting' && account.resting > 0, 'only a request that rests has rested');
    account.resting -= 1;
    this.#coolingCount -= 1;
  }

  #correct({ account, demand }: Ticket, actualCost: number): void {
    account.served += (actualCost - demand.cost) / account.weightHere;
  }

  /** What an account has had beyond its turn stays the same cost: with more of its weight here, others catch up sooner. */
  #setPartHere(account: QueuedAccount, part: number): void {
    const ahead = Math.max(0, account.served - this.#virtualTime);
    account.served += ahead * (account.partHere / part - 1);
    account.partHere = part;
    this.#rank(account);
  }

  /** Finds an account its slot among those that wait after anything about it has changed. */
  #rank(account: QueuedAccount): void {
    for (const at of account.subQueues.values()) at.subQueue.accounts.rank(at);
    if (account.waiting === 0 && account.deadline) this.#byDeadline.remove(account.deadline);
  }

  #forgetIfIdle(account: QueuedAccount): void {
    if (this.waiting > 0 || this.#runningCount > 0) return this.#accounts.forget(account);
    assert(this.#subQueues.size === 0, 'where nobody waits there is no sub-queue');
    this.#accounts.clear();
    this.#virtualTime = 0;
  }
}

function isAlsoForOthers(open: readonly WaitingSubQueue[], account: QueuedAccount): boolean {
  return open.some(({ accounts }) => accounts.size > 1 || accounts.first?.account !== account);
}

function isBefore(one: AccountQueue, other: AccountQueue): boolean {
  if (one.account === other.account) return one.isBeforeOwn(other);
  return one.tag < other.tag || (one.tag === other.tag && one.account.order < other.account.order);
}
