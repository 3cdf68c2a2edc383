import type { Clock, Timer } from '../../../core/time/clock.ts';
import { AnswerDeadlines, type AnswerTimeouts } from './answer-deadlines.ts';

const timerMaxMs = 2_147_483_647;

/** One timer compares timestamps when it fires: an event costs one clock reading, not a new timer. */
export class Watchdog {
  readonly #clock: Clock;
  readonly #deadlines: AnswerDeadlines;
  readonly #expired: (message: string) => void;
  /** The longest wait between two checks, because the idle timeout may start to apply at any time. */
  readonly #checkEveryMs: number;
  #timer: Timer;

  constructor(clock: Clock, timeouts: AnswerTimeouts, expired: (message: string) => void, sentMs = clock.elapsed()) {
    this.#clock = clock;
    this.#deadlines = new AnswerDeadlines(timeouts, sentMs);
    this.#expired = expired;
    this.#checkEveryMs = Math.min(timeouts.idle, timerMaxMs);
    this.#timer = this.#schedule(clock.elapsed());
  }

  /** Call it at the first event of the answer: from then on the idle timeout between events applies. */
  begin(): void {
    this.#deadlines.begin(this.#clock.elapsed());
  }

  keepAlive(): void {
    this.#deadlines.recordActivity(this.#clock.elapsed());
  }

  /** The idle timeout does not apply while the reader has paused the answer. */
  pause(): void {
    this.#deadlines.pause();
  }

  resume(): void {
    this.#deadlines.resume(this.#clock.elapsed());
  }

  stop(): void {
    this.#clock.cancel(this.#timer);
  }

  readonly #check = (): void => {
    const nowMs = this.#clock.elapsed();
    const message = this.#deadlines.expired(nowMs);
    if (message === undefined) this.#timer = this.#schedule(nowMs);
    else this.#expired(message);
  };

  #schedule(nowMs: number): Timer {
    const leftMs = Math.max(this.#deadlines.dueMs(nowMs) - nowMs, 0);
    return this.#clock.after(Math.ceil(Math.min(leftMs, this.#checkEveryMs)), this.#check);
  }
}
