import type { Clock, Timer } from '../../core/clock.ts';

/**
 * The resend window: the longest time that the close of a connection may be in transit. Also the interval of the timer.
 */
const windowMs = 1000;

interface Resendable {
  /** Called when the request can no longer be sent again. */
  letGo(): void;
}

/**
 * Requests that were sent recently on kept connections, without any response byte. One timer releases them. Each stays
 * for at least one window and at most two.
 */
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
    if (!this.#timer) this.#lookLater();
  }

  delete(request: Resendable): void {
    this.#recent.delete(request);
    this.#older.delete(request);
  }

  #lookLater(): void {
    this.#timer = this.#clock.after(windowMs, () => this.#look());
    this.#timer.unref();
  }

  #look(): void {
    this.#timer = undefined;
    const late = this.#older;
    this.#older = this.#recent;
    this.#recent = new Set();
    for (const request of late) request.letGo();
    if (this.#older.size > 0) this.#lookLater();
  }
}
