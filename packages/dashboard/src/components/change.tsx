import { VisuallyHidden } from '@mantine/core';
import type { ReactNode } from 'react';
import { useFormat } from '../text/format.ts';
import { usePageText } from '../text/page-text.ts';
import { changeOf } from './chart-figures.ts';
import type { ChartSpan } from './chart-look.ts';
import classes from './figures.module.css';
import { figureTexts } from './figure-texts.ts';

export interface ChangeProps {
  /** Null: unknown. Undefined while loading. */
  readonly now: number | string | null | undefined;
  readonly before: number | string | null | undefined;
  /** The span of `now`. The period before has the same length. */
  readonly span: ChartSpan;
  readonly write: (value: number | string) => string;
  /** The direction that is clearly good. Without it, a change has no colour. */
  readonly good?: 'more' | 'less' | undefined;
  /** Names the period before, not only on hover. */
  readonly isNamed?: boolean | undefined;
}

/** The change of a figure against the period before, such as "↑ 12%". Renders nothing if it cannot be known. */
export function Change({ now, before, span, write, good, isNamed = false }: ChangeProps): ReactNode {
  const t = usePageText(figureTexts);
  const format = useFormat();
  const period = usePreviousPeriod(span);
  if (now === undefined || before === undefined) return null;
  const change = changeOf(now, before);
  if (change.kind === 'none') return null;
  const named = isNamed && <span className={classes['against']}>{t('against', { period })}</span>;
  if (change.kind === 'new') {
    return (
      <span className={classes['change']} title={t('newHint', { period })}>
        {t('isNew')}
      </span>
    );
  }
  const title = t('changeHint', { before: write(before ?? 0), period });
  if (change.kind === 'same') {
    return (
      <span className={classes['change']} title={title}>
        {t('same')} {named}
      </span>
    );
  }
  const { kind, share } = change;
  const digits = share < 0.1 ? 1 : 0;
  const percent = format.number(Math.min(share, shareMax), { style: 'percent', maximumFractionDigits: digits });
  const size = share > shareMax ? `>${percent}` : percent;
  return (
    <span className={classes['change']} title={title}>
      <span data-tone={good && (good === kind ? 'good' : 'bad')}>
        <span aria-hidden="true">
          {kind === 'more' ? '↑' : '↓'} {size}
        </span>
        <VisuallyHidden>{t(kind, { share: size })}</VisuallyHidden>
      </span>{' '}
      {named}
    </span>
  );
}

/** A larger change is only said to be larger. */
const shareMax = 99.99;
const hourMs = 3_600_000;

/** "previous 7 days". */
function usePreviousPeriod({ since, until }: ChartSpan): string {
  const t = usePageText(figureTexts);
  const hours = Math.round((Date.parse(until) - Date.parse(since)) / hourMs);
  // The last day of a span is often not over yet.
  return hours <= 24 ? t('previousHours', { count: hours }) : t('previousDays', { count: Math.ceil(hours / 24) });
}
