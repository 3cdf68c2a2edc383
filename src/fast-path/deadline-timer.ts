import type { Clock, Timer } from '../core/clock.ts';
import { Roster } from '../core/roster.ts';

interface DeadlineEntry {
  /** On the clock's `elapsed` scale. */
  readonly dueMs: number;
  look(nowMs: number): void;
}

/** A check may run this late; timeouts need no finer resolution. */
const leastPauseMs = 25;

/** One timer for all answers of the fast path. Each entry states its next due time; most end before it. */
export class DeadlineTimer {
  readonly #clock: Clock;
  readonly #onError: (error: unknown) => void;
  readonly #watched = new Roster<DeadlineEntry>();
  #timer: Timer | undefined;
  #timerMs = Number.POSITIVE_INFINITY;

  constructor(clock: Clock, onError: (error: unknown) => void) {
    this.#clock = clock;
    this.#onError = onError;
  }

  /** Returns the index to pass to `remove`. */
  add(watched: DeadlineEntry): number {
    this.isDueAt(watched.dueMs);
    return this.#watched.add(watched);
  }

  /** Called when an entry becomes due sooner than it stated before. */
  isDueAt(dueMs: number): void {
    if (dueMs < this.#timerMs) this.#arm(dueMs);
  }

  remove(watched: DeadlineEntry, place: number): void {
    this.#watched.remove(watched, place);
  }

  /** An error in one entry ends neither the process nor the checks of the others. */
  #lookAt(watched: DeadlineEntry, place: number, nowMs: number): void {
    try {
      watched.look(nowMs);
    } catch (error) {
      this.#watched.remove(watched, place);
      this.#onError(error);
    }
  }

  #arm(dueMs: number): void {
    this.#clock.cancel(this.#timer);
    this.#timerMs = dueMs;
    this.#timer = this.#clock.after(Math.max(dueMs - this.#clock.elapsed(), leastPauseMs), this.#look);
    this.#timer.unref();
  }

  readonly #look = (): void => {
    const nowMs = this.#clock.elapsed();
    for (const [watched, place] of this.#watched.entries()) {
      if (watched.dueMs <= nowMs) this.#lookAt(watched, place, nowMs);
    }
    let nextMs = Number.POSITIVE_INFINITY;
    for (const [{ dueMs }] of this.#watched.entries()) if (dueMs < nextMs) nextMs = dueMs;
    this.#timerMs = Number.POSITIVE_INFINITY;
    if (nextMs < Number.POSITIVE_INFINITY) this.#arm(nextMs);
  };
}
