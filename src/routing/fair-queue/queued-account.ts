import type { Demand } from './demand.ts';
import { LinkedLine, type Link } from './linked-line.ts';
import type { Tagged } from './tag-heap.ts';

/** One account at one upstream: its share so far, and its waiting requests, key by key in turn. */
export class QueuedAccount implements Tagged {
  readonly id: string;
  heapIndex = -1;
  heapOrder = 0;
  running = 0;
  waiting = 0;
  /** How far its service has come in virtual time: cost over weight, every request counted when it is let in. */
  served = 0;
  /** Whether it was passed over because it holds as many places as one account may. */
  wasHeldBack = false;
  /** Since when its first request has been its first: its arrival, or the account's last turn. */
  firstSinceMs = 0;
  /** Where it stands among the waiting accounts, by that time. */
  patience: Link<QueuedAccount> | undefined;
  /** When it began to wait, and how far its service had come by then. */
  waitingSinceMs = 0;
  servedBefore = 0;
  /** The upstream sent these back. They have paid for their turn, and take it before the others. */
  readonly #returned = new LinkedLine<Ticket>();
  readonly #lines = new Map<string, Link<KeyLine>>();
  readonly #turns = new LinkedLine<KeyLine>();

  constructor(id: string) {
    this.id = id;
  }

  get tag(): number {
    const returned = this.#returned.first;
    return returned ? Math.min(returned.tag, this.served) : this.served;
  }

  get isIdle(): boolean {
    return this.running === 0 && this.waiting === 0;
  }

  /** Whose turn it is inside the account. */
  get head(): Ticket | undefined {
    return this.#returned.first ?? this.#turns.first?.tickets.first;
  }

  append(ticket: Ticket): void {
    const line = this.#lines.get(ticket.demand.keyId) ?? this.#openLine(ticket.demand.keyId);
    ticket.link = line.item.tickets.push(ticket);
    this.waiting += 1;
  }

  /** Puts a request that was let in before all that were not, in the order of their tags. */
  takeBack(ticket: Ticket): void {
    let before = this.#returned.lastLink;
    while (before && before.item.tag > ticket.tag) before = before.before;
    ticket.link = this.#returned.insertAfter(before, ticket);
    this.waiting += 1;
  }

  /** Takes a request out of its line, whether it is its turn or not. */
  remove(ticket: Ticket): void {
    ticket.link?.line?.remove(ticket.link);
    ticket.link = undefined;
    this.waiting -= 1;
    if (ticket.isCharged) return;
    const line = this.#lines.get(ticket.demand.keyId);
    if (line?.item.tickets.length === 0) this.#closeLine(line);
  }

  /** After a turn of its first request a key stands behind the others. */
  passTurn(keyId: string): void {
    const line = this.#lines.get(keyId);
    if (!line) return;
    this.#turns.remove(line);
    this.#lines.set(keyId, this.#turns.push(line.item));
  }

  #openLine(keyId: string): Link<KeyLine> {
    const link = this.#turns.push({ keyId, tickets: new LinkedLine() });
    this.#lines.set(keyId, link);
    return link;
  }

  #closeLine(line: Link<KeyLine>): void {
    this.#turns.remove(line);
    this.#lines.delete(line.item.keyId);
  }
}

/** The requests of one key, in order of arrival. */
interface KeyLine {
  readonly keyId: string;
  readonly tickets: LinkedLine<Ticket>;
}

/** One request in the queue, from its arrival to its end. Only the queue changes it. */
export interface Ticket {
  readonly demand: Demand;
  readonly account: QueuedAccount;
  state: 'waiting' | 'running' | 'over';
  /** The virtual time at which it was let in. */
  tag: number;
  /** Whether its cost counts against its account: from its first turn on. */
  isCharged: boolean;
  /** Where it stands among those of its key. */
  link: Link<Ticket> | undefined;
}
