import type { Clock, Timer } from '../core/clock.ts';
import type { Log } from './log.ts';

const lookEveryMs = 1000;

export interface StoreLogParts {
  readonly clock: Clock;
  readonly log: Pick<Log, 'warn' | 'info'>;
  /** When the store last answered, by `clock.elapsed()`. */
  readonly seenAt: () => number;
  /** A silence of so long is worth a line. */
  readonly lateMs: number;
}

/** Says in the log when the store falls silent, and when it answers again: a line each, however many wait for it. */
export class StoreLog {
  readonly #parts: StoreLogParts;
  #silentSinceMs: number | undefined;
  #timer: Timer | undefined;

  constructor(parts: StoreLogParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#timer = this.#parts.clock.after(lookEveryMs, () => {
      this.#look();
      this.start();
    });
    this.#timer.unref();
  }

  stop(): void {
    this.#parts.clock.cancel(this.#timer);
  }

  #look(): void {
    const { clock, log, seenAt, lateMs } = this.#parts;
    const isLate = clock.elapsed() - seenAt() > lateMs;
    if (isLate && this.#silentSinceMs === undefined) {
      this.#silentSinceMs = seenAt();
      log.warn('the store does not answer: who is known is served from what is set aside, and everybody else waits');
    } else if (!isLate && this.#silentSinceMs !== undefined) {
      const silentMs = Math.round(clock.elapsed() - this.#silentSinceMs);
      this.#silentSinceMs = undefined;
      log.info({ silent_ms: silentMs }, 'the store answers again');
    }
  }
}
