import { type Clock, systemClock } from '../src/core/clock.ts';

/**
 * The system's clock, running so many times slower: what a gateway allows a second for has that many seconds, and does not
 * run out because a machine is busy. The wall clock stays as it is.
 */
export function slowClock(times: number): Clock {
  return {
    ...systemClock,
    elapsed: () => systemClock.elapsed() / times,
    after: (delayMs, work) => systemClock.after(delayMs * times, work),
  };
}
