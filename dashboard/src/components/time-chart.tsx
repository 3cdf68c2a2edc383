import { Button, Skeleton, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useEffect, useMemo, useRef, useSyncExternalStore } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { useSession } from '../api/session.ts';
import { useFormat } from '../text/format.ts';
import { useText } from '../text/text.tsx';
import { chartOptions, isWholeDays, type TimeChartProps } from './chart-options.ts';
import classes from './time-chart.module.css';

/** Values over time, with a readout at the pointer, and the same numbers as a table. Redraws only for other values. */
export function TimeChart(props: TimeChartProps) {
  const { t } = useText();
  const [hasTable, table] = useDisclosure(false);
  const { height = 220, times, series } = props;
  if (!times) return <Skeleton height={height} radius="md" />;
  return (
    <div>
      <Legend series={series} />
      {times.length === 0 ? (
        <Text c="dimmed" ta="center" py={height / 2 - 12}>
          {t('common.noData')}
        </Text>
      ) : (
        <Plot {...props} times={times} height={series.length < 2 ? height + legendHeight : height} />
      )}
      {times.length > 0 && (
        <Button
          variant="subtle"
          color="gray"
          size="compact-xs"
          fw={400}
          c="dimmed"
          mt={4}
          ml={-8}
          onClick={table.toggle}
          aria-expanded={hasTable}
        >
          {t(hasTable ? 'common.hideTable' : 'common.showTable')}
        </Button>
      )}
      {hasTable && <ChartTable {...props} times={times} />}
    </div>
  );
}

/** A chart without a legend is higher by this, so that the axes of neighbouring charts align. */
const legendHeight = 28;

function Legend({ series }: Pick<TimeChartProps, 'series'>) {
  if (series.length < 2) return null;
  return (
    <ul className={classes['legend']}>
      {series.map(({ label, color = 1 }) => (
        <li key={label}>
          <span className={classes['dot']} style={{ background: `var(--chart-${color})` }} />
          {label}
        </li>
      ))}
    </ul>
  );
}

type PlotProps = TimeChartProps & { readonly times: readonly string[]; readonly height: number };

function Plot({ label, shape = 'lines', interval = 'hour', unit, height, ...props }: PlotProps) {
  const host = useRef<HTMLDivElement>(null);
  const format = useFormat();
  const scheme = useShownScheme();
  const writeUnit = useUnit(unit);
  const values = JSON.stringify([props.times, props.series]);
  useEffect(() => {
    const element = host.current;
    if (!element) return undefined;
    const [times, series] = JSON.parse(values) as [PlotProps['times'], PlotProps['series']];
    const write = writeUnit ?? format.compact;
    const at = times.map((time) => Date.parse(time) / 1000);
    const options = chartOptions({ element, series, shape, interval, height, write, format, scheme });
    const plot = new uPlot(options, [at, ...series.map((one) => [...one.values])], element);
    const watcher = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height }));
    watcher.observe(element);
    return () => {
      watcher.disconnect();
      plot.destroy();
    };
  }, [values, shape, interval, height, writeUnit, format, scheme]);
  return <div ref={host} role="img" aria-label={label} className={classes['plot']} style={{ height }} />;
}

/** Formats a value of a unit. Undefined for plain numbers. */
function useUnit(unit: TimeChartProps['unit']): ((value: number) => string) | undefined {
  const format = useFormat();
  const { currency } = useSession();
  return useMemo(() => {
    if (unit === 'money') return (value: number) => format.money(value.toFixed(9), currency);
    return unit && format.duration;
  }, [unit, format, currency]);
}

/** The numbers of a chart as a table, for screen readers and for copying. */
function ChartTable(props: TimeChartProps & { readonly times: readonly string[] }) {
  const { label, times, series, interval, unit } = props;
  const format = useFormat();
  const write = useUnit(unit) ?? format.number;
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
          {times.map((time, index) => (
            <tr key={time}>
              <th scope="row">{isWholeDays(interval) ? format.date(time) : format.dateTime(time)}</th>
              {series.map((one) => {
                const value = one.values[index];
                return <td key={one.label}>{value === null || value === undefined ? '–' : write(value)}</td>;
              })}
            </tr>
          ))}
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
