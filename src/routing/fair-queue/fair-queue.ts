import { QueuedAccount, type Ticket } from './queued-account.ts';
import { LinkedLine } from './linked-line.ts';
import { RecentAccounts } from './recent-accounts.ts';
import { TagHeap } from './tag-heap.ts';
import type { Demand } from './demand.ts';

/** Of this many places or more, some are kept for accounts that may still come. */
const headroomFrom = 4;
/** The most of the places one account may hold. */
const accountShareMax = 0.9;
/** One turn in so many goes to the account whose last turn is longest ago, if it has waited too long for the next. */
const agedTurnEvery = 8;
const agedAfterMs = 120_000;

/**
 * Decides whose turn it is at one upstream: start-time fair queueing over accounts by weight, the keys of an account in
 * turn, the requests of a key in order of arrival. An account pays for a request in virtual time when it is let in, by
 * its expected cost, and is corrected to the real one when it ends; having been idle earns nothing.
 *
 * It keeps no time and counts no places: whoever asks for the `next` has a place for it.
 */
export class FairQueue {
  readonly #elapsed: () => number;
  readonly #accounts = new Map<string, QueuedAccount>();
  /** The accounts with waiting requests. */
  readonly #waiting = new TagHeap<QueuedAccount>();
  /** The same, by how long the first of their requests has been first. */
  readonly #byPatience = new LinkedLine<QueuedAccount>();
  readonly #recent = new RecentAccounts();
  #virtualTime = 0;
  #turns = 0;
  #waitingCount = 0;
  #runningCount = 0;
  #sweepAbove = sweepAtLeast;

  constructor(elapsed: () => number) {
    this.#elapsed = elapsed;
  }

  get waiting(): number {
    return this.#waitingCount;
  }

  get running(): number {
    return this.#runningCount;
  }

  /** Every account that waits, runs or has not yet been caught up with. */
  get accounts(): Iterable<QueuedAccount> {
    return this.#accounts.values();
  }

  /** Lines a request up. */
  enter(demand: Demand): Ticket {
    const ticket = this.#ticket(demand);
    const { account } = ticket;
    if (account.waiting === 0) this.#wake(account);
    account.append(ticket);
    this.#waitingCount += 1;
    this.#rank(account);
    return ticket;
  }

  /** Lets a request in at once, unless its account holds all it may. Right only when nobody else could be let in. */
  enterAtOnce(demand: Demand, limit: number): Ticket | undefined {
    const ticket = this.#ticket(demand);
    const { account } = ticket;
    if (this.#isHeldBack(account, limit)) return undefined;
    if (account.waiting === 0) account.served = Math.max(account.served, this.#virtualTime);
    this.#virtualTime = Math.max(this.#virtualTime, account.served);
    this.#letIn(ticket);
    this.#rank(account);
    return ticket;
  }

  /** Whose turn it is, of `limit` places in all; that request is let in. Nobody, when none waits that may have a place. */
  next(limit: number): Ticket | undefined {
    const ticket = this.#agedTurn(limit) ?? this.#fairTurn(limit);
    if (!ticket) return undefined;
    this.#turns += 1;
    this.#stepOut(ticket);
    if (!ticket.isCharged) ticket.account.passTurn(ticket.demand.keyId);
    this.#letIn(ticket);
    this.#standLast(ticket.account);
    this.#rank(ticket.account);
    return ticket;
  }

  /** A request that waits gives up: it costs its account nothing. */
  cancel(ticket: Ticket): void {
    if (ticket.state !== 'waiting') return;
    this.#stepOut(ticket);
    ticket.state = 'over';
    if (ticket.isCharged) this.#correct(ticket, 0);
    this.#rank(ticket.account);
    this.#forgetIfIdle(ticket.account);
  }

  /** A request is over; its account pays what it really cost, or the estimate where nobody knows. */
  leave(ticket: Ticket, actualCost: number | undefined): void {
    if (ticket.state !== 'running') return;
    this.#stop(ticket);
    ticket.state = 'over';
    if (actualCost !== undefined) this.#correct(ticket, actualCost);
    this.#rank(ticket.account);
    this.#forgetIfIdle(ticket.account);
  }

  /** A request that was let in got no answer for want of room: it waits again, with its old tag, before all others. */
  takeBack(ticket: Ticket): void {
    if (ticket.state !== 'running') return;
    this.#stop(ticket);
    const { account } = ticket;
    if (account.waiting === 0) this.#wake(account);
    account.takeBack(ticket);
    ticket.state = 'waiting';
    this.#waitingCount += 1;
    this.#rank(account);
  }

  #fairTurn(limit: number): Ticket | undefined {
    const { first } = this.#waiting;
    if (!first) return undefined;
    const account = this.#isHeldBack(first, limit) ? this.#firstBeside(first) : first;
    const ticket = account?.head;
    if (!account || !ticket || ticket.isCharged) return ticket;
    if (account.wasHeldBack) account.served = Math.max(account.served, this.#virtualTime);
    account.wasHeldBack = false;
    this.#virtualTime = Math.max(this.#virtualTime, account.served);
    return ticket;
  }

  /**
   * Out of its order, so virtual time does not move; the account pays as for any other turn. What counts is the time
   * since the account's last turn: by the age of a request alone, whoever has the longest backlog would gain by it.
   */
  #agedTurn(limit: number): Ticket | undefined {
    if (this.#turns % agedTurnEvery !== agedTurnEvery - 1) return undefined;
    const oldest = this.#byPatience.first;
    if (!oldest || this.#elapsed() - oldest.firstSinceMs <= agedAfterMs) return undefined;
    return this.#isHeldBack(oldest, limit) ? undefined : oldest.head;
  }

  /** While a place is free, no second account can hold as many as one may, so the next one is not held back too. */
  #firstBeside(heldBack: QueuedAccount): QueuedAccount | undefined {
    heldBack.wasHeldBack = true;
    this.#waiting.remove(heldBack);
    const second = this.#waiting.first;
    this.#waiting.rank(heldBack);
    return second;
  }

  #isHeldBack(account: QueuedAccount, limit: number): boolean {
    if (limit < headroomFrom || account.running < Math.ceil(accountShareMax * limit)) return false;
    const isAlone = this.#runningCount === account.running && this.#waitingCount === account.waiting;
    return !isAlone || this.#recent.hasOther(account.id, this.#elapsed());
  }

  #ticket(demand: Demand): Ticket {
    this.#recent.note(demand.accountId, this.#elapsed());
    const account = this.#accounts.get(demand.accountId) ?? this.#newAccount(demand.accountId);
    return {
      demand,
      account,
      state: 'waiting',
      tag: 0,
      isCharged: false,
      link: undefined,
    };
  }

  #newAccount(id: string): QueuedAccount {
    if (this.#accounts.size >= this.#sweepAbove) this.#sweep();
    const account = new QueuedAccount(id);
    this.#accounts.set(id, account);
    return account;
  }

  /** Who did not wait has no claim on the time that went by. */
  #wake(account: QueuedAccount): void {
    account.served = Math.max(account.served, this.#virtualTime);
    account.servedBefore = account.served;
    account.waitingSinceMs = this.#elapsed();
    account.wasHeldBack = false;
    this.#standLast(account);
  }

  #standLast(account: QueuedAccount): void {
    if (account.patience) this.#byPatience.remove(account.patience);
    account.patience = this.#byPatience.push(account);
    account.firstSinceMs = this.#elapsed();
  }

  #letIn(ticket: Ticket): void {
    const { account, demand } = ticket;
    if (!ticket.isCharged) {
      ticket.tag = account.served;
      account.served += demand.cost / demand.weight;
      ticket.isCharged = true;
    }
    ticket.state = 'running';
    account.running += 1;
    this.#runningCount += 1;
  }

  #stop({ account }: Ticket): void {
    account.running -= 1;
    this.#runningCount -= 1;
  }

  #stepOut(ticket: Ticket): void {
    ticket.account.remove(ticket);
    this.#waitingCount -= 1;
  }

  #correct({ account, demand }: Ticket, actualCost: number): void {
    account.served += (actualCost - demand.cost) / demand.weight;
  }

  /** Finds an account its place among those that wait after anything about it has changed. */
  #rank(account: QueuedAccount): void {
    if (account.waiting > 0) return this.#waiting.rank(account);
    this.#waiting.remove(account);
    if (account.patience) this.#byPatience.remove(account.patience);
  }

  /** An account is remembered until others have caught up with it, so that going away and coming back gains nothing. */
  #forgetIfIdle(account: QueuedAccount): void {
    if (this.#waitingCount === 0 && this.#runningCount === 0) return this.#startAfresh();
    if (account.isIdle && account.served <= this.#virtualTime) this.#accounts.delete(account.id);
  }

  #startAfresh(): void {
    this.#accounts.clear();
    this.#virtualTime = 0;
    this.#sweepAbove = sweepAtLeast;
  }

  #sweep(): void {
    for (const account of this.#accounts.values()) this.#forgetIfIdle(account);
    this.#sweepAbove = Math.max(sweepAtLeast, 2 * this.#accounts.size);
  }
}

/** Accounts that are only remembered are looked through when there are twice as many as at the last look, or this many. */
const sweepAtLeast = 1024;
