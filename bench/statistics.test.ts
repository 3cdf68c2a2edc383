import { expect, test } from 'vitest';
import { median, quantiles, quartiles } from './statistics.ts';

test('the median of an odd number of values is the middle one', () => {
  expect(median([9, 1, 5])).toBe(5);
});

test('the median of an even number of values lies between the two in the middle', () => {
  expect(median([4, 1, 3, 2])).toBe(2.5);
});

test('half of the values lie between the quartiles', () => {
  expect(quartiles([8, 1, 7, 2, 6, 3, 5, 4])).toEqual({ lower: 2.5, upper: 6.5 });
  expect(quartiles([3, 1, 2])).toEqual({ lower: 1.5, upper: 2.5 });
});

test('quantiles are measured values', () => {
  const values = Array.from({ length: 100 }, (_, index) => 100 - index);
  expect(quantiles(values)).toEqual({ p50: 50, p99: 99 });
});

test('statistics without values are NaN', () => {
  expect(median([])).toBeNaN();
  expect(quantiles([]).p50).toBeNaN();
});
