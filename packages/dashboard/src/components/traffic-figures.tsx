import { useFormat } from '../text/format.ts';
import { usePageText } from '../text/page-text.ts';
import { Change } from './change.tsx';
import type { ChartSpan } from './chart-look.ts';
import { Figure } from './figures.tsx';
import { figureTexts } from './figure-texts.ts';
import { type LatencyFigures, type Percentiles, latenciesOf } from './latencies.ts';
import { ViewAnchor } from './view-links.tsx';

export type TrafficTotals = LatencyFigures & {
  readonly requests: number;
  readonly errors: number;
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
};

export interface TrafficFiguresProps {
  /** Undefined while loading. */
  readonly totals: TrafficTotals | undefined;
  readonly previous: TrafficTotals | undefined;
  readonly span: ChartSpan;
  /** The list of the requests that are counted. */
  readonly requests: { readonly to: string; readonly search: Readonly<Record<string, string>> };
}

/** Requests, tokens and latencies of a time range, each with its change. */
export function TrafficFigures({ totals, previous, span, requests }: TrafficFiguresProps) {
  const t = usePageText(figureTexts);
  const format = useFormat();
  const count = (value: number | string) => format.compact(Number(value));
  const tokensOf = (figures: TrafficTotals | undefined) => figures && figures.prompt_tokens + figures.completion_tokens;
  const tokens = tokensOf(totals);
  return (
    <>
      <Figure
        label={t('requests')}
        value={
          totals && (
            <ViewAnchor {...requests} inherit c="inherit">
              {count(totals.requests)}
            </ViewAnchor>
          )
        }
        change={<Change now={totals?.requests} before={previous?.requests} span={span} write={count} />}
        note={
          totals &&
          (totals.errors === 0 ? (
            t('noneFailed')
          ) : (
            <ViewAnchor
              to={requests.to}
              search={{ ...requests.search, status: 'failed' }}
              inherit
              c="inherit"
              underline="always"
            >
              {t('failed', { share: format.percent(totals.errors / totals.requests) })}
            </ViewAnchor>
          ))
        }
      />
      <Figure
        label={t('tokens')}
        value={tokens === undefined ? undefined : count(tokens)}
        change={<Change now={tokens} before={tokensOf(previous)} span={span} write={count} />}
        note={
          totals && t('inOut', { prompt: count(totals.prompt_tokens), completion: count(totals.completion_tokens) })
        }
      />
      <Latencies now={totals && latenciesOf(totals)} before={previous && latenciesOf(previous)} span={span} />
    </>
  );
}

interface LatenciesProps extends Pick<TrafficFiguresProps, 'span'> {
  readonly now: ReturnType<typeof latenciesOf> | undefined;
  readonly before: ReturnType<typeof latenciesOf> | undefined;
}

const kinds = [
  { name: 'firstToken', good: 'less' },
  { name: 'speed', good: 'more' },
  { name: 'wait', good: 'less' },
] as const;

/** The median of each latency with its change, and its 95th percentile. */
function Latencies({ now, before, span }: LatenciesProps) {
  const t = usePageText(figureTexts);
  const write = useLatencyWriter();
  const shown = (percentiles: Percentiles | undefined, name: (typeof kinds)[number]['name']) =>
    percentiles && (percentiles.p50 === null ? '–' : write(name, percentiles.p50));
  return kinds.map(({ name, good }) => (
    <Figure
      key={name}
      label={t(name)}
      value={shown(now?.[name], name)}
      change={
        <Change
          now={now?.[name].p50}
          before={before?.[name].p50}
          span={span}
          write={(value) => write(name, Number(value))}
          good={good}
        />
      }
      note={
        now &&
        now[name].p95 !== null && <span title={t('median')}>{t('p95', { value: write(name, now[name].p95) })}</span>
      }
    />
  ));
}

/** Writes a latency or a speed with its unit. */
function useLatencyWriter(): (name: (typeof kinds)[number]['name'], value: number) => string {
  const t = usePageText(figureTexts);
  const format = useFormat();
  return (name, value) =>
    name === 'speed'
      ? t('perSecond', { count: format.number(value, { maximumSignificantDigits: 3 }) })
      : format.duration(value);
}
