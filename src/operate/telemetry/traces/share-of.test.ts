import { afterEach, expect, test, vi } from 'vitest';
import { seededRandom } from '../../../../test/crash/random.ts';
import { manualClock } from '../../../../test/clocks/manual-clock.ts';
import { requestIds } from '../../../core/request-id.ts';
import { sampleFraction } from './share-of.ts';

afterEach(() => void vi.restoreAllMocks());

test('ids are distributed evenly, and the same id always has the same value', () => {
  // The ids are fixed, because the distribution of random ids varies from run to run.
  vi.spyOn(Math, 'random').mockImplementation(seededRandom('share of ids'));
  const newId = requestIds(manualClock());
  const ids = Array.from({ length: 20_000 }, newId);
  for (const share of [0.01, 0.1, 0.5]) {
    const part = ids.filter((id) => sampleFraction(id) < share).length / ids.length;
    expect(part / share).toBeGreaterThan(0.7);
    expect(part / share).toBeLessThan(1.3);
  }
  expect(ids.map(sampleFraction)).toEqual(ids.map(sampleFraction));
});
