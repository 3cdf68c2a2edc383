import type { Clock, Timer } from '../../src/core/time/clock.ts';

/** A clock that only a test advances, so that nothing times out on a slow machine. */
export interface ManualClock extends Clock {
  /** Advances the clock, and runs the timers that become due, in order. */
  advance(durationMs: number): void;
  /** The number of pending timers. */
  readonly pending: number;
}

interface DueWork {
  readonly at: number;
  readonly work: () => void;
}

export function manualClock(startedAt = 1_700_000_000_000): ManualClock {
  const timers = new Map<Timer, DueWork>();
  let elapsed = 0;

  function next(until: number): [Timer, DueWork] | undefined {
    const due = [...timers].filter(([, { at }]) => at <= until);
    return due.toSorted(([, a], [, b]) => a.at - b.at)[0];
  }

  return {
    now: () => startedAt + elapsed,
    elapsed: () => elapsed,
    after(delayMs, work) {
      const timer = { unref: () => undefined };
      timers.set(timer, { at: elapsed + delayMs, work });
      return timer;
    },
    cancel: (timer) => void (timer && timers.delete(timer)),
    advance(durationMs) {
      const until = elapsed + durationMs;
      for (let due = next(until); due; due = next(until)) {
        const [timer, { at, work }] = due;
        timers.delete(timer);
        elapsed = at;
        work();
      }
      elapsed = until;
    },
    get pending() {
      return timers.size;
    },
  };
}
