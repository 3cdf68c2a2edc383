import { expect, test } from 'vitest';
import { jumpingClock } from '../../../test/clocks/jumping-clock.ts';
import { DeadlineTimer } from './deadline-timer.ts';

test('an error in one answer is reported, and the timer still checks the others', () => {
  const clock = jumpingClock();
  const errors: unknown[] = [];
  const checked: string[] = [];
  const timer = new DeadlineTimer(clock, (reported) => errors.push(reported));
  const error = new Error('unexpected');
  timer.add({
    dueMs: clock.elapsed() + 1000,
    tick: () => {
      throw error;
    },
  });
  const other = {
    dueMs: clock.elapsed() + 1000,
    tick: () => {
      checked.push('other');
      timer.remove(other, index);
    },
  };
  const index = timer.add(other);
  clock.jump(2000);
  expect([errors, checked]).toEqual([[error], ['other']]);
});
