import { Button, Skeleton, Text, UnstyledButton } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useEffect, useMemo, useRef, useSyncExternalStore } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { useSession } from '../api/session.ts';
import { useFormat } from '../text/format.ts';
import { useText } from '../text/text.tsx';
import { firstShown } from './chart-figures.ts';
import type { ChartInterval, ChartSpan, TimeChartProps } from './chart-look.ts';
import { chartData, chartOptions } from './chart-options.ts';
import classes from './time-chart.module.css';

/**
 * Values over time, from the first point with data on, with a readout at the pointer, and the same numbers as a table.
 * Redraws only for other values. Its height is the same while it loads.
 */
export function TimeChart(props: TimeChartProps) {
  const { t } = useText();
  const [hasTable, table] = useDisclosure(false);
  const { height = 220, times } = props;
  if (!times) return <Skeleton height={height + legendHeight + buttonHeight} radius="md" />;
  const shown = shownPart({ ...props, times });
  return (
    <div>
      <Legend {...props} />
      {times.length === 0 ? (
        <Text c="dimmed" ta="center" h={height + buttonHeight} pt={height / 2 - 12}>
          {t('common.noData')}
        </Text>
      ) : (
        <>
          <Plot {...shown} height={height} />
          <Button
            variant="subtle"
            color="gray"
            size="compact-xs"
            fw={400}
            c="dimmed"
            className={classes['toTable']}
            onClick={table.toggle}
            aria-expanded={hasTable}
          >
            {t(hasTable ? 'common.hideTable' : 'common.showTable')}
          </Button>
        </>
      )}
      {hasTable && <ChartTable {...shown} />}
    </div>
  );
}

/** The heights of the legend in one line and of the button below, with their margins. */
const legendHeight = 28;
const buttonHeight = 26;

type ShownChart = TimeChartProps & { readonly times: readonly string[] };

/** The chart without the empty points at its start. */
function shownPart(chart: ShownChart): ShownChart {
  const { times, series } = chart;
  const first =
    chart.firstPoint ??
    firstShown(
      series.map(({ values }) => values),
      times.length,
    );
  if (first === 0) return chart;
  const later = series.map((one) => ({ ...one, values: one.values.slice(first) }));
  return { ...chart, times: times.slice(first), series: later };
}

/** The series by their colours, with their figures of the whole range. */
function Legend({ series, unit }: Pick<TimeChartProps, 'series' | 'unit'>) {
  const { write } = useUnit(unit);
  return (
    <ul className={classes['legend']}>
      {series.map(({ label, color = 1, total, isDashed }) => (
        <li key={label}>
          <span
            className={classes['dot']}
            data-dashed={isDashed || undefined}
            style={{ [isDashed ? 'borderColor' : 'background']: `var(--chart-${color})` }}
          />
          {label}
          {total !== undefined && total !== null && <strong>{write(total)}</strong>}
        </li>
      ))}
    </ul>
  );
}

function Plot({ label, shape = 'lines', interval = 'hour', unit, height = 220, onPick, ...props }: ShownChart) {
  const host = useRef<HTMLDivElement>(null);
  const format = useFormat();
  const scheme = useShownScheme();
  const { write, exact } = useUnit(unit);
  const spanWords = useSpanWords(interval);
  const values = JSON.stringify([props.times, props.series, props.until]);
  const pick = useRef(onPick);
  useEffect(() => {
    pick.current = onPick;
  });
  const isPickable = onPick !== undefined;
  useEffect(() => {
    const element = host.current;
    if (!element) return undefined;
    const [times, series, until] = JSON.parse(values) as [
      ShownChart['times'],
      ShownChart['series'],
      string | undefined,
    ];
    const spans = { times, until };
    const options = chartOptions({
      element,
      times,
      series,
      shape,
      interval,
      height,
      write,
      exact,
      format,
      spanOf: (index) => spanWords(spanAt(spans, index)),
      onPick: isPickable ? (index) => pick.current?.(spanAt(spans, index)) : undefined,
    });
    const plot = new uPlot(options, chartData({ times, series, shape }), element);
    const watcher = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height }));
    watcher.observe(element);
    return () => {
      watcher.disconnect();
      plot.destroy();
    };
    // A change of the scheme changes the colours, which the options read from the page.
  }, [values, shape, interval, height, write, exact, format, spanWords, isPickable, scheme]);
  return <div ref={host} role="img" aria-label={label} className={classes['plot']} style={{ height }} />;
}

function spanAt({ times, until }: Pick<ShownChart, 'times' | 'until'>, index: number): ChartSpan {
  const since = times[index] ?? '';
  return { since, until: times[index + 1] ?? until ?? since };
}

/** Writes the time of a point in full: a day, a month, or the hours from and to. */
function useSpanWords(interval: ChartInterval): (span: ChartSpan) => string {
  const format = useFormat();
  return useMemo(() => {
    if (interval === 'hour') return ({ since, until }) => format.range(since, until, hourParts);
    const parts = interval === 'day' ? dayParts : monthParts;
    return ({ since }) => format.range(since, since, parts);
  }, [format, interval]);
}

const hourParts = { month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit' } as const;
const dayParts = { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' } as const;
const monthParts = { month: 'long', year: 'numeric' } as const;

interface UnitWriter {
  /** Short, for the axis and the legend. */
  readonly write: (value: number | string) => string;
  /** With all digits, for a single value. */
  readonly exact: (value: number) => string;
}

/** Formats values of a unit. */
function useUnit(unit: TimeChartProps['unit']): UnitWriter {
  const format = useFormat();
  const { currency } = useSession();
  return useMemo(() => {
    const decimal = (value: number | string) => (typeof value === 'string' ? value : value.toFixed(9));
    if (unit === 'money') {
      return {
        write: (value) => format.money(decimal(value), currency),
        exact: (value) => format.exactMoney(decimal(value), currency),
      };
    }
    if (unit === 'duration') return { write: (value) => format.duration(Number(value)), exact: format.duration };
    return { write: (value) => format.compact(Number(value)), exact: (value) => format.number(value) };
  }, [unit, format, currency]);
}

/** The numbers of a chart as a table, for screen readers and for copying. */
function ChartTable({ label, times, until, series, interval = 'hour', unit, onPick }: ShownChart) {
  const { exact } = useUnit(unit);
  const spanWords = useSpanWords(interval);
  return (
    <section className={classes['tableBox']} tabIndex={0} aria-label={label}>
      <table className={classes['table']}>
        <thead>
          <tr>
            <th scope="col" />
            {series.map((one) => (
              <th key={one.label} scope="col">
                {one.label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {times.map((time, index) => {
            const span = spanAt({ times, until }, index);
            return (
              <tr key={time}>
                <th scope="row">
                  {onPick ? (
                    <UnstyledButton fz="inherit" td="underline" onClick={() => onPick(span)}>
                      {spanWords(span)}
                    </UnstyledButton>
                  ) : (
                    spanWords(span)
                  )}
                </th>
                {series.map((one) => {
                  const value = one.values[index];
                  return <td key={one.label}>{value === null || value === undefined ? '–' : exact(value)}</td>;
                })}
              </tr>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}

/**
 * The colour scheme that the page shows now. Code that draws with the page's colours must not use the preferred scheme:
 * for a moment the page still has the other colours.
 */
function useShownScheme(): 'light' | 'dark' {
  return useSyncExternalStore(watch, shownScheme);
}

const attribute = 'data-mantine-color-scheme';

function shownScheme(): 'light' | 'dark' {
  return document.documentElement.getAttribute(attribute) === 'dark' ? 'dark' : 'light';
}

function watch(onChange: () => void): () => void {
  const observer = new MutationObserver(onChange);
  observer.observe(document.documentElement, { attributeFilter: [attribute] });
  return () => observer.disconnect();
}
