import type { Clock, Timer } from '../core/clock.ts';
import { GatewayError } from '../core/gateway-error.ts';
import type { Demand } from './fair-queue/demand.ts';
import type { Seat, WantedSeat } from './fair-queue/waiting-room.ts';

/** One request's wait for its turn. It ends once: with the turn, the client's leaving, the deadline, or for want of room. */
export class Wait<Result> {
  readonly promise: Promise<Result>;
  readonly sinceMs: number;
  readonly position: number;
  seat: Seat | undefined;
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  readonly #deadlineMs: number;
  #resolve: (result: Result) => void = () => {};
  #reject: (error: unknown) => void = () => {};
  #timer: Timer | undefined;
  #givenUp: () => void = () => {};

  constructor(
    clock: Clock,
    options: { readonly signal: AbortSignal; readonly deadlineMs: number },
    arrival: { readonly sinceMs: number; readonly position: number },
  ) {
    this.#clock = clock;
    this.#signal = options.signal;
    this.#deadlineMs = options.deadlineMs;
    this.sinceMs = arrival.sinceMs;
    this.position = arrival.position;
    this.promise = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  /** What it takes of the waiting room. */
  wantedSeat({ accountId, bytes }: Demand): WantedSeat {
    return { accountId, bytes, sendAway: this.#overloaded };
  }

  /** From now on the deadline counts and the client may leave; `givenUp` hears of a wait that ends without a turn. */
  begin(givenUp: () => void): void {
    this.#givenUp = givenUp;
    if (this.#signal.aborted) return this.#aborted();
    this.#signal.addEventListener('abort', this.#aborted);
    const patienceMs = Math.min(timerMaxMs, Math.max(0, this.#deadlineMs - this.sinceMs));
    this.#timer = this.#clock.after(patienceMs, this.#overloaded);
  }

  resolve(result: Result): void {
    this.#end();
    this.#resolve(result);
  }

  readonly #aborted = (): void => this.#giveUp(this.#signal.reason);

  readonly #overloaded = (): void => this.#giveUp(new GatewayError('overloaded'));

  #giveUp(error: unknown): void {
    this.#end();
    this.#givenUp();
    this.#reject(error);
  }

  #end(): void {
    this.#clock.cancel(this.#timer);
    this.#signal.removeEventListener('abort', this.#aborted);
  }
}

/** A timer takes no longer span; beyond it, weeks, nobody waits. */
const timerMaxMs = 2 ** 31 - 1;
