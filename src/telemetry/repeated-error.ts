import type { Clock } from '../core/clock.ts';

/** Between two lines about a trouble that goes on. */
const everyMs = 10_000;

/**
 * Tells of a trouble that many meet at once and again and again, such as a store that is away: the first time at once,
 * then now and then, with how often it was met since. Other troubles of the same kind wait with it.
 */
export function repeatedError(clock: Clock, tell: (error: unknown, met: number) => void): (error: unknown) => void {
  let toldMs = Number.NEGATIVE_INFINITY;
  let met = 0;
  return (error) => {
    met += 1;
    if (clock.elapsed() - toldMs < everyMs) return;
    toldMs = clock.elapsed();
    tell(error, met);
    met = 0;
  };
}
