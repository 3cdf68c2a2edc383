import { type Clock, systemClock } from '../src/core/time/clock.ts';

/** Timers take ten times as long, so that slow work such as loading the tokenizer does not time out. */
export const longTimerClock: Clock = {
  ...systemClock,
  after: (delayMs, work) => systemClock.after(10 * delayMs, work),
};
