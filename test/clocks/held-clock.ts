import { type Clock, systemClock } from '../../src/core/time/clock.ts';

/**
 * The system clock, whose monotonic time a test can hold and advance. So the age of a heartbeat or a lease does not
 * depend on the speed of the machine. Timers and the wall clock continue.
 */
export interface HeldClock extends Clock {
  /** Stops the monotonic time until `release()`. */
  hold(): void;
  /** Continues the time from where it stopped. */
  release(): void;
  advance(durationMs: number): void;
}

export function heldClock(): HeldClock {
  let aheadMs = 0;
  let heldMs: number | undefined;
  const elapsed = (): number => heldMs ?? systemClock.elapsed() + aheadMs;
  return {
    ...systemClock,
    elapsed,
    hold() {
      heldMs ??= elapsed();
    },
    release() {
      if (heldMs === undefined) return;
      aheadMs = heldMs - systemClock.elapsed();
      heldMs = undefined;
    },
    advance(durationMs) {
      if (heldMs === undefined) aheadMs += durationMs;
      else heldMs += durationMs;
    },
  };
}
