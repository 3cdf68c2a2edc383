import type { Clock } from '../../core/time/clock.ts';

/** Time between two reports while the error persists. */
const everyMs = 10_000;

/**
 * Rate-limits reports of an error that occurs many times, such as an unreachable store. The first error is reported
 * immediately, then at most one every 10 s, with the number of errors since the last report. Different errors share the
 * same limit.
 */
export function repeatedError(clock: Clock, report: (error: unknown, count: number) => void): (error: unknown) => void {
  let reportedMs = Number.NEGATIVE_INFINITY;
  let count = 0;
  return (error) => {
    count += 1;
    if (clock.elapsed() - reportedMs < everyMs) return;
    reportedMs = clock.elapsed();
    report(error, count);
    count = 0;
  };
}
