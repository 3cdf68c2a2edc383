import { Skeleton } from '@mantine/core';
import type { Live } from '../../api/wire.ts';
import { useFormat } from '../../text/format.ts';
import { usePageText } from '../../text/page-text.ts';
import { useText } from '../../text/text.tsx';
import classes from './live.module.css';
import { type Moment, Sparkline } from './sparkline.tsx';
import { texts } from './texts.ts';

/** Four health figures, each with its last two minutes. */
export function Figures({ live, history }: { readonly live: Live | undefined; readonly history: readonly Moment[] }) {
  const t = usePageText(texts);
  const { t: common } = useText();
  const format = useFormat();
  const rate = (value: number) => format.number(value, { maximumFractionDigits: value < 10 ? 2 : 0 });
  return (
    <div className={classes['figures']}>
      <Figure
        label={common('live.running')}
        value={live && format.number(live.totals.running)}
        hint={live && live.totals.retries > 0 ? t('retries', { count: live.totals.retries }) : ''}
        values={history.map(({ running }) => running)}
      />
      <Figure
        label={common('live.waiting')}
        value={live && format.number(live.totals.waiting)}
        hint={live && (live.totals.waiting === 0 ? t('emptyQueue') : '')}
        values={history.map(({ waiting }) => waiting)}
      />
      <Figure
        label={t('requestRate')}
        value={live && rate(live.rates.requests)}
        hint={live && (live.rates.errors > 0 ? t('errorRate', { rate: rate(live.rates.errors) }) : t('noErrors'))}
        values={history.map(({ requests }) => requests)}
        atLeast={0.1}
      />
      <Figure
        label={t('tokenRate')}
        value={live && format.compact(Math.round(live.rates.completion_tokens))}
        hint={live && t('promptRate', { rate: format.compact(Math.round(live.rates.prompt_tokens)) })}
        values={history.map(({ tokens }) => tokens)}
        atLeast={10}
      />
    </div>
  );
}

interface FigureProps {
  readonly label: string;
  /** Undefined while loading. */
  readonly value: string | undefined;
  readonly hint: string | undefined;
  readonly values: readonly number[];
  readonly atLeast?: number;
}

function Figure({ label, value, hint, values, atLeast = 4 }: FigureProps) {
  return (
    <section className={classes['figure']} aria-label={label} aria-busy={value === undefined}>
      <div className={classes['figureWords']}>
        <div className={classes['figureLabel']}>{label}</div>
        {value === undefined ? (
          <Skeleton height={26} width={72} my={5} />
        ) : (
          <div className={classes['figureValue']}>{value}</div>
        )}
        <div className={classes['figureHint']}>{hint}</div>
      </div>
      <div className={classes['figureCurve']}>
        <Sparkline values={values} atLeast={atLeast} />
      </div>
    </section>
  );
}
