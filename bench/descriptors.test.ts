import { expect, test } from 'vitest';
import { streamsWithin } from './descriptors.ts';

test('the bench opens all wanted streams if there are two descriptors for each', () => {
  expect(streamsWithin(10_000, 65_536)).toBe(10_000);
});

test('the bench opens fewer streams under a low limit of open files, and keeps a reserve', () => {
  expect(streamsWithin(10_000, 20_000)).toBe(9_900);
});
