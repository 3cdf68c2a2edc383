import { type Clock, systemClock } from '../src/core/clock.ts';

/** Its timers take ten times as long: what a slow machine takes long for, such as loading the tokenizer, is waited for. */
export const patientClock: Clock = { ...systemClock, after: (delayMs, work) => systemClock.after(10 * delayMs, work) };
