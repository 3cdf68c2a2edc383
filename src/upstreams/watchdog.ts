import type { Clock, Timer } from '../core/clock.ts';

/** The timeouts of an answer, in milliseconds. */
export interface AnswerTimeouts {
  readonly firstEvent: number;
  readonly idle: number;
  readonly total: number;
}

const timerMaxMs = 2_147_483_647;

/**
 * Enforces the timeouts of one answer with a single timer that compares timestamps when it fires. An event costs one
 * clock reading, not a new timer.
 */
export class Watchdog {
  readonly #clock: Clock;
  readonly #timeouts: AnswerTimeouts;
  readonly #expired: (message: string) => void;
  readonly #startedAt: number;
  #lastSignAt = 0;
  #hasBegun = false;
  #isPaused = false;
  #timer: Timer;

  constructor(clock: Clock, timeouts: AnswerTimeouts, expired: (message: string) => void, startedAt = clock.elapsed()) {
    this.#clock = clock;
    this.#timeouts = timeouts;
    this.#expired = expired;
    this.#startedAt = startedAt;
    const passedMs = clock.elapsed() - startedAt;
    const waitMs = this.#waitMs(timeouts.firstEvent - passedMs, timeouts.total - passedMs);
    this.#timer = clock.after(Math.max(waitMs, 0), this.#check);
  }

  /** Call it at the first event of the answer: from then on the idle timeout between events applies. */
  begin(): void {
    this.#hasBegun = true;
    this.keepAlive();
  }

  keepAlive(): void {
    this.#lastSignAt = this.#clock.elapsed();
  }

  /** The idle timeout does not apply while the reader has paused the answer. */
  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    this.keepAlive();
  }

  stop(): void {
    this.#clock.cancel(this.#timer);
  }

  readonly #check = (): void => {
    const { firstEvent, idle, total } = this.#timeouts;
    const now = this.#clock.elapsed();
    const totalLeftMs = this.#startedAt + total - now;
    const silenceLeftMs = this.#hasBegun ? this.#lastSignAt + idle - now : this.#startedAt + firstEvent - now;
    if (totalLeftMs <= 0) return this.#expired(`the answer was not complete within ${total} ms`);
    if (silenceLeftMs > 0 || this.#isPaused) {
      const waitMs = this.#waitMs(silenceLeftMs > 0 ? silenceLeftMs : idle, totalLeftMs);
      this.#timer = this.#clock.after(waitMs, this.#check);
    } else {
      this.#expired(this.#hasBegun ? `no event for ${idle} ms` : `no event within ${firstEvent} ms`);
    }
  };

  /** At most the idle timeout, because it may start to apply at any time. */
  #waitMs(silenceLeftMs: number, totalLeftMs: number): number {
    return Math.ceil(Math.min(silenceLeftMs, totalLeftMs, this.#timeouts.idle, timerMaxMs));
  }
}
