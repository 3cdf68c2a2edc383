import fc from 'fast-check';
import { expect, test } from 'vitest';
import { AdaptiveLimit } from './adaptive-limit.ts';

function limitOf(max: number): AdaptiveLimit {
  return new AdaptiveLimit(() => max);
}

function refuse(limit: AdaptiveLimit, times: number, runningBeside = 0): void {
  for (let i = 0; i < times; i += 1) limit.refused({ running: runningBeside, undecided: 0 });
}

function accept(limit: AdaptiveLimit, times: number): void {
  for (let i = 0; i < times; i += 1) limit.accepted();
}

test('a provider that refuses every call gets one call at a time', () => {
  const limit = limitOf(16);
  refuse(limit, 3);
  expect(limit.current).toBe(1);
  refuse(limit, 30);
  expect(limit.current).toBe(1);
});

test('the limit does not fall below the number of calls that ran next to a refused one', () => {
  const limit = limitOf(16);
  refuse(limit, 3, 8);
  expect(limit.current).toBe(8);
});

test('refusals count for less while other calls are undecided', () => {
  const limit = limitOf(16);
  for (let undecided = 15; undecided > 12; undecided -= 1) limit.refused({ running: undecided, undecided });
  expect(limit.isLowered).toBe(false);
  accept(limit, 13);
  expect(limit.isLowered).toBe(false);
});

test('one or two refusals do not lower the limit', () => {
  const limit = limitOf(16);
  refuse(limit, 2);
  accept(limit, 48);
  refuse(limit, 2);
  expect([limit.current, limit.isLowered]).toEqual([16, false]);
});

test('as many answers as the limit raise it by one, up to the configured maximum', () => {
  const limit = limitOf(4);
  refuse(limit, 3);
  const seen = [1, 2, 3].map((level) => {
    expect(limit.current).toBe(level);
    accept(limit, level - 1);
    expect(limit.current).toBe(level);
    // The level that was refused last needs 24 answers.
    accept(limit, level === 3 ? 24 - level + 1 : 1);
    return limit.current;
  });
  expect(seen).toEqual([2, 3, 4]);
  expect(limit.isLowered).toBe(false);
});

test('a changed maximum applies at once, also below a learned limit', () => {
  let max = 10;
  const limit = new AdaptiveLimit(() => max);
  max = 20;
  expect(limit.current).toBe(20);
  refuse(limit, 3, 6);
  max = 4;
  expect(limit.current).toBe(4);
  max = 40;
  expect(limit.current).toBe(6);
});

test('the limit is always between one and the configured maximum, and answers alone restore it', () => {
  const step = fc.oneof(fc.constant('accepted' as const), fc.nat(50));
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 40 }), fc.array(step, { maxLength: 300 }), (max, steps) => {
      const limit = limitOf(max);
      for (const each of steps) {
        if (each === 'accepted') limit.accepted();
        else limit.refused({ running: each, undecided: each % 5 });
        expect(limit.current).toBeGreaterThanOrEqual(1);
        expect(limit.current).toBeLessThanOrEqual(max);
      }
      accept(limit, 100 * max + 10 * max * max);
      expect(limit.current).toBe(max);
    }),
  );
});
