import type { Clock, Timer } from './clock.ts';
import { Roster } from '../roster.ts';

interface DeadlineEntry {
  /** On the clock's `elapsed` scale. */
  readonly dueMs: number;
  tick(nowMs: number): void;
}

/** A check may run this late; timeouts need no finer resolution. */
const minDelayMs = 25;

/** One timer for all answers of the fast path. Each entry states its next due time; most end before it. */
export class DeadlineTimer {
  readonly #clock: Clock;
  readonly #onError: (error: unknown) => void;
  readonly #entries = new Roster<DeadlineEntry>();
  #timer: Timer | undefined;
  #timerMs = Number.POSITIVE_INFINITY;

  constructor(clock: Clock, onError: (error: unknown) => void) {
    this.#clock = clock;
    this.#onError = onError;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Returns the index to pass to `remove`. */
  add(entry: DeadlineEntry): number {
    this.schedule(entry.dueMs);
    return this.#entries.add(entry);
  }

  /** Called when an entry becomes due sooner than it stated before. */
  schedule(dueMs: number): void {
    if (dueMs < this.#timerMs) this.#arm(dueMs);
  }

  remove(entry: DeadlineEntry, index: number): void {
    this.#entries.remove(entry, index);
  }

  /** An error in one entry ends neither the process nor the checks of the others. */
  #checkEntry(entry: DeadlineEntry, index: number, nowMs: number): void {
    try {
      entry.tick(nowMs);
    } catch (error) {
      this.#entries.remove(entry, index);
      this.#onError(error);
    }
  }

  #arm(dueMs: number): void {
    this.#clock.cancel(this.#timer);
    this.#timerMs = dueMs;
    this.#timer = this.#clock.after(Math.max(dueMs - this.#clock.elapsed(), minDelayMs), this.#checkAll);
    this.#timer.unref();
  }

  readonly #checkAll = (): void => {
    const nowMs = this.#clock.elapsed();
    for (const [entry, index] of this.#entries.entries()) {
      if (entry.dueMs <= nowMs) this.#checkEntry(entry, index, nowMs);
    }
    let nextMs = Number.POSITIVE_INFINITY;
    for (const [{ dueMs }] of this.#entries.entries()) if (dueMs < nextMs) nextMs = dueMs;
    this.#timerMs = Number.POSITIVE_INFINITY;
    if (nextMs < Number.POSITIVE_INFINITY) this.#arm(nextMs);
  };
}
