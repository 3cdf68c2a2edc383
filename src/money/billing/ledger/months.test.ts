import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { isDeep } from '../../../../test/depth.ts';
import { isMonth, monthAfter, monthAt, monthEnd, monthStart } from './months.ts';

/**
 * Zones with half and quarter hours, missing midnights, clocks set back at midnight, a skipped day, and both extreme
 * offsets.
 */
const zones = [
  'UTC',
  'America/Los_Angeles',
  'America/Havana',
  'America/Sao_Paulo',
  'America/St_Johns',
  'Asia/Kolkata',
  'Asia/Kathmandu',
  'Asia/Amman',
  'Asia/Shanghai',
  'Australia/Lord_Howe',
  'Pacific/Apia',
  'Pacific/Chatham',
  'Pacific/Kiritimati',
];

const moments = fc.integer({ min: Date.UTC(2005, 0, 1), max: Date.UTC(2040, 0, 1) });

test('every moment is in exactly one month of a zone, and months have no gaps', () => {
  fc.assert(
    fc.property(fc.constantFrom(...zones), moments, (zone, at) => {
      const month = monthAt(at, zone);
      expect(isMonth(month)).toBe(true);
      const [start, end] = [monthStart(month, zone), monthEnd(month, zone)];
      expect(start <= at && at < end).toBe(true);
      expect([monthAt(start, zone), monthAt(end - 1, zone)]).toEqual([month, month]);
      expect([monthAt(start - 1, zone), monthAt(end, zone)]).toEqual([monthAfter(month, -1), monthAfter(month)]);
    }),
    { numRuns: isDeep ? 100 : 40 },
  );
});

test('months begin at local midnight, with or without daylight saving', () => {
  const begins = (month: string, zone: string) => new Date(monthStart(month, zone)).toISOString();
  expect(begins('2026-01', 'America/Los_Angeles')).toBe('2026-01-01T08:00:00.000Z');
  expect(begins('2026-07', 'America/Los_Angeles')).toBe('2026-07-01T07:00:00.000Z');
  expect(begins('2026-03', 'Asia/Kolkata')).toBe('2026-02-28T18:30:00.000Z');
  // Clocks go forward over this midnight: the month begins at one o'clock.
  expect(begins('2022-04', 'Asia/Amman')).toBe('2022-03-31T21:00:00.000Z');
  expect(monthAfter('2026-12')).toBe('2027-01');
});

test('a month begins once if clocks are set back across its start', () => {
  // At 00:01 of 1 November clocks there went back to 23:01 of 31 October.
  const [zone, from] = ['America/St_Johns', Date.parse('2009-11-01T02:20Z')];
  const months = Array.from({ length: 90 }, (_, minute) => monthAt(from + minute * 60_000, zone));
  const begins = months.flatMap((month, minute) => (month === months[minute - 1] ? [] : [month]));
  expect(begins).toEqual(['2009-10', '2009-11']);
});
