import { useMemo } from 'react';
import type { Query } from '../../api/call.ts';
import { useFilters } from '../../components/filters.ts';
import { useText } from '../../text/text.tsx';
import { midnight, startOfDay } from '../../text/wall-clock.ts';
import { type Grouping, groupings, isOffered, type UsageScope } from './scope.ts';

export const usageFilters = ['by', 'account', 'range', 'since', 'until', 'interval', 'drawn'] as const;

/** The days of each range, and its default interval. */
export const ranges = {
  '24h': { days: 1, interval: 'hour' },
  '7d': { days: 7, interval: 'day' },
  '30d': { days: 30, interval: 'day' },
  '90d': { days: 90, interval: 'day' },
  '12m': { days: 365, interval: 'month' },
} as const;

export type UsageRange = keyof typeof ranges | 'custom';
export const rangeNames = [...(Object.keys(ranges) as (keyof typeof ranges)[]), 'custom'] as const;

export const intervals = ['hour', 'day', 'month'] as const;
export type Interval = (typeof intervals)[number];

/** Whether the range has no more points than the gateway returns at once. The gateway itself checks custom ranges. */
export function isDrawable(range: UsageRange, interval: Interval): boolean {
  return interval !== 'hour' || range === 'custom' || ranges[range].days <= 31;
}

export const measures = ['spend', 'requests', 'errors'] as const;
export type Measure = (typeof measures)[number];

/** The values in the URL. */
export interface UsageChoice {
  readonly by: Grouping;
  /** A grouping in the URL that does not exist. */
  readonly unknownBy: string | undefined;
  readonly account: string | undefined;
  readonly range: UsageRange;
  readonly interval: Interval;
  readonly drawn: Measure;
  /** Days as typed, only for a custom range. */
  readonly since: string | undefined;
  readonly until: string | undefined;
}

export function useUsageChoice(scope: UsageScope): UsageChoice {
  const [values] = useFilters(usageFilters);
  const { account, since, until } = values;
  const requested = scope.groupings.find((one) => one === values.by);
  const offered = scope.groupings.filter((one) => isOffered(one, account));
  const by = requested && offered.includes(requested) ? requested : (offered[0] ?? groupings[1]);
  const range = rangeNames.find((one) => one === values.range) ?? '30d';
  const defaultInterval = range === 'custom' ? 'day' : ranges[range].interval;
  const interval = intervals.find((one) => one === values.interval && isDrawable(range, one)) ?? defaultInterval;
  const drawn = measures.find((one) => one === values.drawn) ?? (by === 'error' ? 'errors' : 'spend');
  const unknownBy = requested === undefined ? values.by : undefined;
  return { by, unknownBy, account, range, interval, drawn, since, until };
}

/** The query parameters of the API. */
export function useUsageQuery(choice: UsageChoice): Query {
  const { timeZone } = useText();
  const hour = new Date().setMinutes(0, 0, 0);
  const { by, account, range, interval, drawn, since, until } = choice;
  return useMemo(
    () => ({
      by,
      account,
      order: drawn,
      interval,
      zone: timeZone,
      ...spanOf({ range, since, until }, hour, timeZone),
    }),
    [by, account, range, interval, drawn, since, until, hour, timeZone],
  );
}

/** Days in the user's time zone, up to now or to the end of the chosen last day. */
function spanOf(
  { range, since, until }: Pick<UsageChoice, 'range' | 'since' | 'until'>,
  hour: number,
  timeZone: string,
): Query {
  if (range === 'custom') {
    const end = startOfDay(until, 1, timeZone);
    return { since: startOfDay(since, 0, timeZone), ...(end !== undefined && { until: end }) };
  }
  if (range === '24h') return { since: new Date(hour - 23 * 3_600_000).toISOString() };
  return { since: midnight(hour, 1 - ranges[range].days, timeZone).toISOString() };
}
