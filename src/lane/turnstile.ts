import type { Clock } from '../core/clock.ts';

/** What follows from so many takes about as long as anybody should wait for the event loop. */
const atOnceMax = 8;
const againAfterMs = 1;

/**
 * Lets a few answers end at a time. Their charges come back from the store by the dozen, and every end is followed at once
 * by the next request of the same client: without this they would all be served in one turn of the event loop, together
 * again each time, while everybody else waits.
 */
export class Turnstile {
  readonly #clock: Clock;
  readonly #onTrouble: (error: unknown) => void;
  /** In the order they came. As many as there are answers that wait for their end. */
  readonly #waiting: (() => void)[] = [];
  #passed = 0;
  /** It will be open again soon. */
  #isTurning = false;

  constructor(clock: Clock, onTrouble: (error: unknown) => void) {
    this.#clock = clock;
    this.#onTrouble = onTrouble;
  }

  /** Does the work now, or a moment later. A mistake in it keeps nobody else from passing. */
  pass(work: () => void): void {
    this.#waiting.push(work);
    this.#letThrough();
  }

  #letThrough(): void {
    if (!this.#isTurning) this.#clock.after(againAfterMs, this.#again);
    this.#isTurning = true;
    while (this.#passed < atOnceMax) {
      const work = this.#waiting.shift();
      if (!work) return;
      this.#passed += 1;
      try {
        work();
      } catch (error) {
        this.#onTrouble(error);
      }
    }
  }

  readonly #again = (): void => {
    this.#isTurning = false;
    this.#passed = 0;
    if (this.#waiting.length > 0) this.#letThrough();
  };
}
