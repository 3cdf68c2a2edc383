import { expect, test } from 'vitest';
import { jumpingClock } from '../../test/jumping-clock.ts';
import { DeadlineTimer } from './deadline-timer.ts';

test('an error in one answer is reported, and the timer still checks the others', () => {
  const clock = jumpingClock();
  const heard: unknown[] = [];
  const seen: string[] = [];
  const watch = new DeadlineTimer(clock, (error) => heard.push(error));
  const mistake = new Error('unexpected');
  watch.add({
    dueMs: clock.elapsed() + 1000,
    look: () => {
      throw mistake;
    },
  });
  const other = {
    dueMs: clock.elapsed() + 1000,
    look: () => {
      seen.push('other');
      watch.remove(other, place);
    },
  };
  const place = watch.add(other);
  clock.jump(2000);
  expect([heard, seen]).toEqual([[mistake], ['other']]);
});
