import { expect, test } from 'vitest';
import { byteSizeWithin } from './byte-size.ts';

const size = byteSizeWithin('1KiB', '1GiB');

test('a size is read in the unit it is written in, a bare number as bytes', () => {
  expect([16384, '16384', '2048B', '16KiB', '32MiB', '1GiB'].map((text) => size.parse(text))).toEqual([
    16384,
    16384,
    2048,
    16384,
    32 * 1024 ** 2,
    1024 ** 3,
  ]);
});

test('an invalid size is refused, with one message', () => {
  for (const text of ['', '1MB', '1 MiB', '1.5MiB', -1, 1.5, Number.NaN]) {
    expect(size.safeParse(text).error?.issues.map(({ message }) => message)).toEqual([
      'must be a size such as 16384, 512KiB or 32MiB',
    ]);
  }
});

test('both bounds belong to the range', () => {
  expect([1023, 1024, '1GiB', '2GiB'].map((text) => size.safeParse(text).success)).toEqual([false, true, true, false]);
});
