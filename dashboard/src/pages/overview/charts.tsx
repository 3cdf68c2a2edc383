import type { OwnOverview } from '../../api/wire.ts';
import { ChartGrid } from '../../components/chart-grid.tsx';
import { useText } from '../../text/text.tsx';
import classes from './overview.module.css';

/** Spend, traffic, tokens and waiting time over the range. */
export default function Charts({ overview }: { readonly overview: OwnOverview | undefined }) {
  const { t } = useText();
  return (
    <ChartGrid
      className={classes['charts']}
      times={overview?.series.map(({ at }) => at)}
      interval={overview?.interval ?? 'day'}
      points={overview?.series}
      charts={[
        {
          title: t('overview.spend'),
          label: t('overview.spendChart'),
          shape: 'bars',
          unit: 'money',
          lines: [[t('overview.spend'), 1, ({ spend }) => Number(spend)]],
        },
        {
          title: t('overview.requests'),
          label: t('overview.requestsChart'),
          shape: 'bars',
          lines: [
            [t('overview.requests'), 1, ({ requests }) => requests],
            [t('overview.errors'), 'bad', ({ errors }) => errors],
          ],
        },
        {
          title: t('overview.tokens'),
          label: t('overview.tokensChart'),
          lines: [
            [t('overview.promptTokens'), 1, (point) => point.prompt_tokens],
            [t('overview.cachedTokens'), 4, (point) => point.cached_tokens],
            [t('overview.completionTokens'), 2, (point) => point.completion_tokens],
          ],
        },
        {
          title: t('overview.waiting'),
          label: t('overview.waitChart'),
          unit: 'duration',
          lines: [
            [t('overview.wait'), 1, (point) => point.queue_ms_p50],
            [t('overview.firstByte'), 3, (point) => point.first_token_ms_p50],
          ],
        },
      ]}
    />
  );
}
