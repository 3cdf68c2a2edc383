import { type Clock, systemClock } from '../../src/core/time/clock.ts';

/**
 * The system clock, slowed down by a factor. A timeout of one second then takes `times` seconds, so that it does not
 * end because the machine is busy. The wall clock is unchanged.
 */
export function slowClock(times: number): Clock {
  return {
    ...systemClock,
    elapsed: () => systemClock.elapsed() / times,
    after: (delayMs, work) => systemClock.after(delayMs * times, work),
  };
}
