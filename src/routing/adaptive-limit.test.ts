import { expect, test } from 'vitest';
import { AdaptiveLimit } from './adaptive-limit.ts';

function fixture(max: number) {
  let nowMs = 0;
  const limit = new AdaptiveLimit(max, () => nowMs);
  return {
    limit,
    pass: (ms: number) => {
      nowMs += ms;
    },
  };
}

test('a refusal leaves seven tenths of the places, never less than one', () => {
  const { limit } = fixture(10);
  const seen = [10, 7, 4, 2, 1, 1];
  for (const expected of seen) {
    expect(limit.current).toBe(expected);
    limit.refused(limit.generation);
  }
});

test('refusals of requests let in before a cut do not cut again', () => {
  const { limit } = fixture(100);
  const before = limit.generation;
  for (let i = 0; i < 50; i++) limit.refused(before);
  expect(limit.current).toBe(70);
});

test('every ten quiet seconds bring one place back, up to what was configured', () => {
  const { limit, pass } = fixture(10);
  limit.refused(limit.generation);
  pass(9999);
  expect([limit.current, limit.growsAtMs]).toEqual([7, 10_000]);
  pass(1);
  expect(limit.current).toBe(8);
  pass(15_000);
  expect(limit.current).toBe(9);
  pass(5000);
  expect([limit.current, limit.growsAtMs]).toEqual([10, undefined]);
  pass(100_000);
  expect(limit.current).toBe(10);
});

test('a refusal ends the quiet, also one that does not cut', () => {
  const { limit, pass } = fixture(10);
  const before = limit.generation;
  limit.refused(before);
  pass(9000);
  limit.refused(before);
  pass(9000);
  expect(limit.current).toBe(7);
  pass(1000);
  expect(limit.current).toBe(8);
});

test('another configured number is the limit at once, unless refusals have lowered it', () => {
  const { limit, pass } = fixture(10);
  limit.resize(20);
  expect(limit.current).toBe(20);
  limit.refused(limit.generation);
  limit.resize(40);
  expect(limit.current).toBe(14);
  limit.resize(5);
  expect(limit.current).toBe(5);
  limit.resize(6);
  pass(10_000);
  expect(limit.current).toBe(6);
});
