import { SegmentedControl } from '@mantine/core';
import { type ReactNode, useMemo } from 'react';
import { useFilters } from '../../components/filters.ts';
import { useText } from '../../text/text.tsx';
import { startOfDays } from '../../text/wall-clock.ts';

const lengths = { '24h': 1, '7d': 7, '30d': 30, '90d': 90 } as const;

type RangeName = keyof typeof lengths;

const rangeNames: readonly RangeName[] = ['24h', '7d', '30d', '90d'];

interface Range {
  readonly name: RangeName;
  readonly days: number;
  /** The query parameters of the overview. */
  readonly query: { readonly since: string; readonly interval: 'hour' | 'day' };
}

/** The time range in the URL, and the control that changes it. */
export function useRange(): readonly [Range, ReactNode] {
  const { t, timeZone } = useText();
  const [values, change] = useFilters(['range']);
  const name = rangeNames.find((one) => one === values.range) ?? '7d';
  const hour = new Date().setMinutes(0, 0, 0);
  const range = useMemo(() => rangeOf(name, hour, timeZone), [name, hour, timeZone]);
  const choice = (
    <SegmentedControl
      aria-label={t('overview.range')}
      size="sm"
      data={rangeNames.map((value) => ({ value, label: t(`overview.range${value}`) }))}
      value={name}
      onChange={(next) => change({ range: next === '7d' ? undefined : next })}
    />
  );
  return [range, choice];
}

/** Whole hours up to the current one, or whole days in the user's time zone up to today. */
function rangeOf(name: RangeName, hour: number, timeZone: string): Range {
  const days = lengths[name];
  const since = name === '24h' ? new Date(hour - 23 * 3_600_000) : startOfDays(hour, days, timeZone);
  return { name, days, query: { since: since.toISOString(), interval: name === '24h' ? 'hour' : 'day' } };
}
