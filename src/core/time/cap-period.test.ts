import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type CalendarSpan,
  type CapPeriod,
  capPeriods,
  calendarSpans,
  isTimeZone,
  type RenewalZone,
  spansKept,
} from './cap-period.ts';

/**
 * Half-hour and quarter-hour offsets, missing midnights, a skipped day, clocks set back at midnight, both hemispheres.
 */
const zones = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'America/St_Johns',
  'America/Sao_Paulo',
  'Asia/Kolkata',
  'Asia/Kathmandu',
  'Asia/Beirut',
  'Africa/Cairo',
  'Australia/Lord_Howe',
  'Pacific/Apia',
  'Pacific/Kiritimati',
  'Pacific/Chatham',
  'America/Havana',
];

const moments = fc.integer({ min: Date.UTC(2005, 0, 1), max: Date.UTC(2040, 0, 1) });
const renewals = fc.record({ period: fc.constantFrom(...capPeriods), timeZone: fc.constantFrom(...zones) });

/** The local date, computed in another way than the code does. */
const walls = new Map(zones.map((timeZone) => [timeZone, new Intl.DateTimeFormat('sv-SE', { timeZone })]));

function wall(at: number, timeZone: string): string {
  return walls.get(timeZone)!.format(at);
}

/** The first day of the period that contains a day, computed from the date text. */
function firstDay(day: string, period: CapPeriod): string {
  if (period === 'day') return day;
  if (period === 'month') return `${day.slice(0, 8)}01`;
  const noon = new Date(`${day}T12:00:00Z`);
  noon.setUTCDate(noon.getUTCDate() - ((noon.getUTCDay() + 6) % 7));
  return noon.toISOString().slice(0, 10);
}

test('every time is in one span, which begins on its first day and ends where the next begins', () => {
  const spans = calendarSpans();
  fc.assert(
    fc.property(renewals, moments, fc.double({ min: 0, max: 1, noNaN: true }), (renewal, at, share) => {
      const { period, timeZone } = renewal;
      const span = spans(renewal, at);
      expect(span.since).toBeLessThanOrEqual(at);
      expect(span.until).toBeGreaterThan(at);
      const inside = Math.floor(span.since + share * (span.until - 1 - span.since));
      expect(spans(renewal, inside)).toEqual(span);
      expect(spans(renewal, span.until).since).toBe(span.until);
      expect(spans(renewal, span.since - 1).until).toBe(span.since);
      const [first, last] = [wall(span.since, timeZone), wall(span.since - 1, timeZone)];
      expect(last < first).toBe(true);
      // If a zone skipped the first day of a period, the span begins on the next day.
      const named = firstDay(first, period);
      if (timeZone !== 'Pacific/Apia') expect(named).toBe(first);
    }),
    { numRuns: 150 },
  );
});

test('a week begins on Monday and a month on its first day, whatever the clocks do', () => {
  const spans = calendarSpans();
  const berlin = { timeZone: 'Europe/Berlin' };
  const shown = (period: CapPeriod, at: string) => {
    const { since, until } = spans({ ...berlin, period }, Date.parse(at));
    return [new Date(since).toISOString(), new Date(until).toISOString()];
  };
  // The day on which clocks are set forward has 23 hours, the one on which they are set back has 25.
  expect(shown('day', '2026-03-29T12:00:00Z')).toEqual(['2026-03-28T23:00:00.000Z', '2026-03-29T22:00:00.000Z']);
  expect(shown('day', '2026-10-25T12:00:00Z')).toEqual(['2026-10-24T22:00:00.000Z', '2026-10-25T23:00:00.000Z']);
  expect(shown('week', '2026-03-29T21:59:59Z')).toEqual(['2026-03-22T23:00:00.000Z', '2026-03-29T22:00:00.000Z']);
  expect(shown('month', '2028-02-29T22:59:59Z')).toEqual(['2028-01-31T23:00:00.000Z', '2028-02-29T23:00:00.000Z']);
  // Midnight did not exist on this day, so it began at one o'clock.
  const cairo = spans({ period: 'day', timeZone: 'Africa/Cairo' }, Date.parse('2026-04-24T12:00:00Z'));
  expect(new Date(cairo.since).toISOString()).toBe('2026-04-23T22:00:00.000Z');
});

test('every time is in exactly one span when clocks are set back over midnight', () => {
  const spans = calendarSpans();
  const newfoundland = { period: 'day', timeZone: 'America/St_Johns' } as const;
  // One minute after midnight the clocks went back to 23:01 of the previous day.
  const moments = ['02:29', '02:30', '02:31', '03:00', '03:29', '03:30'].map((time) => `2010-11-07T${time}:30Z`);
  const spansFound = moments.map((at) => spans(newfoundland, Date.parse(at)));
  for (const [index, at] of moments.entries()) {
    expect(spansFound[index]!.since).toBeLessThanOrEqual(Date.parse(at));
    expect(spansFound[index]!.until).toBeGreaterThan(Date.parse(at));
    expect(calendarSpans()(newfoundland, Date.parse(at))).toEqual(spansFound[index]);
  }
  expect(new Set(spansFound.map(({ since }) => since)).size).toBe(2);
});

test('only supported time zones are accepted', () => {
  for (const name of ['UTC', 'Europe/Berlin', 'Asia/Kolkata', '+05:30']) expect(isTimeZone(name)).toBe(true);
  for (const name of ['', 'Berlin', 'Mars/Olympus', "'; drop", '25:00']) expect(isTimeZone(name)).toBe(false);
});

const changes = fc.record({
  period: fc.constantFrom(...capPeriods),
  first: fc.constantFrom(...zones),
  from: moments,
  /** Each zone after so many thousandths of two periods. */
  later: fc.array(fc.tuple(fc.integer({ min: 0, max: 1000 }), fc.constantFrom(...zones)), {
    minLength: 1,
    maxLength: 6,
  }),
});

const leastDays = { day: 1, week: 7, month: 28 } as const;
const hourMs = 3_600_000;

test('changes of the time zone never cut or repeat a span, and no span after one is shorter than its period', () => {
  fc.assert(
    fc.property(changes, ({ period, first, from, later }) => {
      const leastMs = leastDays[period] * 24 * hourMs;
      let zone: RenewalZone = { timeZone: first };
      let at = from;
      const seen: CalendarSpan[] = [];
      const look = (time: number) => {
        const span = calendarSpans()({ period, ...zone }, time);
        const last = seen.at(-1);
        expect(span.since).toBeLessThanOrEqual(time);
        expect(span.until).toBeGreaterThan(time);
        if (last && time < last.until) return expect(span).toEqual(last);
        if (last) expect(span.since).toBe(last.until);
        return seen.push(span);
      };
      const advanceTo = (time: number) => {
        look(at);
        while (seen.at(-1)!.until <= time) look(seen.at(-1)!.until);
        at = time;
        look(at);
      };
      for (const [share, timeZone] of later) {
        advanceTo(at + Math.floor((share * 2 * leastMs) / 1000));
        zone = { timeZone, keptSpans: spansKept(zone, at) };
        look(at);
      }
      advanceTo(at + 5 * leastMs);
      // A calendar span may be an hour short. Two of them are as long as without any change.
      for (const { since, until } of seen) {
        expect(until - since).toBeGreaterThanOrEqual(leastMs - hourMs);
        expect(until - since).toBeLessThanOrEqual(2 * leastMs + 80 * hourMs);
      }
      const { timeZone } = zone;
      expect(seen.at(-1)).toEqual(calendarSpans()({ period, timeZone }, at));
    }),
    { numRuns: 100 },
  );
});

test('another time zone takes effect after the span in which it changed', () => {
  const at = Date.parse('2026-11-19T18:00:00Z');
  const zone = { timeZone: 'Asia/Shanghai', keptSpans: spansKept({ timeZone: 'UTC' }, at) };
  const spans = calendarSpans();
  const shown = (period: CapPeriod, time: string) => {
    const { since, until } = spans({ period, ...zone }, Date.parse(time));
    return [since, until].map((each) => new Date(each).toISOString().slice(0, 13)).join(' ');
  };
  expect(shown('day', '2026-11-18T18:00Z')).toBe('2026-11-18T00 2026-11-19T00');
  expect(shown('day', '2026-11-19T18:00Z')).toBe('2026-11-19T00 2026-11-20T00');
  expect(shown('day', '2026-11-20T00:00Z')).toBe('2026-11-20T00 2026-11-21T16');
  expect(shown('day', '2026-11-21T16:00Z')).toBe('2026-11-21T16 2026-11-22T16');
  expect(shown('week', '2026-11-19T18:00Z')).toBe('2026-11-16T00 2026-11-23T00');
  expect(shown('week', '2026-11-23T00:00Z')).toBe('2026-11-23T00 2026-12-06T16');
  expect(shown('month', '2026-11-30T23:59Z')).toBe('2026-11-01T00 2026-12-01T00');
  expect(shown('month', '2026-12-01T00:00Z')).toBe('2026-12-01T00 2026-12-31T16');
  expect(shown('month', '2026-12-31T16:00Z')).toBe('2026-12-31T16 2027-01-31T16');
});
