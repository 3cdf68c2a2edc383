import { LinkedLine, type Link } from './linked-line.ts';
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
export class WaitingRoom {
  readonly #bounds: () => RoomBounds;
  readonly #accounts = new Map<string, AccountSeats>();
  readonly #byShare = new TagHeap<AccountSeats>();
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

  /** A seat, if need be that of another; `undefined` when it is the newcomer who has to go. */
  enter(wanted: WantedSeat): Seat | undefined {
    const account = this.#account(wanted.accountId);
    const seat = this.#sit(account, wanted, account.seats.lastLink);
    if (this.#takesTooMuch(account)) {
      this.leave(seat);
      return undefined;
    }
    while (this.#isFull()) {
      const victim = this.#newestOfLargest(account);
      this.leave(victim);
      if (victim === seat) return undefined;
      victim.sendAway();
    }
    return seat;
  }

  /** A seat for one who had left for its turn and came back without: it is never sent away for coming. */
  returnTo(wanted: WantedSeat): Seat {
    return this.#sit(this.#account(wanted.accountId), wanted, undefined);
  }

  leave(seat: Seat): void {
    const { accountId, bytes, link } = seat;
    const account = this.#accounts.get(accountId);
    if (!account || !link?.line) return;
    account.seats.remove(link);
    account.bytes -= bytes;
    this.#requests -= 1;
    this.#bytes -= bytes;
    if (account.seats.length > 0) return this.#measure(account);
    this.#byShare.remove(account);
    this.#accounts.delete(account.id);
  }

  #account(id: string): AccountSeats {
    const known = this.#accounts.get(id);
    if (known) return known;
    const account: AccountSeats = { id, seats: new LinkedLine(), bytes: 0, tag: 0, heapIndex: -1, heapOrder: 0 };
    this.#accounts.set(id, account);
    return account;
  }

  #sit(account: AccountSeats, wanted: WantedSeat, before: Link<Seat> | undefined): Seat {
    const seat: Seat = { ...wanted, link: undefined };
    seat.link = account.seats.insertAfter(before, seat);
    account.bytes += wanted.bytes;
    this.#requests += 1;
    this.#bytes += wanted.bytes;
    this.#measure(account);
    return seat;
  }

  #measure(account: AccountSeats): void {
    account.tag = -this.#shareOf(account);
    this.#byShare.rank(account);
  }

  #shareOf(account: AccountSeats): number {
    const { requests, bytes } = this.#bounds();
    return Math.max(account.seats.length / requests, account.bytes / bytes);
  }

  /** One request alone is never too much, however large it is. */
  #takesTooMuch(account: AccountSeats): boolean {
    const { length } = account.seats;
    return length > 1 && this.#requests > length && this.#shareOf(account) > accountShareMax;
  }

  #isFull(): boolean {
    const { requests, bytes } = this.#bounds();
    return this.#requests > requests || this.#bytes > bytes;
  }

  /** Among equals it is the newcomer's account. */
  #newestOfLargest(newcomer: AccountSeats): Seat {
    const largest = this.#byShare.first;
    const { last: seat } = (largest && largest.tag < newcomer.tag ? largest : newcomer).seats;
    if (!seat) throw new Error('a room is full, but nobody is in it');
    return seat;
  }
}

/** What a request takes of the room while it waits. */
export interface Seat {
  readonly accountId: string;
  readonly bytes: number;
  /** It must go; the room has forgotten it already. */
  readonly sendAway: () => void;
  link: Link<Seat> | undefined;
}

export type WantedSeat = Omit<Seat, 'link'>;

/** The seats of one account; the larger its share, the smaller its tag. */
interface AccountSeats extends Tagged {
  readonly id: string;
  readonly seats: LinkedLine<Seat>;
  bytes: number;
  tag: number;
}
