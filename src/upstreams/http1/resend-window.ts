import type { Clock, Timer } from '../../core/time/clock.ts';

/** The longest time that the close of a connection may be in transit, and the interval of the timer. */
const windowMs = 1000;

interface Resendable {
  /** Called when the request can no longer be sent again. */
  release(): void;
}

/** Requests on kept connections without any response byte. Each stays for one window at least and two at most. */
export class ResendWindow {
  readonly #clock: Clock;
  #recent = new Set<Resendable>();
  #older = new Set<Resendable>();
  #timer: Timer | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(request: Resendable): void {
    this.#recent.add(request);
    if (!this.#timer) this.#startTimer();
  }

  delete(request: Resendable): void {
    this.#recent.delete(request);
    this.#older.delete(request);
  }

  #startTimer(): void {
    this.#timer = this.#clock.after(windowMs, () => this.#rotate());
    this.#timer.unref();
  }

  #rotate(): void {
    this.#timer = undefined;
    const expired = this.#older;
    this.#older = this.#recent;
    this.#recent = new Set();
    for (const request of expired) request.release();
    if (this.#older.size > 0) this.#startTimer();
  }
}
