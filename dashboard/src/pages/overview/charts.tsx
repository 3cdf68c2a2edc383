import { useMemo } from 'react';
import type { OwnOverview } from '../../api/wire.ts';
import { useSession } from '../../api/session.ts';
import type { ChartSeries } from '../../components/chart-options.ts';
import { SectionCard } from '../../components/section-card.tsx';
import { TimeChart } from '../../components/time-chart.tsx';
import { useFormat } from '../../text/format.ts';
import { useText } from '../../text/text.tsx';
import classes from './overview.module.css';

type OverviewPoint = OwnOverview['series'][number];

/** Spend, traffic, tokens and waiting time over the range. */
export default function Charts({ overview }: { readonly overview: OwnOverview | undefined }) {
  const { t } = useText();
  const { currency } = useSession();
  const format = useFormat();
  const series = overview?.series;
  const times = useMemo(() => series?.map(({ at }) => at), [series]);
  const lines = useMemo(() => {
    const line = (
      label: string,
      color: ChartSeries['color'],
      value: (point: OverviewPoint) => number | null,
    ): ChartSeries => ({
      label,
      ...(color && { color }),
      values: series?.map(value) ?? [],
    });
    return {
      spend: [line(t('overview.spend'), 1, ({ spend }) => Number(spend))],
      requests: [
        line(t('overview.requests'), 1, ({ requests }) => requests),
        line(t('overview.errors'), 'bad', ({ errors }) => errors),
      ],
      tokens: [
        line(t('overview.promptTokens'), 1, (point) => point.prompt_tokens),
        line(t('overview.cachedTokens'), 4, (point) => point.cached_tokens),
        line(t('overview.completionTokens'), 2, (point) => point.completion_tokens),
      ],
      wait: [
        line(t('overview.wait'), 1, (point) => point.mean_wait_ms),
        line(t('overview.firstByte'), 3, (point) => point.mean_first_byte_ms),
      ],
    };
  }, [series, t]);
  const writeMoney = useMemo(() => (value: number) => format.money(value.toFixed(9), currency), [format, currency]);
  const shared = { times, interval: overview?.interval ?? 'day', height: 200 } as const;
  return (
    <div className={classes['charts']}>
      <SectionCard title={t('overview.spend')}>
        <TimeChart
          {...shared}
          label={t('overview.spendChart')}
          series={lines.spend}
          shape="bars"
          formatValue={writeMoney}
        />
      </SectionCard>
      <SectionCard title={t('overview.requests')}>
        <TimeChart {...shared} label={t('overview.requestsChart')} series={lines.requests} shape="bars" />
      </SectionCard>
      <SectionCard title={t('overview.tokens')}>
        <TimeChart {...shared} label={t('overview.tokensChart')} series={lines.tokens} />
      </SectionCard>
      <SectionCard title={t('overview.waiting')}>
        <TimeChart {...shared} label={t('overview.waitChart')} series={lines.wait} formatValue={format.duration} />
      </SectionCard>
    </div>
  );
}
