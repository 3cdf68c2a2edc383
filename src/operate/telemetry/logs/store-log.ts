import type { Clock, Timer } from '../../../core/time/clock.ts';
import type { Log } from './log.ts';

const checkEveryMs = 1000;

export interface StoreLogParts {
  readonly clock: Clock;
  readonly log: Pick<Log, 'warn' | 'info'>;
  /** When the store last answered, in the time of `clock.elapsed()`. */
  readonly seenAt: () => number;
  /** Milliseconds without an answer before a warning is logged. */
  readonly lateMs: number;
}

/** Logs when the store stops answering and when it answers again: one line each, however many requests wait. */
export class StoreLog {
  readonly #parts: StoreLogParts;
  #silentSinceMs: number | undefined;
  #timer: Timer | undefined;

  constructor(parts: StoreLogParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#timer = this.#parts.clock.after(checkEveryMs, () => {
      this.#check();
      this.start();
    });
    this.#timer.unref();
  }

  stop(): void {
    this.#parts.clock.cancel(this.#timer);
  }

  #check(): void {
    const { clock, log, seenAt, lateMs } = this.#parts;
    const isLate = clock.elapsed() - seenAt() > lateMs;
    if (isLate && this.#silentSinceMs === undefined) {
      this.#silentSinceMs = seenAt();
      log.warn('the store does not answer: cached keys are served from leased funds, other requests wait');
    } else if (!isLate && this.#silentSinceMs !== undefined) {
      const silentMs = Math.round(clock.elapsed() - this.#silentSinceMs);
      this.#silentSinceMs = undefined;
      log.info({ silent_ms: silentMs }, 'the store answers again');
    }
  }
}
