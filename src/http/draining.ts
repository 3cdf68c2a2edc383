import type { HttpClock } from './reader-watch.ts';

/** How long a request may have been on its way when the server began to end: longer than one takes around the world. */
const lingerMs = 500;

interface DrainingParts {
  readonly clock: HttpClock;
  /** Exchanges that have begun and are not over. */
  readonly running: () => number;
  /** Whether a client is connected whose next request would still be answered. */
  readonly isAnyoneKept: () => boolean;
}

/**
 * The end of a server that accepts no more clients. A client that was told to keep its connection cannot know that the
 * server ends, and may just have sent its next request: such connections stay open until nothing has run for a while, for
 * that request is lost with its connection.
 */
export class Draining {
  readonly #parts: DrainingParts;
  readonly #over = Promise.withResolvers<void>();
  #timer: ReturnType<HttpClock['after']> | undefined;
  #isHurried = false;

  constructor(parts: DrainingParts) {
    this.#parts = parts;
  }

  /** Resolves when nothing runs, and nothing more can be expected. */
  get over(): Promise<void> {
    return this.#over.promise;
  }

  /** A request has come after all. */
  begun(): void {
    this.#parts.clock.cancel(this.#timer);
    this.#timer = undefined;
  }

  /** An exchange is over, or a client has left. */
  look(): void {
    const { clock, running, isAnyoneKept } = this.#parts;
    if (running() > 0) return;
    if (this.#isHurried || !isAnyoneKept()) this.#end();
    // Sockets are read before an immediate comes, also where the process was too busy to read them all the while.
    else this.#timer ??= clock.after(lingerMs, () => setImmediate(this.#lingered));
  }

  /** Requests that may be on their way are not waited for any more. */
  hurry(): void {
    this.#isHurried = true;
    this.look();
  }

  readonly #lingered = (): void => {
    if (this.#parts.running() === 0) this.#end();
  };

  #end(): void {
    this.begun();
    this.#over.resolve();
  }
}
