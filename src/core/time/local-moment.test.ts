import fc from 'fast-check';
import { expect, test } from 'vitest';
import { weekdays } from 'chat-formats/price.ts';
import { dayAfter, localMoments } from './local-moment.ts';

test.each([
  ['UTC', '2026-11-19T23:59:59Z', 'thu', '23:59'],
  ['Asia/Shanghai', '2026-11-19T16:30:00Z', 'fri', '00:30'],
  ['Asia/Kolkata', '2026-11-22T18:29:00Z', 'sun', '23:59'],
  // The hour after 02:00 is repeated, and another one does not exist.
  ['Europe/Berlin', '2026-10-25T00:30:00Z', 'sun', '02:30'],
  ['Europe/Berlin', '2026-10-25T01:30:00Z', 'sun', '02:30'],
  ['Europe/Berlin', '2026-03-29T00:59:00Z', 'sun', '01:59'],
  ['Europe/Berlin', '2026-03-29T01:00:00Z', 'sun', '03:00'],
])('%s has at %s the day %s and the time %s', (zone, at, day, time) => {
  expect(localMoments()(zone, Date.parse(at))).toEqual({ day, time });
});

test('a cached moment is that of its minute and its zone', () => {
  const cached = localMoments();
  const at = fc.integer({ min: Date.UTC(2026, 0), max: Date.UTC(2027, 0) });
  const zone = fc.constantFrom('UTC', 'America/New_York', 'Australia/Lord_Howe');
  fc.assert(
    fc.property(fc.array(fc.tuple(zone, at, fc.nat(120_000)), { minLength: 1 }), (moments) => {
      for (const [name, start, more] of moments) {
        for (const each of [start, start + more]) expect(cached(name, each)).toEqual(localMoments()(name, each));
      }
    }),
  );
});

test('days follow each other', () => {
  expect(weekdays.map((day) => dayAfter(day))).toEqual(['tue', 'wed', 'thu', 'fri', 'sat', 'sun', 'mon']);
  expect(dayAfter('mon', -1)).toBe('sun');
});
