import { expect, test } from 'vitest';
import { jumpingClock } from '../../test/jumping-clock.ts';
import { DeadlineTimer } from './deadline-timer.ts';

test('a mistake with one answer is told, and the others are looked at all the same', () => {
  const clock = jumpingClock();
  const heard: unknown[] = [];
  const seen: string[] = [];
  const watch = new DeadlineTimer(clock, (error) => heard.push(error));
  const mistake = new Error('nobody expected this');
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
