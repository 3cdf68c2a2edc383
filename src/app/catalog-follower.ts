import type { Clock, Timer } from '../core/time/clock.ts';

/** The delay before a retry: it doubles from `first` to `longest`. */
const pauseMs = { first: 1000, longest: 30_000 };

interface CatalogFollowerParts {
  readonly clock: Clock;
  readonly refresh: () => Promise<void>;
  /** Called when reading fails, once for each reason. */
  readonly onError: (reason: string) => void;
}

/** Reloads the catalog after a change. It retries: the feed reports a change once, and the store may be away. */
export class CatalogFollower {
  readonly #parts: CatalogFollowerParts;
  #reads = 0;
  #lastError: string | undefined;
  #timer: Timer | undefined;
  #isStopped = false;

  constructor(parts: CatalogFollowerParts) {
    this.#parts = parts;
  }

  follow(): void {
    void this.#read(pauseMs.first);
  }

  stop(): void {
    this.#isStopped = true;
    this.#parts.clock.cancel(this.#timer);
  }

  async #read(nextInMs: number): Promise<void> {
    const { clock, refresh } = this.#parts;
    clock.cancel(this.#timer);
    const read = (this.#reads += 1);
    try {
      await refresh();
      this.#lastError = undefined;
    } catch (error) {
      this.#report(String(error));
      // A later read sees the change too, so this one need not retry.
      if (this.#isStopped || read !== this.#reads) return;
      this.#timer = clock.after(nextInMs, () => void this.#read(Math.min(pauseMs.longest, 2 * nextInMs)));
      this.#timer.unref();
    }
  }

  #report(reason: string): void {
    if (reason !== this.#lastError) this.#parts.onError(reason);
    this.#lastError = reason;
  }
}
