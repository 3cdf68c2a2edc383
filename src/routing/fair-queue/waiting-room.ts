import { LinkedLine, type Link } from './linked-line.ts';
import { TagHeap, type Tagged } from './tag-heap.ts';

/** How many requests may wait in this process, and how much memory they may hold. */
export interface RoomBounds {
  readonly requests: number;
  readonly bytes: number;
}

/** A waiting request as the room sees it. */
export interface Guest {
  readonly accountId: string;
  readonly bytes: number;
  /** It must go; the room has forgotten it already. */
  sendAway(): void;
}

/** Of the room, while others wait. */
const accountShareMax = 0.25;

/**
 * The bounds on all that waits, at whichever upstream. When they are reached, the newest request of the account that
 * takes most of the room has to go: an account that takes little of it never pays for one that takes much.
 */
export class WaitingRoom {
  readonly #bounds: () => RoomBounds;
  readonly #accounts = new Map<string, Tenant>();
  readonly #byShare = new TagHeap<Tenant>();
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
  enter(guest: Guest): Seat | undefined {
    const tenant = this.#tenant(guest.accountId);
    const seat = this.#sit(tenant, guest, tenant.seats.lastLink);
    if (this.#takesTooMuch(tenant)) {
      this.leave(seat);
      return undefined;
    }
    while (this.#isFull()) {
      const victim = this.#newestOfLargest(tenant);
      this.leave(victim);
      if (victim === seat) return undefined;
      victim.guest.sendAway();
    }
    return seat;
  }

  /** A seat for one who had left for its turn and came back without: it is never sent away for coming. */
  returnTo(guest: Guest): Seat {
    const tenant = this.#tenant(guest.accountId);
    return this.#sit(tenant, guest, undefined);
  }

  leave(seat: Seat): void {
    const { tenant, guest } = seat;
    if (!seat.link?.line) return;
    tenant.seats.remove(seat.link);
    tenant.bytes -= guest.bytes;
    this.#requests -= 1;
    this.#bytes -= guest.bytes;
    if (tenant.seats.length > 0) return this.#measure(tenant);
    this.#byShare.remove(tenant);
    this.#accounts.delete(tenant.id);
  }

  #tenant(id: string): Tenant {
    const known = this.#accounts.get(id);
    if (known) return known;
    const tenant: Tenant = { id, seats: new LinkedLine(), bytes: 0, tag: 0, heapIndex: -1, heapOrder: 0 };
    this.#accounts.set(id, tenant);
    return tenant;
  }

  #sit(tenant: Tenant, guest: Guest, before: Link<Seat> | undefined): Seat {
    const seat: Seat = { guest, tenant, link: undefined };
    seat.link = tenant.seats.insertAfter(before, seat);
    tenant.bytes += guest.bytes;
    this.#requests += 1;
    this.#bytes += guest.bytes;
    this.#measure(tenant);
    return seat;
  }

  #measure(tenant: Tenant): void {
    tenant.tag = -this.#shareOf(tenant);
    this.#byShare.place(tenant);
  }

  #shareOf(tenant: Tenant): number {
    const { requests, bytes } = this.#bounds();
    return Math.max(tenant.seats.length / requests, tenant.bytes / bytes);
  }

  /** One request alone is never too much, however large it is. */
  #takesTooMuch(tenant: Tenant): boolean {
    const { length } = tenant.seats;
    return length > 1 && this.#requests > length && this.#shareOf(tenant) > accountShareMax;
  }

  #isFull(): boolean {
    const { requests, bytes } = this.#bounds();
    return this.#requests > requests || this.#bytes > bytes;
  }

  /** Among equals it is the newcomer's account. */
  #newestOfLargest(newcomer: Tenant): Seat {
    const largest = this.#byShare.first;
    const tenant = largest && largest.tag < newcomer.tag ? largest : newcomer;
    const seat = tenant.seats.last;
    if (!seat) throw new Error('a room is full, but nobody is in it');
    return seat;
  }
}

/** One guest's place in the room. */
export interface Seat {
  readonly guest: Guest;
  readonly tenant: Tenant;
  link: Link<Seat> | undefined;
}

/** An account in the room; the larger its share, the smaller its tag. */
interface Tenant extends Tagged {
  readonly id: string;
  readonly seats: LinkedLine<Seat>;
  bytes: number;
  tag: number;
}
