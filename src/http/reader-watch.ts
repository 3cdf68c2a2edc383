/** The clock of the HTTP layer. */
export interface HttpClock {
  /** Monotonic milliseconds. */
  readonly elapsed: () => number;
  readonly after: (delayMs: number, work: () => void) => HttpTimer;
  readonly cancel: (timer: HttpTimer | undefined) => void;
}

interface HttpTimer {
  unref(): void;
}

/** Called by the writer of a reply. */
export interface ReaderNews {
  /** Data was written; the client may not have read all of it. */
  wrote(): void;
  /** No data is waiting for the client, or the client has left. */
  drained(): void;
}

export interface ReaderWatchParts {
  readonly clock: HttpClock;
  /** How long a client may read nothing although data is waiting. */
  readonly stallMs: number;
  /** How much the client has read so far, in any unit that only grows. */
  readonly taken: () => number;
  /** Called when the client has stopped reading; the watch ends. */
  readonly stalled: () => void;
}

/** Number of checks per `stallMs`. */
const looks = 4;

/**
 * The slow-client timeout. It distinguishes a client that has stopped reading from a slow one by the amount the client
 * reads, not by the amount the gateway writes. The writer calls `wrote` and `drained`; between them the watch checks
 * periodically.
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
