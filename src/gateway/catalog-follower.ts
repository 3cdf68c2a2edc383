import type { Clock, Timer } from '../core/clock.ts';

/** The pause before it is read once more, doubled each time up to the other. */
const pauseMs = { first: 1000, longest: 30_000 };

interface CatalogFollowerParts {
  readonly clock: Clock;
  /** Reads the catalog as the store has it, and takes it into use. */
  readonly refresh: () => Promise<void>;
  /** Hears why it could not be read, once for each reason. */
  readonly onError: (why: string) => void;
}

/**
 * Has the catalog read again when it has changed, until it was: a change is told once, and the store may be away in the
 * very moment in which it is to be read.
 */
export class CatalogFollower {
  readonly #parts: CatalogFollowerParts;
  #readings = 0;
  #trouble: string | undefined;
  #timer: Timer | undefined;
  #isStopped = false;

  constructor(parts: CatalogFollowerParts) {
    this.#parts = parts;
  }

  /** It has changed. */
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
    const reading = (this.#readings += 1);
    try {
      await refresh();
      this.#trouble = undefined;
    } catch (error) {
      this.#tell(String(error));
      // Whoever reads it after this one sees the change too.
      if (this.#isStopped || reading !== this.#readings) return;
      this.#timer = clock.after(nextInMs, () => void this.#read(Math.min(pauseMs.longest, 2 * nextInMs)));
      this.#timer.unref();
    }
  }

  #tell(why: string): void {
    if (why !== this.#trouble) this.#parts.onError(why);
    this.#trouble = why;
  }
}
