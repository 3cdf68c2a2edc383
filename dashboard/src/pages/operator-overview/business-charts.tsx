import { useMemo } from 'react';
import { useSession } from '../../api/session.ts';
import type { ChartSeries } from '../../components/chart-options.ts';
import { SectionCard } from '../../components/section-card.tsx';
import { TimeChart } from '../../components/time-chart.tsx';
import { useFormat } from '../../text/format.ts';
import { useText } from '../../text/text.tsx';
import type { Usage } from '../usage/request-filter.ts';
import classes from './operator-overview.module.css';

type BusinessPoint = Usage['series'][number];

/** Money, traffic and waiting time over the range. */
export function BusinessCharts({ usage }: { readonly usage: Usage | undefined }) {
  const { t } = useText();
  const format = useFormat();
  const { currency } = useSession();
  const times = useMemo(() => usage?.points.map(({ at }) => at), [usage]);
  const lines = useMemo(() => {
    const line = (
      label: string,
      color: NonNullable<ChartSeries['color']>,
      value: (point: BusinessPoint) => number | null,
    ): ChartSeries => ({ label, color, values: usage?.series.map(value) ?? [] });
    return {
      money: [
        line(t('usage.revenue'), 1, ({ spend }) => Number(spend)),
        ...(usage?.series.some((point) => Number(point.costed_spend) !== 0)
          ? [line(t('usage.providerCost'), 2, (point) => Number(point.provider_cost ?? 0))]
          : []),
      ],
      traffic: [
        line(t('usage.requests'), 1, ({ requests }) => requests),
        line(t('usage.errors'), 'bad', ({ errors }) => errors),
      ],
      wait: [
        line(t('usage.wait'), 1, (point) => point.mean_wait_ms),
        line(t('usage.firstByte'), 3, (point) => point.mean_first_byte_ms),
      ],
    };
  }, [usage, t]);
  const writeMoney = useMemo(() => (value: number) => format.money(value.toFixed(9), currency), [format, currency]);
  const shared = { times, interval: usage?.interval ?? 'day', height: 200 } as const;
  return (
    <div className={classes['charts']}>
      <SectionCard title={t('usage.moneyTitle')}>
        <TimeChart {...shared} label={t('usage.moneyChart')} series={lines.money} formatValue={writeMoney} />
      </SectionCard>
      <SectionCard title={t('usage.trafficTitle')}>
        <TimeChart {...shared} label={t('usage.trafficChart')} series={lines.traffic} shape="bars" />
      </SectionCard>
      <SectionCard title={t('usage.waitTitle')}>
        <TimeChart {...shared} label={t('usage.waitChart')} series={lines.wait} formatValue={format.duration} />
      </SectionCard>
    </div>
  );
}
