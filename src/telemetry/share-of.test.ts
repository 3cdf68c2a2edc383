import { expect, test } from 'vitest';
import { systemClock } from '../core/clock.ts';
import { requestIds } from '../core/request-id.ts';
import { shareOf } from './share-of.ts';

test('ids have their shares evenly, and each always the same', () => {
  const newId = requestIds(systemClock);
  const ids = Array.from({ length: 20_000 }, newId);
  for (const share of [0.01, 0.1, 0.5]) {
    const part = ids.filter((id) => shareOf(id) < share).length / ids.length;
    expect(part / share).toBeGreaterThan(0.7);
    expect(part / share).toBeLessThan(1.3);
  }
  expect(ids.map(shareOf)).toEqual(ids.map(shareOf));
});
