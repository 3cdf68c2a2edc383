import { assert } from '../../core/assert.ts';
import type { Demand } from './demand.ts';
import type { SubQueue } from './sub-queue.ts';
import { LinkedSubQueue, type Link } from './linked-sub-queue.ts';
import { TagHeap, type Tagged } from './tag-heap.ts';

/** One account at one upstream: its share so far, and its waiting requests, sub-queue by sub-queue. */
export class QueuedAccount {
  readonly id: string;
  running = 0;
  waiting = 0;
  /** Requests that were refused and wait before they come back. */
  resting = 0;
  /** How far its service has come in virtual time: cost over weight, every request counted when it is let in. */
  served = 0;
  /** As its last request had it. */
  weight = 1;
  /** How many of its requests run in other processes, as was last heard. */
  runningElsewhere = 0;
  /** The part of its requests, wherever they run and wait, that is here: so much of its weight counts here. */
  partHere = 1;
  /** Among accounts that have come as far, who began to wait first. */
  order = 0;
  /** How far behind it was when it was first passed over because it holds as many slots as one account may. */
  behind: number | undefined;
  /** Since when its first request has been its first: its arrival, or the account's last turn. */
  firstSinceMs = 0;
  /** Where it stands among the waiting accounts, by that time. */
  deadline: Link<QueuedAccount> | undefined;
  /** When it began to wait, and how far its service had come by then. */
  waitingSinceMs = 0;
  servedBefore = 0;
  readonly subQueues = new Map<WaitingSubQueue, AccountQueue>();
  /** When each of its waiting keys last had a turn, or began to wait, counted in turns. */
  readonly #keyTurns = new Map<string, { turn: number; waiting: number }>();
  #turns = 0;

  constructor(id: string) {
    this.id = id;
  }

  /** What its turns here are counted by. */
  get weightHere(): number {
    return this.weight * this.partHere;
  }

  get isIdle(): boolean {
    return this.running === 0 && this.waiting === 0 && this.resting === 0;
  }

  /** Sub-queues up a request that was not let in yet. */
  append(ticket: Ticket, subQueue: WaitingSubQueue): void {
    const { keyId } = ticket.demand;
    const key = this.#keyTurns.get(keyId) ?? { turn: (this.#turns += 1), waiting: 0 };
    this.#keyTurns.set(keyId, key);
    key.waiting += 1;
    this.#at(subQueue).append(ticket, key.turn);
    this.waiting += 1;
  }

  /** Puts a request that was let in before all that were not, in the order of their tags. */
  takeBack(ticket: Ticket, subQueue: WaitingSubQueue): void {
    this.#at(subQueue).takeBack(ticket);
    this.waiting += 1;
  }

  /** Takes a request out of its sub-queue, whether it is its turn or not. */
  remove(ticket: Ticket): void {
    const { at } = ticket;
    assert(at !== undefined && this.waiting > 0, 'a request that does not wait is not taken out of its sub-queue');
    at.remove(ticket);
    this.waiting -= 1;
    if (at.length === 0) this.subQueues.delete(at.subQueue);
    if (ticket.isCharged) return;
    const key = this.#keyTurns.get(ticket.demand.keyId);
    if (key && (key.waiting -= 1) === 0) this.#keyTurns.delete(ticket.demand.keyId);
  }

  /** After a turn of its first request a key stands behind the others, in every sub-queue. */
  passTurn(keyId: string): void {
    const key = this.#keyTurns.get(keyId);
    if (!key) return;
    key.turn = this.#turns += 1;
    for (const at of this.subQueues.values()) at.passTurn(keyId, key.turn);
  }

  /** How many of its requests wait for nothing but a slot. */
  get ready(): number {
    let count = 0;
    for (const [{ subQueue }, { length }] of this.subQueues) if (subQueue.isOpen()) count += length;
    return count;
  }

  /** Where its next turn is, of those of its sub-queues that it could be in. */
  next(isOpen: (subQueue: WaitingSubQueue) => boolean): AccountQueue | undefined {
    let first: AccountQueue | undefined;
    for (const at of this.subQueues.values()) {
      if (isOpen(at.subQueue) && (!first || at.isBeforeOwn(first))) first = at;
    }
    return first;
  }

  #at(subQueue: WaitingSubQueue): AccountQueue {
    const known = this.subQueues.get(subQueue);
    if (known) return known;
    const at = new AccountQueue(this, subQueue);
    this.subQueues.set(subQueue, at);
    return at;
  }
}

/** A sub-queue, and the accounts that wait in it. */
export class WaitingSubQueue {
  readonly subQueue: SubQueue;
  readonly accounts = new TagHeap<AccountQueue>();
  /** When it was last seen closed, in virtual time as well: nobody in it has a claim on what went by until then. */
  closedAt = 0;
  closedAtMs = 0;

  constructor(subQueue: SubQueue) {
    this.subQueue = subQueue;
  }
}

/** The requests of one account that wait in one sub-queue, key by key in turn. */
export class AccountQueue implements Tagged {
  readonly account: QueuedAccount;
  readonly subQueue: WaitingSubQueue;
  heapIndex = -1;
  heapOrder = 0;
  length = 0;
  /** The upstream sent these back. They have paid for their turn, and take it before the others. */
  readonly #returned = new LinkedSubQueue<Ticket>();
  readonly #keys = new Map<string, Link<KeySubQueue>>();
  readonly #inTurn = new LinkedSubQueue<KeySubQueue>();

  constructor(account: QueuedAccount, subQueue: WaitingSubQueue) {
    this.account = account;
    this.subQueue = subQueue;
  }

  get tag(): number {
    const returned = this.#returned.first;
    return returned ? Math.min(returned.tag, this.account.served) : this.account.served;
  }

  /** Whose turn it is here. */
  get head(): Ticket | undefined {
    return this.#returned.first ?? this.#inTurn.first?.tickets.first;
  }

  append(ticket: Ticket, turn: number): void {
    const { keyId } = ticket.demand;
    const key = this.#keys.get(keyId) ?? this.#open({ keyId, turn, tickets: new LinkedSubQueue() });
    this.#take(ticket, key.item.tickets.push(ticket));
  }

  takeBack(ticket: Ticket): void {
    let before = this.#returned.lastLink;
    while (before && before.item.tag > ticket.tag) before = before.before;
    this.#take(ticket, this.#returned.insertAfter(before, ticket));
  }

  remove(ticket: Ticket): void {
    const { link } = ticket;
    assert(link?.subQueue !== undefined, 'a request that waits stands in one sub-queue');
    link.subQueue.remove(link);
    ticket.link = undefined;
    ticket.at = undefined;
    this.length -= 1;
    const key = ticket.isCharged ? undefined : this.#keys.get(ticket.demand.keyId);
    if (key?.item.tickets.length !== 0) return;
    this.#inTurn.remove(key);
    this.#keys.delete(key.item.keyId);
  }

  passTurn(keyId: string, turn: number): void {
    const link = this.#keys.get(keyId);
    if (!link) return;
    this.#inTurn.remove(link);
    this.#open({ ...link.item, turn });
  }

  /** Which of two sub-queues of the same account has its next turn: those sent back, then the key that waits for one longest. */
  isBeforeOwn(other: AccountQueue): boolean {
    if (this.tag !== other.tag) return this.tag < other.tag;
    const [own, others] = [this.#inTurn.first?.turn ?? 0, other.#inTurn.first?.turn ?? 0];
    return own === others ? (this.head?.arrival ?? 0) < (other.head?.arrival ?? 0) : own < others;
  }

  #take(ticket: Ticket, link: Link<Ticket>): void {
    assert(ticket.link === undefined && ticket.at === undefined, 'a request waits in one sub-queue only');
    ticket.link = link;
    ticket.at = this;
    this.length += 1;
  }

  /** Keys stand in the order of their last turns; one that comes from another sub-queue may have been waiting for long. */
  #open(key: KeySubQueue): Link<KeySubQueue> {
    let before = this.#inTurn.lastLink;
    while (before && before.item.turn > key.turn) before = before.before;
    const link = this.#inTurn.insertAfter(before, key);
    this.#keys.set(key.keyId, link);
    return link;
  }
}

/** The requests of one key in one sub-queue, in order of arrival. */
interface KeySubQueue {
  readonly keyId: string;
  readonly turn: number;
  readonly tickets: LinkedSubQueue<Ticket>;
}

/** One request in the queue, from its arrival to its end. Only the queue changes it. */
export interface Ticket {
  readonly demand: Demand;
  readonly account: QueuedAccount;
  subQueue: SubQueue;
  readonly arrival: number;
  state: 'waiting' | 'running' | 'resting' | 'over';
  /** The virtual time at which it was let in. */
  tag: number;
  /** Whether its cost counts against its account: from its first turn on. */
  isCharged: boolean;
  /** Where it stands while it waits. */
  at: AccountQueue | undefined;
  link: Link<Ticket> | undefined;
}
