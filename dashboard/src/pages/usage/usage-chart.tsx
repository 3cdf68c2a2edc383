import { Card } from '@mantine/core';
import { useMemo } from 'react';
import { useSession } from '../../api/session.ts';
import type { ChartSeries } from '../../components/chart-options.ts';
import { TimeChart } from '../../components/time-chart.tsx';
import { useFormat } from '../../text/format.ts';
import { useText } from '../../text/text.tsx';
import { lineName } from './line-name.ts';
import type { Usage } from './request-filter.ts';
import type { UsageChoice } from './usage-query.ts';

/** The number of own colours; grey is for the sum of all others. */
const drawnMax = 3;
const colors = [1, 2, 3] as const;

/** The top rows over time, and the sum of all others. */
export function UsageChart({ usage, choice }: { readonly usage: Usage | undefined; readonly choice: UsageChoice }) {
  const { t } = useText();
  const format = useFormat();
  const { currency } = useSession();
  const { by, drawn } = choice;
  const times = useMemo(() => usage?.points.map(({ at }) => at), [usage]);
  const series = useMemo((): readonly ChartSeries[] => {
    if (!usage) return [];
    const top = usage.lines.filter((line) => line.series.length > 0).slice(0, drawnMax);
    const lines = top.map((line, index) => ({
      label: lineName(by, line, t),
      color: colors[index] ?? 1,
      values: line.series.map((point) => Number(point[drawn])),
    }));
    const all = usage.series.map((point) => Number(point[drawn]));
    const rest = all.map((value, at) => value - lines.reduce((sum, { values }) => sum + (values[at] ?? 0), 0));
    const isRest = usage.lines.length > top.length;
    return isRest
      ? [...lines, { label: t('usage.other'), color: 4, values: rest.map((value) => Math.max(0, rounded(value))) }]
      : lines;
  }, [usage, by, drawn, t]);
  const writeMoney = useMemo(() => (value: number) => format.money(value.toFixed(9), currency), [format, currency]);
  return (
    <Card component="section" aria-label={t('usage.chart')}>
      <TimeChart
        label={t('usage.chart')}
        times={times}
        series={series}
        interval={choice.interval}
        shape={series.length < 2 ? 'bars' : 'lines'}
        height={240}
        {...(drawn === 'spend' && { formatValue: writeMoney })}
      />
    </Card>
  );
}

/** Money has nine decimals; further digits are floating-point noise. */
function rounded(value: number): number {
  return Number(value.toFixed(9));
}
