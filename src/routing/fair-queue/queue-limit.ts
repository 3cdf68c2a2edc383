import { LinkedSubQueue, type Link } from './linked-sub-queue.ts';
import { TagHeap, type Tagged } from './tag-heap.ts';

/** How many requests may wait in this process, and how much memory they may hold. */
export interface RoomBounds {
  readonly requests: number;
  readonly bytes: number;
}

/** Of the room, while others wait. */
const accountShareMax = 0.25;

/**
 * The bounds on all that waits, at whichever upstream. When they are reached, the newest request of the account that
 * takes most of the room has to go: an account that takes little of it never pays for one that takes much.
 */
export class QueueLimit {
  readonly #bounds: () => RoomBounds;
  readonly #accounts = new Map<string, AccountQueueEntries>();
  readonly #byShare = new TagHeap<AccountQueueEntries>();
  #requests = 0;
  #bytes = 0;

  constructor(bounds: () => RoomBounds) {
    this.#bounds = bounds;
  }

  get requests(): number {
    return this.#requests;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** A queue entry, if need be that of another; `undefined` when it is the newcomer who has to go. */
  enter(wanted: WantedQueueEntry): QueueEntry | undefined {
    const account = this.#account(wanted.accountId);
    const queueEntry = this.#sit(account, wanted, account.queueEntries.lastLink);
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

  /** A queue entry for one who had left for its turn and came back without: it is never sent away for coming. */
  returnTo(wanted: WantedQueueEntry): QueueEntry {
    return this.#sit(this.#account(wanted.accountId), wanted, undefined);
  }

  leave(queueEntry: QueueEntry): void {
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
      queueEntries: new LinkedSubQueue(),
      bytes: 0,
      tag: 0,
      heapIndex: -1,
      heapOrder: 0,
    };
    this.#accounts.set(id, account);
    return account;
  }

  #sit(account: AccountQueueEntries, wanted: WantedQueueEntry, before: Link<QueueEntry> | undefined): QueueEntry {
    const queueEntry: QueueEntry = { ...wanted, link: undefined };
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

  /** One request alone is never too much, however large it is. */
  #takesTooMuch(account: AccountQueueEntries): boolean {
    const { length } = account.queueEntries;
    return length > 1 && this.#requests > length && this.#shareOf(account) > accountShareMax;
  }

  #isFull(): boolean {
    const { requests, bytes } = this.#bounds();
    return this.#requests > requests || this.#bytes > bytes;
  }

  /** Among equals it is the newcomer's account. */
  #newestOfLargest(newcomer: AccountQueueEntries): QueueEntry {
    const largest = this.#byShare.first;
    const { last: queueEntry } = (largest && largest.tag < newcomer.tag ? largest : newcomer).queueEntries;
    if (!queueEntry) throw new Error('a room is full, but nobody is in it');
    return queueEntry;
  }
}

/** What a request takes of the room while it waits. */
export interface QueueEntry {
  readonly accountId: string;
  readonly bytes: number;
  /** It must go; the room has forgotten it already. */
  readonly sendAway: () => void;
  link: Link<QueueEntry> | undefined;
}

export type WantedQueueEntry = Omit<QueueEntry, 'link'>;

/** The queue entries of one account; the larger its share, the smaller its tag. */
interface AccountQueueEntries extends Tagged {
  readonly id: string;
  readonly queueEntries: LinkedSubQueue<QueueEntry>;
  bytes: number;
  tag: number;
}
