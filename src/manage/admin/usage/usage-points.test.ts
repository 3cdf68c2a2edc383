import { expect, test } from 'vitest';
import { usageSpan } from './usage-points.ts';

const at = (text: string) => Date.parse(`${text}:00Z`);
const shown = (time: number) => new Date(time).toISOString().slice(0, 16);

test('a span includes the hour in which it ends, unless it ends exactly at the start of that hour', () => {
  const query = { since: at('2026-03-10T08:15'), interval: 'hour', zone: 'UTC' } as const;
  const ending = (until: string) =>
    usageSpan({ ...query, until: at(until) }, 0).points.map((point) => [shown(point.at), shown(point.until)]);
  expect(ending('2026-03-10T09:30')).toEqual([
    ['2026-03-10T08:00', '2026-03-10T09:00'],
    ['2026-03-10T09:00', '2026-03-10T10:00'],
  ]);
  expect(ending('2026-03-10T09:00')).toEqual([['2026-03-10T08:00', '2026-03-10T09:00']]);
});

test('a span of days or months is extended to the start of its first day or month in the time zone', () => {
  const query = { since: at('2026-03-10T08:15'), until: at('2026-03-11T01:00'), zone: 'Asia/Shanghai' };
  const days = usageSpan({ ...query, interval: 'day' }, 0);
  expect(days.points.map((point) => shown(point.at))).toEqual(['2026-03-09T16:00', '2026-03-10T16:00']);
  expect(shown(days.from)).toBe('2026-03-09T16:00');
  const months = usageSpan({ ...query, interval: 'month' }, 0);
  expect(months.points.map((point) => [shown(point.at), shown(point.until)])).toEqual([
    ['2026-02-28T16:00', '2026-03-11T01:00'],
  ]);
});
