import { usePageText } from '../text/page-text.ts';
import { type ChartPoints, ChartGrid } from './chart-grid.tsx';
import { figureTexts } from './figure-texts.ts';
import { latenciesOf } from './latencies.ts';
import type { TrafficTotals } from './traffic-figures.tsx';

type TrafficPoint = TrafficTotals & { readonly cached_tokens: number };

export interface TrafficChartsProps extends Omit<ChartPoints<TrafficPoint>, 'isEmpty'> {
  readonly totals: TrafficPoint | undefined;
}

/** Whether no request began in a point. */
export function isQuiet({ requests }: { readonly requests: number }): boolean {
  return requests === 0;
}

/** Requests, tokens and latencies over time, in the same form on every page. */
export function TrafficCharts({ totals, ...points }: TrafficChartsProps) {
  const t = usePageText(figureTexts);
  const latencies = totals && latenciesOf(totals);
  return (
    <ChartGrid
      {...points}
      isEmpty={isQuiet}
      charts={[
        {
          title: t('requests'),
          label: t('requestsChart'),
          shape: 'bars',
          lines: [
            { label: t('requests'), color: 1, total: totals?.requests, value: ({ requests }) => requests },
            { label: t('errors'), color: 'bad', total: totals?.errors, value: ({ errors }) => errors },
          ],
        },
        {
          title: t('tokens'),
          label: t('tokensChart'),
          shape: 'stack',
          lines: [
            {
              label: t('uncached'),
              color: 1,
              total: totals && totals.prompt_tokens - totals.cached_tokens,
              value: (point) => point.prompt_tokens - point.cached_tokens,
            },
            {
              label: t('cached'),
              color: 4,
              total: totals?.cached_tokens,
              value: (point) => point.cached_tokens,
            },
            {
              label: t('output'),
              color: 2,
              total: totals?.completion_tokens,
              value: (point) => point.completion_tokens,
            },
          ],
        },
        {
          title: t('firstToken'),
          label: t('firstTokenChart'),
          shape: 'lines',
          unit: 'duration',
          lines: [
            {
              label: 'p50',
              color: 3,
              total: latencies?.firstToken.p50,
              value: (point) => latenciesOf(point).firstToken.p50,
            },
            {
              label: 'p95',
              color: 3,
              isDashed: true,
              total: latencies?.firstToken.p95,
              value: (point) => latenciesOf(point).firstToken.p95,
            },
          ],
        },
      ]}
    />
  );
}
