import fc from 'fast-check';
import { expect, test } from 'vitest';
import { midnight, momentOf, startOfDays, wallTime } from './wall-clock.ts';

const zones = ['UTC', 'Europe/Oslo', 'America/New_York', 'Asia/Kathmandu', 'Australia/Lord_Howe', 'Pacific/Apia'];

test('a wall-clock time converts back to its moment, or to the first of two with the same wall-clock time', () => {
  const minutes = fc.integer({ min: Date.UTC(2015, 0) / 60_000, max: Date.UTC(2035, 0) / 60_000 });
  fc.assert(
    fc.property(minutes, fc.constantFrom(...zones), (minute, zone) => {
      const shown = wallTime(minute * 60_000, zone);
      const found = momentOf(shown, zone)?.getTime() ?? Number.NaN;
      expect(wallTime(found, zone)).toBe(shown);
      expect(found).toBeLessThanOrEqual(minute * 60_000);
    }),
  );
});

test('a wall-clock time that is skipped or occurs twice has one moment', () => {
  expect(momentOf('2026-03-29T02:30', 'Europe/Oslo')?.toISOString()).toBe('2026-03-29T01:30:00.000Z');
  expect(momentOf('2026-10-25T02:30', 'Europe/Oslo')?.toISOString()).toBe('2026-10-25T00:30:00.000Z');
});

test('a day begins at midnight of its time zone, also a day of 23 or 25 hours', () => {
  const noon = Date.parse('2026-03-29T10:00:00Z');
  expect(midnight(noon, 0, 'Europe/Oslo').toISOString()).toBe('2026-03-28T23:00:00.000Z');
  expect(midnight(noon, 1, 'Europe/Oslo').toISOString()).toBe('2026-03-29T22:00:00.000Z');
  expect(midnight(noon, -6, 'Asia/Kathmandu').toISOString()).toBe('2026-03-22T18:15:00.000Z');
});

test('an invalid time has no moment', () => {
  expect(momentOf('', 'UTC')).toBeUndefined();
  expect(momentOf('yesterday', 'UTC')).toBeUndefined();
  expect(wallTime('never', 'UTC')).toBe('');
});

test.each(['2026-03-31T20:00Z', '2026-11-18T20:00Z'])(
  'the 30 days before %s begin on 30 dates, the last one today',
  (now) => {
    const first = startOfDays(Date.parse(now), 30, 'Europe/Oslo').getTime();
    const dates = Array.from({ length: 30 }, (_, index) =>
      wallTime(first + index * 86_400_000, 'Europe/Oslo').slice(0, 10),
    );
    expect(new Set(dates).size).toBe(30);
    expect(dates.at(-1)).toBe(wallTime(now, 'Europe/Oslo').slice(0, 10));
  },
);
