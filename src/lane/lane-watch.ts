import type { Clock, Timer } from '../core/clock.ts';

/** What wants to be looked at when its time has come. */
interface Watched {
  /** On the clock's `elapsed` scale. */
  readonly dueMs: number;
  look(nowMs: number): void;
}

/** No look is later than this; nobody measures silence more finely. */
const lookEveryMs = 25;

/** One timer for all answers of a lane: each says when it is to be looked at next, and most are over by then. */
export class LaneWatch {
  readonly #clock: Clock;
  readonly #onTrouble: (error: unknown) => void;
  readonly #watched = new Set<Watched>();
  #timer: Timer | undefined;
  #timerMs = Number.POSITIVE_INFINITY;

  constructor(clock: Clock, onTrouble: (error: unknown) => void) {
    this.#clock = clock;
    this.#onTrouble = onTrouble;
  }

  add(watched: Watched): void {
    this.#watched.add(watched);
    if (watched.dueMs < this.#timerMs) this.#arm(watched.dueMs);
  }

  remove(watched: Watched): void {
    this.#watched.delete(watched);
  }

  /** A mistake with one of them ends neither the process nor the watch over the others. */
  #lookAt(watched: Watched, nowMs: number): void {
    try {
      watched.look(nowMs);
    } catch (error) {
      this.#watched.delete(watched);
      this.#onTrouble(error);
    }
  }

  #arm(dueMs: number): void {
    this.#clock.cancel(this.#timer);
    this.#timerMs = dueMs;
    this.#timer = this.#clock.after(Math.max(dueMs - this.#clock.elapsed(), lookEveryMs), this.#look);
    this.#timer.unref();
  }

  readonly #look = (): void => {
    const nowMs = this.#clock.elapsed();
    for (const watched of this.#watched) if (watched.dueMs <= nowMs) this.#lookAt(watched, nowMs);
    let nextMs = Number.POSITIVE_INFINITY;
    for (const { dueMs } of this.#watched) if (dueMs < nextMs) nextMs = dueMs;
    this.#timerMs = Number.POSITIVE_INFINITY;
    if (nextMs < Number.POSITIVE_INFINITY) this.#arm(nextMs);
  };
}
