import { expect, test } from 'vitest';
import { streamsWithin } from './descriptors.ts';

test('streams are as many as wanted where there are descriptors for both sides of each', () => {
  expect(streamsWithin(10_000, 65_536)).toBe(10_000);
});

test('streams are fewer where the limit of open files is low, and some are left for everything else', () => {
  expect(streamsWithin(10_000, 20_000)).toBe(9_900);
});
