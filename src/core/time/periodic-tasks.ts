import type { Clock, Timer } from './clock.ts';

/** Periodic tasks. Each run begins `pauseMs` after the previous one has ended. */
export class PeriodicTasks {
  readonly #clock: Clock;
  readonly #onError: (error: unknown) => void;
  readonly #timers = new Map<() => Promise<void>, Timer>();

  constructor(clock: Clock, onError: (error: unknown) => void) {
    this.#clock = clock;
    this.#onError = onError;
  }

  every(pauseMs: number, work: () => Promise<void>): void {
    const next = (): void => {
      const timer = this.#clock.after(pauseMs, () => void run());
      timer.unref();
      this.#timers.set(work, timer);
    };
    const run = async (): Promise<void> => {
      await work().catch(this.#onError);
      if (this.#timers.has(work)) next();
    };
    next();
  }

  stop(): void {
    for (const timer of this.#timers.values()) this.#clock.cancel(timer);
    this.#timers.clear();
  }
}
