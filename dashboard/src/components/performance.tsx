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
              data-bad={uptime < badUptime || undefined}
              style={{ width: `${uptime * 100}%` }}
            />
          </span>
          <span className={uptime < badUptime ? classes['bad'] : undefined}>
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

/** The figures over a day, a week and a month. */
export function PerformanceTable({ performance }: PerformanceTableProps) {
  const { t } = useText();
  const words = useWords();
  const spans = [
    [t('performance.day'), performance.day],
    [t('performance.days7'), performance.week],
    [t('performance.days30'), performance.month],
  ] as const;
  if (spans.every(([, figures]) => isUnknown(figures))) return <Text c="dimmed">{t('performance.nothing')}</Text>;
  return (
    <table className={classes['table']} aria-label={t('performance.title')}>
      <thead>
        <tr>
          <th scope="col">{t('performance.span')}</th>
          <th scope="col">{t('performance.firstToken')}</th>
          <th scope="col">{t('performance.speed')}</th>
          <th scope="col">{t('performance.uptime')}</th>
        </tr>
      </thead>
      <tbody>
        {spans.map(([span, figures]) => (
          <tr key={span}>
            <th scope="row">
              {span}
              {words.from(figures) && <span className={classes['from']}>{words.from(figures)}</span>}
            </th>
            <td>{words.firstToken(figures) ?? '–'}</td>
            <td>{words.pace(figures) ?? '–'}</td>
            <td className={(figures.uptime ?? 1) < badUptime ? classes['bad'] : undefined}>
              {words.uptime(figures) ?? '–'}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function isUnknown({ uptime, first_token_ms_p50: first, tokens_per_second_p50: pace }: Figures): boolean {
  return uptime === null && first === null && pace === null;
}

function useWords() {
  const { t } = useText();
  const format = useFormat();
  return {
    firstToken: ({ first_token_ms_p50: ms }: Figures) => (ms === null ? undefined : format.duration(ms)),
    pace: ({ tokens_per_second_p50: pace }: Figures) =>
      pace === null
        ? undefined
        : t('performance.perSecond', { count: format.number(pace, { maximumSignificantDigits: 3 }) }),
    // Round down: 100 % only if nothing failed.
    uptime: ({ uptime }: Figures) => (uptime === null ? undefined : format.percent(Math.floor(uptime * 1000) / 1000)),
    from: (figures: Figures) =>
      'answered' in figures && figures.answered + figures.failed > 0
        ? t('performance.from', { count: figures.answered + figures.failed })
        : undefined,
  };
}
