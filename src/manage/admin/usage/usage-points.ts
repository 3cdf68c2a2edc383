import { z } from 'zod';
import { hourMs } from '../../../core/time/calendar-day.ts';
import { isTimeZone } from '../../../core/time/cap-period.ts';
import { type ZoneOffset, zoneOffsets } from '../../../money/requests/time-zone.ts';
import type { RollupPoints } from '../../../money/requests/rollups/usage-rollups.ts';
import { invalidField } from '../api/sent-values.ts';
import { sentTime } from '../api/wire.ts';
import { breaks } from '../../../platform/config/file/wording.ts';
import { broken } from 'chat-formats/reasons/reason.ts';

const dayMs = 24 * hourMs;
const monthMs = 31 * dayMs;

/** Default and maximum length of a span. The maximum keeps the number of points readable. */
const lengths = {
  hour: { usualMs: dayMs, maxMs: 31 * dayMs, max: '31 days', next: ', or ask for `interval=day`' },
  day: { usualMs: 29 * dayMs, maxMs: 400 * dayMs, max: '400 days', next: ', or ask for `interval=month`' },
  month: { usualMs: 11 * monthMs, maxMs: 61 * monthMs, max: '61 months', next: '' },
} as const;

export type UsageInterval = keyof typeof lengths;

export const pointsQuery = {
  since: sentTime
    .optional()
    .describe('Its hour, day or month is the first one included. Default: a day, 30 days or a year before `until`.'),
  until: sentTime.optional().describe('Its hour is the last one included. Default: now.'),
  interval: z.enum(['hour', 'day', 'month']).default('day').describe('Length of a point of the series.'),
  zone: z
    .string()
    .max(64)
    .refine(isTimeZone, breaks('not_a_time_zone', { example: 'Europe/Berlin' }))
    .default('UTC')
    .describe(
      'Time zone in which days and months begin. Usage is added up in whole hours of UTC. If the time zone is not whole hours apart from UTC, an hour belongs to the day in which it begins.',
    ),
};

type PointsQuery = z.output<z.ZodObject<typeof pointsQuery>>;

export interface UsagePoint {
  readonly at: number;
  readonly until: number;
}

export interface UsageSpan {
  readonly from: number;
  readonly to: number;
  readonly interval: UsageInterval;
  readonly zone: string;
  readonly points: readonly UsagePoint[];
  /** How the store groups hours. */
  readonly grouping: RollupPoints;
  /** Index of the point that a group of the store belongs to. */
  readonly pointOf: (group: number) => number;
  /** Whether days begin at a whole hour of UTC. */
  readonly isExact: boolean;
}

export function usageSpan({ since, until, interval, zone }: PointsQuery, now: number): UsageSpan {
  const { usualMs, maxMs, max, next } = lengths[interval];
  const to = Math.ceil((until ?? now) / hourMs) * hourMs;
  const first = Math.floor((since ?? to - Math.max(usualMs, hourMs)) / hourMs) * hourMs;
  if (first >= to) throw invalidField('since', broken('not_before_end'), 'Send an earlier time.');
  if (to - first > maxMs) throw invalidField('since', broken('span_too_long', { max }), `Send a later time${next}.`);
  const offsets = zoneOffsets(zone, { from: first - monthMs - dayMs, to });
  const nameOf = pointName(interval, offsets);
  let from = first;
  while (nameOf(from - hourMs) === nameOf(first)) from -= hourMs;
  const points = pointsWithin({ from, to }, nameOf);
  const indexes = new Map(points.map(({ at }, index) => [nameOf(at), index]));
  const grouping: RollupPoints = interval === 'hour' ? { interval } : { interval: 'day', offsets };
  const pointOf = (group: number) => indexes.get(interval === 'month' ? monthOf(group) : group) ?? 0;
  const isExact = interval === 'hour' || offsets.every(({ offsetMs }) => offsetMs % hourMs === 0);
  return { from, to, interval, zone, points, grouping, pointOf, isExact };
}

function pointsWithin(
  { from, to }: { readonly from: number; readonly to: number },
  nameOf: (hour: number) => number,
): readonly UsagePoint[] {
  const starts: number[] = [];
  for (let hour = from; hour < to; hour += hourMs) {
    if (hour === from || nameOf(hour) !== nameOf(hour - hourMs)) starts.push(hour);
  }
  return starts.map((at, index) => ({ at, until: starts[index + 1] ?? to }));
}

/** The group of an hour, as the store computes it. Months are built from days. */
function pointName(interval: UsageInterval, offsets: readonly ZoneOffset[]): (hour: number) => number {
  if (interval === 'hour') return (hour) => hour;
  const dayOf = (hour: number): number => {
    const offset = offsets.findLast(({ from }) => hour >= from) ?? offsets[0];
    return Math.floor((hour + (offset?.offsetMs ?? 0)) / dayMs);
  };
  return interval === 'day' ? dayOf : (hour) => monthOf(dayOf(hour));
}

function monthOf(day: number): number {
  const date = new Date(day * dayMs);
  return date.getUTCFullYear() * 12 + date.getUTCMonth();
}
