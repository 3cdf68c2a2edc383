import { seededRandom } from '../crash/random.ts';

/** An event that will happen, unless `work` is cleared before. */
export interface ScheduledEvent {
  readonly atMs: number;
  /** The order among events of the same time, drawn from the seed, so that no part can rely on it. */
  readonly order: number;
  work: (() => void) | undefined;
}

/** Time as on a real machine: reading a clock takes 0.02 ms, and Node's timers fire up to 1 ms early. */
export const realTime: Pace = { readingMs: 0.02, earlyMs: 1 };

/** Time that passes only between two events. */
const exactTime: Pace = { readingMs: 0, earlyMs: 0 };

interface Pace {
  readonly readingMs: number;
  readonly earlyMs: number;
}

/**
 * Virtual time. Events run one after another. Between two of them, all promises that can settle do. The same seed
 * therefore plays the same life to the last step.
 */
export class World {
  readonly random: () => number;
  nowMs = 0;
  /** How long no process ran. Wall clocks count this time, and `nowMs` does not. */
  offMs = 0;
  steps = 0;
  readonly #heap: ScheduledEvent[] = [];
  readonly #pace: Pace;

  constructor(seed: string | number, pace = exactTime) {
    this.random = seededRandom(seed);
    this.#pace = pace;
  }

  after(delayMs: number, work: () => void): ScheduledEvent {
    const event = { atMs: this.nowMs + Math.max(0, delayMs), order: this.random(), work };
    this.#push(event);
    return event;
  }

  /** Plays until `untilMs`. */
  async play(untilMs: number, afterEachStep: () => void = () => {}): Promise<void> {
    await promisesSettled();
    while (this.#step(untilMs)) {
      await promisesSettled();
      afterEachStep();
    }
    this.nowMs = Math.max(this.nowMs, untilMs);
  }

  /** Reads the clock. Time passes with each reading, so a deadline may lie between two of them. */
  readClock(): number {
    this.nowMs += this.#pace.readingMs;
    return this.nowMs;
  }

  /** Like a timer of a real machine, which may fire early. */
  afterAbout(delayMs: number, work: () => void): ScheduledEvent {
    return this.after(delayMs - this.random() * this.#pace.earlyMs, work);
  }

  /** Plays until the promise is settled. Returns how long that took, in milliseconds. */
  async until(promise: Promise<unknown>): Promise<number> {
    const startedMs = this.nowMs;
    const state = { isOver: false };
    const over = (): void => void (state.isOver = true);
    promise.then(over, over);
    await promisesSettled();
    while (!state.isOver) {
      if (!this.#step(Number.POSITIVE_INFINITY)) throw new Error('nothing is left that could settle the promise');
      await promisesSettled();
    }
    return this.nowMs - startedMs;
  }

  /** Runs the next event. Returns false if none is due by `untilMs`. */
  #step(untilMs: number): boolean {
    for (let next = this.#heap[0]; next && next.atMs <= untilMs; next = this.#heap[0]) {
      this.#pop();
      if (!next.work) continue;
      this.nowMs = Math.max(this.nowMs, next.atMs);
      this.steps += 1;
      next.work();
      return true;
    }
    return false;
  }

  #push(event: ScheduledEvent): void {
    let index = this.#heap.push(event) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!isBefore(event, this.#heap[parent]!)) break;
      this.#heap[index] = this.#heap[parent]!;
      index = parent;
    }
    this.#heap[index] = event;
  }

  #pop(): void {
    const last = this.#heap.pop();
    if (!last || this.#heap.length === 0) return;
    let index = 0;
    for (;;) {
      const left = 2 * index + 1;
      const right = left + 1;
      const smaller = right < this.#heap.length && isBefore(this.#heap[right]!, this.#heap[left]!) ? right : left;
      if (smaller >= this.#heap.length || !isBefore(this.#heap[smaller]!, last)) break;
      this.#heap[index] = this.#heap[smaller]!;
      index = smaller;
    }
    this.#heap[index] = last;
  }
}

function isBefore(one: ScheduledEvent, other: ScheduledEvent): boolean {
  return one.atMs < other.atMs || (one.atMs === other.atMs && one.order < other.order);
}

/** All code here waits for events or promises, so one turn of the event loop settles all promises. */
function promisesSettled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
