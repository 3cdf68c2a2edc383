import { expect, test } from 'vitest';
import { idleTerms, isIdleClass } from './idle-terms.ts';

test('the seats of a batch turn ordinary one after another, from half of its window to its end', () => {
  const window = { batchId: 'b', fromMs: 1000, untilMs: 9000 };
  const seats = [0, 1, 2, 3].map((index) => idleTerms(window, { index, of: 4 }));
  const ordinaryAt = (nowMs: number): number => seats.filter((terms) => !isIdleClass(terms, nowMs)).length;
  expect([1000, 4999, 5000, 6000, 7000, 8000, 9000].map(ordinaryAt)).toEqual([0, 0, 1, 2, 3, 4, 4]);
  expect(seats[3]).toEqual({ batchId: 'b', deadlineMs: 9000, ordinaryFromMs: 8000 });
});
