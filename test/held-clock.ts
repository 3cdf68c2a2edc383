import { type Clock, systemClock } from '../src/core/clock.ts';

/**
 * The system's clock, whose monotonic time a test can hold and move: a silence or a lease is as old as the test says,
 * however slow the machine is. Timers and the wall clock go on.
 */
export interface HeldClock extends Clock {
  /** Lets no monotonic time pass until it is released. */
  hold(): void;
  /** Time goes on from where it stood. */
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
