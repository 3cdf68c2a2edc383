import { LinkedQueue, type Link } from './linked-queue.ts';
import { TagHeap, type Tagged } from './tag-heap.ts';

/** How many requests may wait in this process, and how many bytes they may hold. */
export interface QueueBounds {
  readonly requests: number;
  readonly bytes: number;
}

/** The largest share of one account while others wait. */
const accountShareMax = 0.25;

/**
 * The limits on all waiting requests, at all upstreams. When they are reached, the newest request of the account with
 * the largest share is rejected: an account with a small share never pays for one with a large share.
 */
export class QueueLimit {
  readonly #bounds: () => QueueBounds;
  readonly #accounts = new Map<string, AccountQueueEntries>();
  readonly #byShare = new TagHeap<AccountQueueEntries>();
  #requests = 0;
  #bytes = 0;
  #idle: QueueLimit | undefined;

  constructor(bounds: () => QueueBounds) {
    this.#bounds = bounds;
  }

  /** The limits on waiting requests of the idle class: as high, and counted on their own. */
  get idle(): QueueLimit {
    return (this.#idle ??= new QueueLimit(this.#bounds));
  }

  get requests(): number {
    return this.#requests;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Adds a queue entry; may reject another request. `undefined` if the new one itself must be rejected. */
  enter(wanted: WantedQueueEntry): QueueEntry | undefined {
    const account = this.#account(wanted.accountId);
    const queueEntry = this.#add(account, wanted, account.queueEntries.lastLink);
    if (this.#takesTooMuch(account)) {
      this.leave(queueEntry);
      return undefined;
    }
    while (this.#isFull()) {
      const victim = this.#newestOfLargest(account);
      this.leave(victim);
      if (victim === queueEntry) return undefined;
      victim.sendAway();
    }
    return queueEntry;
  }

  /** Adds an entry for a request that lost its slot without an answer: returning never gets it rejected. */
  returnTo(wanted: WantedQueueEntry): QueueEntry {
    return this.#add(this.#account(wanted.accountId), wanted, undefined);
  }

  leave(queueEntry: QueueEntry): void {
    if (queueEntry.limit !== this) return queueEntry.limit.leave(queueEntry);
    const { accountId, bytes, link } = queueEntry;
    const account = this.#accounts.get(accountId);
    if (!account || !link?.subQueue) return;
    account.queueEntries.remove(link);
    account.bytes -= bytes;
    this.#requests -= 1;
    this.#bytes -= bytes;
    if (account.queueEntries.length > 0) return this.#measure(account);
    this.#byShare.remove(account);
    this.#accounts.delete(account.id);
  }

  #account(id: string): AccountQueueEntries {
    const known = this.#accounts.get(id);
    if (known) return known;
    const account: AccountQueueEntries = {
      id,
      queueEntries: new LinkedQueue(),
      bytes: 0,
      tag: 0,
      heapIndex: -1,
      heapOrder: 0,
    };
    this.#accounts.set(id, account);
    return account;
  }

  #add(account: AccountQueueEntries, wanted: WantedQueueEntry, before: Link<QueueEntry> | undefined): QueueEntry {
    const queueEntry: QueueEntry = { ...wanted, limit: this, link: undefined };
    queueEntry.link = account.queueEntries.insertAfter(before, queueEntry);
    account.bytes += wanted.bytes;
    this.#requests += 1;
    this.#bytes += wanted.bytes;
    this.#measure(account);
    return queueEntry;
  }

  #measure(account: AccountQueueEntries): void {
    account.tag = -this.#shareOf(account);
    this.#byShare.rank(account);
  }

  #shareOf(account: AccountQueueEntries): number {
    const { requests, bytes } = this.#bounds();
    return Math.max(account.queueEntries.length / requests, account.bytes / bytes);
  }

  /** A single request is never too much, however large it is. */
  #takesTooMuch(account: AccountQueueEntries): boolean {
    const { length } = account.queueEntries;
    return length > 1 && this.#requests > length && this.#shareOf(account) > accountShareMax;
  }

  #isFull(): boolean {
    const { requests, bytes } = this.#bounds();
    return this.#requests > requests || this.#bytes > bytes;
  }

  /** Among equal shares, the account of the new request is chosen. */
  #newestOfLargest(incoming: AccountQueueEntries): QueueEntry {
    const largest = this.#byShare.first;
    const { last: queueEntry } = (largest && largest.tag < incoming.tag ? largest : incoming).queueEntries;
    if (!queueEntry) throw new Error('the queue limit is reached, but no request waits');
    return queueEntry;
  }
}

/** A waiting request's part of the queue limit. */
export interface QueueEntry {
  readonly accountId: string;
  readonly bytes: number;
  /** Rejects the request. Its entry has been removed already. */
  readonly sendAway: () => void;
  /** The limit that counts it. */
  readonly limit: QueueLimit;
  link: Link<QueueEntry> | undefined;
}

export type WantedQueueEntry = Omit<QueueEntry, 'link' | 'limit'>;

/** The queue entries of one account; the larger its share, the smaller its tag. */
interface AccountQueueEntries extends Tagged {
  readonly id: string;
  readonly queueEntries: LinkedQueue<QueueEntry>;
  bytes: number;
  tag: number;
}
