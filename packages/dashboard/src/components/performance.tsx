import { Text, VisuallyHidden } from '@mantine/core';
import type { OwnPerformanceFigures, PerformanceFigures } from '../api/wire.ts';
import { useFormat } from '../text/format.ts';
import { useText } from '../text/text.tsx';
import { Dash } from './money.tsx';
import classes from './performance.module.css';

/** Performance figures, with the number of requests if the user may see it. */
type Figures = OwnPerformanceFigures | PerformanceFigures;

/** Below this uptime the figure has the error colour. */
const badUptime = 0.95;

/** The speed, and the uptime as a bar and a figure. A dash if unknown. */
export function PerformanceCell({ figures }: { readonly figures: Figures | undefined }) {
  const { t } = useText();
  const words = useWords();
  if (!figures || isUnknown(figures)) return <Dash />;
  const { uptime } = figures;
  const speeds = [words.firstToken(figures), words.pace(figures)].filter((text) => text !== undefined);
  return (
    <span className={classes['cell']} title={words.from(figures)}>
      {speeds.length > 0 && <span className={classes['speed']}>{speeds.join(' · ')}</span>}
      {uptime !== null && (
        <span className={classes['line']}>
          <span className={classes['track']} aria-hidden="true">
            <span
              className={classes['up']}
              data-bad={isBad(figures) || undefined}
              style={{ width: `${uptime * 100}%` }}
            />
          </span>
          <span className={isBad(figures) ? classes['bad'] : undefined}>
            <VisuallyHidden>{t('performance.uptime')} </VisuallyHidden>
            {words.uptime(figures)}
          </span>
        </span>
      )}
    </span>
  );
}

export interface PerformanceTableProps {
  readonly performance: { readonly day: Figures; readonly week: Figures; readonly month: Figures };
}

/** The figures over a day, a week and a month, side by side. */
export function PerformanceTable({ performance }: PerformanceTableProps) {
  const { t } = useText();
  const words = useWords();
  const spans = [
    [t('performance.day'), performance.day],
    [t('performance.days7'), performance.week],
    [t('performance.days30'), performance.month],
  ] as const;
  if (spans.every(([, figures]) => isUnknown(figures))) return <Text c="dimmed">{t('performance.nothing')}</Text>;
  const rows = [
    [t('performance.firstToken'), 'p50', words.firstToken],
    [t('performance.firstToken'), 'p95', words.slowFirstToken],
    [t('performance.tokensPerSecond'), 'p50', words.speed],
    [t('performance.tokensPerSecond'), 'p95', words.highSpeed],
    [t('performance.uptime'), '', words.uptime],
    ...(words.requests(performance.day) === undefined
      ? []
      : [[t('performance.requests'), '', words.requests] as const]),
  ] as const;
  return (
    <table className={classes['table']} aria-label={t('performance.title')}>
      <thead>
        <tr>
          <th scope="col">{t('performance.span')}</th>
          {spans.map(([span]) => (
            <th key={span} scope="col">
              {span}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(([name, percentile, write]) => (
          <tr key={`${name} ${percentile}`}>
            <th scope="row">
              {name} {percentile}
            </th>
            {spans.map(([span, figures]) => (
              <td key={span} className={write === words.uptime && isBad(figures) ? classes['bad'] : undefined}>
                {write(figures) ?? '–'}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function isBad({ uptime }: Figures): boolean {
  return (uptime ?? 1) < badUptime;
}

function isUnknown({ uptime, first_token_ms_p50: first, tokens_per_second_p50: speed }: Figures): boolean {
  return uptime === null && first === null && speed === null;
}

/** Writes each figure of a time range. Undefined if it is unknown. */
function useWords() {
  const { t } = useText();
  const format = useFormat();
  const duration = (ms: number | null) => (ms === null ? undefined : format.duration(ms));
  const speed = (perSecond: number | null) =>
    perSecond === null ? undefined : format.number(perSecond, { maximumSignificantDigits: 3 });
  const countOf = (figures: Figures) => ('answered' in figures ? figures.answered + figures.failed : undefined);
  return {
    firstToken: (figures: Figures) => duration(figures.first_token_ms_p50),
    slowFirstToken: (figures: Figures) => duration(figures.first_token_ms_p95),
    speed: (figures: Figures) => speed(figures.tokens_per_second_p50),
    highSpeed: (figures: Figures) => speed(figures.tokens_per_second_p95),
    pace: (figures: Figures) => {
      const count = speed(figures.tokens_per_second_p50);
      return count === undefined ? undefined : t('performance.perSecond', { count });
    },
    // Round down: 100 % only if nothing failed.
    uptime: ({ uptime }: Figures) => (uptime === null ? undefined : format.percent(Math.floor(uptime * 1000) / 1000)),
    requests: (figures: Figures) => {
      const count = countOf(figures);
      return count === undefined ? undefined : format.number(count);
    },
    from: (figures: Figures) => {
      const count = countOf(figures);
      return count ? t('performance.from', { count }) : undefined;
    },
  };
}
