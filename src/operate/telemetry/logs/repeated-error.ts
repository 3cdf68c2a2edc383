import type { Clock } from '../../../core/time/clock.ts';
import type { Log } from './log.ts';

/**
 * Rate-limits reports of an error that occurs many times, such as an unreachable store. The first error is reported
 * immediately, then at most one every `everyMs`, with the number of errors since the last report. Different errors
 * share the limit.
 */
export function repeatedError(
  clock: Pick<Clock, 'elapsed'>,
  report: (error: unknown, count: number) => void,
  everyMs = 10_000,
): (error: unknown) => void {
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

export function logRepeated(log: Log, clock: Clock, message: string): (error: unknown) => void {
  return repeatedError(clock, (error, met) => log.error({ error: String(error), met }, message));
}
