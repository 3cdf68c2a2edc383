import type { Clock, Timer } from '../../core/clock.ts';

/** How long the close of a connection may have been on its way to us, and from one look to the next. */
const windowMs = 1000;

interface Resendable {
  /** It is too late to send it again. */
  letGo(): void;
}

/**
 * Requests that were sent on kept connections a moment ago, and of whose response nothing has come. One timer lets go of
 * them: each stays for one window at least, and for two at most.
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
