import type { OwnOverview } from '../../api/wire.ts';
import type { ChartSeries } from '../../components/chart-options.ts';
import { SectionCard } from '../../components/section-card.tsx';
import { TimeChart } from '../../components/time-chart.tsx';
import { useText } from '../../text/text.tsx';
import classes from './overview.module.css';

type OverviewPoint = OwnOverview['series'][number];

/** Spend, traffic, tokens and waiting time over the range. */
export default function Charts({ overview }: { readonly overview: OwnOverview | undefined }) {
  const { t } = useText();
  const points = overview?.series;
  const line = (label: string, color: ChartSeries['color'], value: (point: OverviewPoint) => number | null) => ({
    label,
    color,
    values: points?.map(value) ?? [],
  });
  const shared = { times: points?.map(({ at }) => at), interval: overview?.interval ?? 'day', height: 200 } as const;
  return (
    <div className={classes['charts']}>
      <SectionCard title={t('overview.spend')}>
        <TimeChart
          {...shared}
          label={t('overview.spendChart')}
          series={[line(t('overview.spend'), 1, ({ spend }) => Number(spend))]}
          shape="bars"
          unit="money"
        />
      </SectionCard>
      <SectionCard title={t('overview.requests')}>
        <TimeChart
          {...shared}
          label={t('overview.requestsChart')}
          series={[
            line(t('overview.requests'), 1, ({ requests }) => requests),
            line(t('overview.errors'), 'bad', ({ errors }) => errors),
          ]}
          shape="bars"
        />
      </SectionCard>
      <SectionCard title={t('overview.tokens')}>
        <TimeChart
          {...shared}
          label={t('overview.tokensChart')}
          series={[
            line(t('overview.promptTokens'), 1, (point) => point.prompt_tokens),
            line(t('overview.cachedTokens'), 4, (point) => point.cached_tokens),
            line(t('overview.completionTokens'), 2, (point) => point.completion_tokens),
          ]}
        />
      </SectionCard>
      <SectionCard title={t('overview.waiting')}>
        <TimeChart
          {...shared}
          label={t('overview.waitChart')}
          series={[
            line(t('overview.wait'), 1, (point) => point.mean_wait_ms),
            line(t('overview.firstByte'), 3, (point) => point.mean_first_byte_ms),
          ]}
          unit="duration"
        />
      </SectionCard>
    </div>
  );
}
