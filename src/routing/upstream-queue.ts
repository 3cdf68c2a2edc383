import type { Clock, Timer } from '../core/clock.ts';
import { GatewayError } from '../core/gateway-error.ts';
import { AdaptiveLimit } from './adaptive-limit.ts';
import { FairQueue } from './fair-queue/fair-queue.ts';
import type { Ticket } from './fair-queue/queued-account.ts';
import type { Demand } from './fair-queue/demand.ts';
import type { Seat, WaitingRoom } from './fair-queue/waiting-room.ts';
import { type QueueSnapshot, queueSnapshot } from './queue-snapshot.ts';
import { localPlaces, type Places } from './places.ts';
import { Wait } from './wait.ts';

/** The places of one upstream and the fair queue before them. */
export interface UpstreamQueue {
  readonly running: number;
  readonly waiting: number;
  readonly limit: number;
  /** A place at once, if there is one and nobody waiting would be passed over. No promise: the usual case costs nothing. */
  tryEnter(demand: Demand): Place | undefined;
  /** Waits its turn; rejects with the signal's reason, or `overloaded` when the deadline is over or the bounds are hit. */
  enter(demand: Demand, wait: WaitOptions): Promise<Place>;
  /** Another number of places, effective as places are given back. */
  resize(max: number): void;
  snapshot(): QueueSnapshot;
}

export interface WaitOptions {
  readonly signal: AbortSignal;
  /** On the clock's `elapsed` scale: a moment, not a span. */
  readonly deadlineMs: number;
  /** Said by a request that waits at several upstreams. */
  readonly shared?: SharedSeat;
}

/** One request's waits at several upstreams, which end together: the first to end gives up the seat they share. */
export interface SharedSeat {
  seat: Seat | undefined;
  /** It must go, from all of them. */
  sendAway(): void;
}

/** A place that was taken. */
export interface Place {
  /** How long it waited for this turn. */
  readonly waitMs: number;
  /** How many were before it when it came. */
  readonly position: number;
  /** The answer is over: the place is free, the account's share corrected to what it really cost (undefined: the estimate stands). Idempotent. */
  leave(actualCost?: number): void;
  /**
   * The upstream had no room (429/529/503): the limit shrinks and this request waits again, first in line with its old
   * tag. This place is left. Nobody gets a turn at this upstream for `pauseMs`, within bounds.
   */
  again(wait: WaitOptions & { readonly pauseMs: number }): Promise<Place>;
}

/** However long an upstream wants to be left alone, it is asked again after this. */
const pauseMaxMs = 60_000;

/** Bounds are shared: `room` is one for all upstreams of the process. */
export function upstreamQueue(parts: {
  readonly clock: Clock;
  readonly room: WaitingRoom;
  readonly max: number;
}): UpstreamQueue {
  return new FairUpstreamQueue(parts.clock, parts.room, parts.max);
}

class FairUpstreamQueue implements UpstreamQueue {
  readonly #clock: Clock;
  readonly #room: WaitingRoom;
  readonly #limit: AdaptiveLimit;
  readonly #places: Places;
  readonly #queue: FairQueue;
  readonly #waits = new Map<Ticket, Wait<Place>>();
  #pausedUntilMs = 0;
  #wakeTimer: Timer | undefined;
  #wakeAtMs = 0;

  constructor(clock: Clock, room: WaitingRoom, max: number) {
    this.#clock = clock;
    this.#room = room;
    this.#limit = new AdaptiveLimit(max, clock.elapsed);
    this.#places = localPlaces(() => this.#limit.current);
    this.#queue = new FairQueue(clock.elapsed);
  }

  get running(): number {
    return this.#queue.running;
  }

  get waiting(): number {
    return this.#queue.waiting;
  }

  get limit(): number {
    return this.#limit.current;
  }

  tryEnter(demand: Demand): Place | undefined {
    if (this.#isPaused()) return undefined;
    if (this.waiting > 0) this.#letIn();
    if (!this.#places.take()) return undefined;
    const ticket = this.#queue.enterAtOnce(demand, this.#places.limit);
    if (ticket) return this.#place(ticket, { waitMs: 0, position: 0 });
    this.#places.give();
    return undefined;
  }

  enter(demand: Demand, options: WaitOptions): Promise<Place> {
    if (options.signal.aborted) return Promise.reject(options.signal.reason);
    const place = this.tryEnter(demand);
    if (place) return Promise.resolve(place);
    const wait = this.#newWait(options, this.waiting);
    const { shared } = options;
    const wanted = wait.wantedSeat(demand);
    wait.seat = shared?.seat ?? this.#room.enter(shared ? { ...wanted, sendAway: () => shared.sendAway() } : wanted);
    if (shared) shared.seat = wait.seat;
    if (!wait.seat) return Promise.reject(new GatewayError('overloaded'));
    this.#await(this.#queue.enter(demand), wait);
    return wait.promise;
  }

  resize(max: number): void {
    this.#limit.resize(max);
    this.#letIn();
  }

  snapshot(): QueueSnapshot {
    const nowMs = this.#clock.elapsed();
    const pausedMs = Math.max(0, this.#pausedUntilMs - nowMs);
    return queueSnapshot(this.#queue, { limit: this.limit, pausedMs, nowMs });
  }

  leave(ticket: Ticket, actualCost: number | undefined): void {
    this.#queue.leave(ticket, actualCost);
    this.#places.give();
    this.#letIn();
  }

  again(ticket: Ticket, position: number, options: WaitOptions & { pauseMs: number }, generation: number) {
    const pauseMs = Math.min(Math.max(0, options.pauseMs), pauseMaxMs);
    this.#pausedUntilMs = Math.max(this.#pausedUntilMs, this.#clock.elapsed() + pauseMs);
    this.#limit.refused(generation);
    this.#queue.takeBack(ticket);
    this.#places.give();
    const wait = this.#newWait(options, position);
    wait.seat = this.#room.returnTo(wait.wantedSeat(ticket.demand));
    this.#await(ticket, wait);
    this.#letIn();
    return wait.promise;
  }

  #newWait(options: WaitOptions, position: number): Wait<Place> {
    return new Wait(this.#clock, options, { sinceMs: this.#clock.elapsed(), position });
  }

  #await(ticket: Ticket, wait: Wait<Place>): void {
    this.#waits.set(ticket, wait);
    wait.begin(() => {
      this.#waits.delete(ticket);
      if (wait.seat) this.#room.leave(wait.seat);
      this.#queue.cancel(ticket);
      this.#letIn();
    });
    this.#planWake();
  }

  /** Lets in whoever may have a place, and makes sure to look again when time alone can make one free. */
  #letIn(): void {
    while (this.waiting > 0 && !this.#isPaused() && this.#places.take()) {
      const ticket = this.#queue.next(this.#places.limit);
      if (!ticket) {
        this.#places.give();
        break;
      }
      this.#grant(ticket);
    }
    this.#planWake();
  }

  #grant(ticket: Ticket): void {
    const wait = this.#waits.get(ticket);
    this.#waits.delete(ticket);
    if (!wait) throw new Error('a request got its turn that nobody waits for');
    if (wait.seat) this.#room.leave(wait.seat);
    const { sinceMs, position } = wait;
    wait.resolve(this.#place(ticket, { waitMs: this.#clock.elapsed() - sinceMs, position }));
  }

  #place(ticket: Ticket, how: { waitMs: number; position: number }): Place {
    return new HeldPlace(this, ticket, how, this.#limit.generation);
  }

  #isPaused(): boolean {
    return this.#pausedUntilMs > 0 && this.#pausedUntilMs > this.#clock.elapsed();
  }

  #planWake(): void {
    const atMs = this.waiting === 0 ? undefined : this.#isPaused() ? this.#pausedUntilMs : this.#limit.growsAtMs;
    if (atMs === undefined) return this.#stopWaking();
    if (this.#wakeTimer && this.#wakeAtMs === atMs) return;
    this.#stopWaking();
    this.#wakeAtMs = atMs;
    this.#wakeTimer = this.#clock.after(Math.max(1, Math.ceil(atMs - this.#clock.elapsed())), () => {
      this.#wakeTimer = undefined;
      this.#letIn();
    });
  }

  #stopWaking(): void {
    this.#clock.cancel(this.#wakeTimer);
    this.#wakeTimer = undefined;
  }
}

class HeldPlace implements Place {
  readonly waitMs: number;
  readonly position: number;
  readonly #queue: FairUpstreamQueue;
  readonly #ticket: Ticket;
  readonly #generation: number;
  #isOver = false;

  constructor(queue: FairUpstreamQueue, ticket: Ticket, how: { waitMs: number; position: number }, generation: number) {
    this.#queue = queue;
    this.#ticket = ticket;
    this.waitMs = how.waitMs;
    this.position = how.position;
    this.#generation = generation;
  }

  leave(actualCost?: number): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#queue.leave(this.#ticket, actualCost);
  }

  again(wait: WaitOptions & { readonly pauseMs: number }): Promise<Place> {
    if (this.#isOver) return Promise.reject(new Error('a place that was left cannot be had again'));
    this.#isOver = true;
    return this.#queue.again(this.#ticket, this.position, wait, this.#generation);
  }
}
