import { assert } from 'chat-formats/assert.ts';
import type { Demand } from './demand.ts';
import type { SubQueue } from './sub-queue.ts';
import { LinkedQueue, type Link } from './linked-queue.ts';
import { TagHeap, type Tagged } from './tag-heap.ts';

/** One account at one upstream: its service so far, and its waiting requests by sub-queue. */
export class QueuedAccount {
  readonly id: string;
  running = 0;
  waiting = 0;
  coolingDown = 0;
  /** Its service in virtual time: cost over weight, each request counted when it is admitted. */
  served = 0;
  weight = 1;
  /** How many of its requests run in other processes, from the last reply of the arbiter. */
  runningElsewhere = 0;
  /** The part of its requests in all processes that is here: this part of its weight counts here. */
  partHere = 1;
  /** Breaks ties in virtual time: the account that began to wait first has the lower order. */
  order = 0;
  /** How far behind it was when it was first passed over for holding its maximum of slots. */
  behind: number | undefined;
  /** Since when its first request has been first: the request's arrival, or the account's last slot. */
  firstSinceMs = 0;
  /** Its position among the waiting accounts, ordered by that time. */
  deadline: Link<QueuedAccount> | undefined;
  /** When it began to wait, and its service by then. */
  waitingSinceMs = 0;
  servedBefore = 0;
  readonly subQueues = new Map<WaitingSubQueue, AccountQueue>();
  /** When each of its waiting keys last got a slot or began to wait, counted in slots. */
  readonly #keyOrder = new Map<string, { turn: number; waiting: number }>();
  #turns = 0;

  constructor(id: string) {
    this.id = id;
  }

  get weightHere(): number {
    return this.weight * this.partHere;
  }

  get isIdle(): boolean {
    return this.running === 0 && this.waiting === 0 && this.coolingDown === 0;
  }

  /** Enqueues a request that was not admitted before. */
  append(ticket: Ticket, subQueue: WaitingSubQueue): void {
    const { keyId } = ticket.demand;
    const key = this.#keyOrder.get(keyId) ?? { turn: (this.#turns += 1), waiting: 0 };
    this.#keyOrder.set(keyId, key);
    key.waiting += 1;
    this.#at(subQueue).append(ticket, key.turn);
    this.waiting += 1;
  }

  /** Enqueues a refused request before all that were never admitted, in the order of tags. */
  requeue(ticket: Ticket, subQueue: WaitingSubQueue): void {
    this.#at(subQueue).requeue(ticket);
    this.waiting += 1;
  }

  remove(ticket: Ticket): void {
    const { at } = ticket;
    assert(at !== undefined && this.waiting > 0, 'only a waiting request is removed from its sub-queue');
    at.remove(ticket);
    this.waiting -= 1;
    if (at.length === 0) this.subQueues.delete(at.subQueue);
    if (ticket.isCharged) return;
    const key = this.#keyOrder.get(ticket.demand.keyId);
    if (key && (key.waiting -= 1) === 0) this.#keyOrder.delete(ticket.demand.keyId);
  }

  /** After a slot for its first request, a key moves behind the others in every sub-queue. */
  rotateKey(keyId: string): void {
    const key = this.#keyOrder.get(keyId);
    if (!key) return;
    key.turn = this.#turns += 1;
    for (const at of this.subQueues.values()) at.rotateKey(keyId, key.turn);
  }

  /** How many of its requests wait only for a slot. */
  get ready(): number {
    let count = 0;
    for (const [{ subQueue }, { length }] of this.subQueues) if (subQueue.isOpen()) count += length;
    return count;
  }

  /** The open sub-queue with its next request. */
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

export class WaitingSubQueue {
  readonly subQueue: SubQueue;
  readonly accounts = new TagHeap<AccountQueue>();
  /** When it was last seen closed, in virtual time and in ms: its accounts have no claim on the time before. */
  closedAt = 0;
  closedAtMs = 0;

  constructor(subQueue: SubQueue) {
    this.subQueue = subQueue;
  }
}

/** The waiting requests of one account in one sub-queue, round robin by key. */
export class AccountQueue implements Tagged {
  readonly account: QueuedAccount;
  readonly subQueue: WaitingSubQueue;
  heapIndex = -1;
  heapOrder = 0;
  length = 0;
  /** Requests that the upstream refused. They are charged already, and come before the others. */
  readonly #returned = new LinkedQueue<Ticket>();
  readonly #keys = new Map<string, Link<KeySubQueue>>();
  readonly #inTurn = new LinkedQueue<KeySubQueue>();

  constructor(account: QueuedAccount, subQueue: WaitingSubQueue) {
    this.account = account;
    this.subQueue = subQueue;
  }

  get tag(): number {
    const returned = this.#returned.first;
    return returned ? Math.min(returned.tag, this.account.served) : this.account.served;
  }

  get head(): Ticket | undefined {
    return this.#returned.first ?? this.#inTurn.first?.tickets.first;
  }

  append(ticket: Ticket, turn: number): void {
    const { keyId } = ticket.demand;
    const key = this.#keys.get(keyId) ?? this.#open({ keyId, turn, tickets: new LinkedQueue() });
    this.#take(ticket, key.item.tickets.push(ticket));
  }

  requeue(ticket: Ticket): void {
    let before = this.#returned.lastLink;
    while (before && before.item.tag > ticket.tag) before = before.before;
    this.#take(ticket, this.#returned.insertAfter(before, ticket));
  }

  remove(ticket: Ticket): void {
    const { link } = ticket;
    assert(link?.subQueue !== undefined, 'a waiting request is in one sub-queue');
    link.subQueue.remove(link);
    ticket.link = undefined;
    ticket.at = undefined;
    this.length -= 1;
    const key = ticket.isCharged ? undefined : this.#keys.get(ticket.demand.keyId);
    if (key?.item.tickets.length !== 0) return;
    this.#inTurn.remove(key);
    this.#keys.delete(key.item.keyId);
  }

  rotateKey(keyId: string, turn: number): void {
    const link = this.#keys.get(keyId);
    if (!link) return;
    this.#inTurn.remove(link);
    this.#open({ ...link.item, turn });
  }

  /** Among two of the same account: refused requests first, then the key that has waited longest for a slot. */
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

  /** Keys are ordered by their last slot; a key from another sub-queue may have waited for long. */
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
  readonly tickets: LinkedQueue<Ticket>;
}

/** One request in the queue, from its arrival to its end. Only the queue modifies it. */
export interface Ticket {
  readonly demand: Demand;
  readonly account: QueuedAccount;
  subQueue: SubQueue;
  readonly arrival: number;
  /** Whether it is in the queue of the idle class. */
  readonly isIdleClass: boolean;
  state: 'waiting' | 'running' | 'cooling-down' | 'over';
  /** The virtual time at which it was admitted. */
  tag: number;
  /** Whether its account was charged: from its first slot on. */
  isCharged: boolean;
  /** Its position while it waits. */
  at: AccountQueue | undefined;
  link: Link<Ticket> | undefined;
}
