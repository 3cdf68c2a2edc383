import { expect, test } from 'vitest';
import { duration, durationMs, durationWithin } from './duration.ts';

test('a duration is read in the unit it is written in', () => {
  expect(['250ms', '5s', '30m', '12h', '3d'].map((text) => duration.parse(text))).toEqual([
    250, 5000, 1_800_000, 43_200_000, 259_200_000,
  ]);
});

test('an invalid duration is refused, with one message', () => {
  for (const text of ['', '5', '5 s', '-5s', '1.5s', '5S', 's', '5s5s', '1e3s', '9999999999999999d']) {
    const result = duration.safeParse(text);
    expect(result.error?.issues.map(({ message }) => message)).toEqual([
      'must be a duration such as 500ms, 5s, 30m, 12h or 30d',
    ]);
  }
});

test('a duration above the maximum of a timer is refused, because the timer would fire at once', () => {
  expect(duration.safeParse('25d').error?.issues[0]?.message).toBe('must be between 1ms and 24d');
  expect(durationMs('24d')).toBeLessThan(2 ** 31);
});

test('both bounds belong to the range', () => {
  const range = durationWithin('1s', '1m');
  expect(['999ms', '1s', '60s', '61s'].map((text) => range.safeParse(text).success)).toEqual([
    false,
    true,
    true,
    false,
  ]);
});
