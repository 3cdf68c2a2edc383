import fc from 'fast-check';
import { expect, test } from 'vitest';
import { midnight, momentOf, wallTime } from './wall-clock.ts';

const zones = ['UTC', 'Europe/Oslo', 'America/New_York', 'Asia/Kathmandu', 'Australia/Lord_Howe', 'Pacific/Apia'];

test('a moment that the wall shows is found again, but for the second of two that look the same', () => {
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

test('hours that clocks skip or show twice have one answer', () => {
  expect(momentOf('2026-03-29T02:30', 'Europe/Oslo')?.toISOString()).toBe('2026-03-29T01:30:00.000Z');
  expect(momentOf('2026-10-25T02:30', 'Europe/Oslo')?.toISOString()).toBe('2026-10-25T00:30:00.000Z');
});

test('days begin at the midnight of the zone, also those of 23 or 25 hours', () => {
  const noon = Date.parse('2026-03-29T10:00:00Z');
  expect(midnight(noon, 0, 'Europe/Oslo').toISOString()).toBe('2026-03-28T23:00:00.000Z');
  expect(midnight(noon, 1, 'Europe/Oslo').toISOString()).toBe('2026-03-29T22:00:00.000Z');
  expect(midnight(noon, -6, 'Asia/Kathmandu').toISOString()).toBe('2026-03-22T18:15:00.000Z');
});

test('what is no time has no moment', () => {
  expect(momentOf('', 'UTC')).toBeUndefined();
  expect(momentOf('yesterday', 'UTC')).toBeUndefined();
  expect(wallTime('never', 'UTC')).toBe('');
});
