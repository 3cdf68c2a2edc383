import { useMemo } from 'react';
import { useFilters } from '../../components/filters.ts';

const lengths = { '24h': 1, '7d': 7, '30d': 30, '90d': 90 } as const;

export type RangeName = keyof typeof lengths;

export const rangeNames: readonly RangeName[] = ['24h', '7d', '30d', '90d'];

export interface Range {
  readonly name: RangeName;
  readonly days: number;
  /** What the overview is asked for. */
  readonly query: { readonly since: string; readonly interval: 'hour' | 'day' };
}

/** The span of time in the address, and the way to change it. */
export function useRange(): readonly [Range, (name: RangeName) => void] {
  const [values, change] = useFilters(['range']);
  const name = rangeNames.find((one) => one === values.range) ?? '7d';
  const hour = new Date().setMinutes(0, 0, 0);
  const range = useMemo(() => rangeOf(name, new Date(hour)), [name, hour]);
  return [range, (next) => change({ range: next === '7d' ? undefined : next })];
}

/** Hours up to this one, or the viewer's days up to today, so that a day in a chart is a day on the wall. */
export function rangeOf(name: RangeName, now: Date): Range {
  const since = new Date(now);
  if (name === '24h') since.setHours(now.getHours() - 23, 0, 0, 0);
  else {
    since.setDate(now.getDate() - lengths[name] + 1);
    since.setHours(0, 0, 0, 0);
  }
  return {
    name,
    days: lengths[name],
    query: { since: since.toISOString(), interval: name === '24h' ? 'hour' : 'day' },
  };
}
