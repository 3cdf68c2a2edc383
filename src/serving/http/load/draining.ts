import type { HttpClock } from '../slow-client-timeout.ts';

/** How long before the drain a request may have been sent: longer than one round trip around the world. */
const lingerMs = 500;

interface DrainingParts {
  readonly clock: HttpClock;
  readonly running: () => number;
  /** Whether any open connection could still bring a request that would be answered. */
  readonly hasKeptConnections: () => boolean;
}

/** A kept connection may just have brought a request: such connections stay until nothing ran for `lingerMs`. */
export class Draining {
  readonly #parts: DrainingParts;
  readonly #over = Promise.withResolvers<void>();
  #timer: ReturnType<HttpClock['after']> | undefined;
  #isHurried = false;

  constructor(parts: DrainingParts) {
    this.#parts = parts;
  }

  /** Resolves when no exchange runs and no request can still arrive. */
  get over(): Promise<void> {
    return this.#over.promise;
  }

  begun(): void {
    this.#parts.clock.cancel(this.#timer);
    this.#timer = undefined;
  }

  check(): void {
    const { clock, running, hasKeptConnections } = this.#parts;
    if (running() > 0) return;
    if (this.#isHurried || !hasKeptConnections()) this.#end();
    // Sockets are read before an immediate runs, even if the process was too busy to read them during the delay.
    else this.#timer ??= clock.after(lingerMs, () => setImmediate(this.#onLingered));
  }

  hurry(): void {
    this.#isHurried = true;
    this.check();
  }

  readonly #onLingered = (): void => {
    if (this.#parts.running() === 0) this.#end();
  };

  #end(): void {
    this.begun();
    this.#over.resolve();
  }
}
