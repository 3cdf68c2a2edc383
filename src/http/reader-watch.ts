/** Where the floor gets its time from; every clock of the house fits. */
export interface HttpClock {
  /** Monotonic milliseconds. */
  readonly elapsed: () => number;
  readonly after: (delayMs: number, work: () => void) => HttpTimer;
  readonly cancel: (timer: HttpTimer | undefined) => void;
}

interface HttpTimer {
  unref(): void;
}

/** What whoever writes to a reader has to say. */
export interface ReaderNews {
  /** Something was sent; perhaps not all of it has been taken. */
  wrote(): void;
  /** Nothing waits for the reader any more, or there is no reader. */
  drained(): void;
}

export interface ReaderWatchParts {
  readonly clock: HttpClock;
  /** How long a reader may take nothing of what waits for it. */
  readonly stallMs: number;
  /** How much the reader has taken so far, in any unit that only grows. */
  readonly taken: () => number;
  /** The reader has stopped; it is not watched any more. */
  readonly stalled: () => void;
}

/** How often within the time it is looked whether the reader took anything. */
const looks = 4;

/**
 * Tells a reader that has stopped from one that is slow: what counts is what the reader takes, never what it is sent.
 * Whoever writes says so, and says when nothing waits any more; in between the watch looks by itself.
 */
export class ReaderWatch implements ReaderNews {
  readonly #parts: ReaderWatchParts;
  #timer: HttpTimer | undefined;
  #taken = 0;
  #progressAt = 0;

  constructor(parts: ReaderWatchParts) {
    this.#parts = parts;
  }

  wrote(): void {
    if (this.#timer !== undefined) return;
    this.#taken = this.#parts.taken();
    this.#progressAt = this.#parts.clock.elapsed();
    this.#lookLater(this.#parts.stallMs);
  }

  drained(): void {
    this.#parts.clock.cancel(this.#timer);
    this.#timer = undefined;
  }

  readonly #look = (): void => {
    const { clock, stallMs, taken, stalled } = this.#parts;
    this.#timer = undefined;
    const now = clock.elapsed();
    const takenNow = taken();
    if (takenNow > this.#taken) this.#progressAt = now;
    this.#taken = takenNow;
    const leftMs = this.#progressAt + stallMs - now;
    if (leftMs <= 0) stalled();
    else this.#lookLater(leftMs);
  };

  #lookLater(leftMs: number): void {
    const { clock, stallMs } = this.#parts;
    this.#timer = clock.after(Math.ceil(Math.min(leftMs, stallMs / looks)), this.#look);
    this.#timer.unref();
  }
}
