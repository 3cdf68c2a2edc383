import uPlot from 'uplot';
import type { Format } from '../text/format.ts';
import { wallTime } from '../text/wall-clock.ts';
import classes from './time-chart.module.css';

/** One line or one set of columns. */
export interface ChartSeries {
  readonly label: string;
  /** One value per time; null if unknown. */
  readonly values: readonly (number | null)[];
  /** The colour: 1 is the accent, 2 and 3 contrast with it, 4 is grey, `bad` is for errors. */
  readonly color?: 1 | 2 | 3 | 4 | 'bad' | undefined;
}

/** The time that one point covers. */
type ChartInterval = 'minute' | 'hour' | 'day' | 'month';

export interface TimeChartProps {
  /** A description of the chart for screen readers. */
  readonly label: string;
  /** Undefined while loading. */
  readonly times: readonly string[] | undefined;
  readonly series: readonly ChartSeries[];
  /** Use bars if each point is a sum over its interval, lines if it is a level. */
  readonly shape?: 'bars' | 'lines';
  readonly interval?: ChartInterval;
  /** Money is in the currency of the gateway, durations are in milliseconds. Default: plain numbers. */
  readonly unit?: 'money' | 'duration' | undefined;
  readonly height?: number;
}

/** Everything that drawing a chart needs. */
interface ChartLook {
  readonly element: HTMLElement;
  readonly series: readonly ChartSeries[];
  readonly shape: 'bars' | 'lines';
  readonly interval: ChartInterval;
  readonly height: number;
  readonly write: (value: number) => string;
  readonly format: Format;
  /** A change re-reads the colours. */
  readonly scheme: 'light' | 'dark';
}

/** Whether the points are whole days or months, so that a time of day is not shown. */
export function isWholeDays(interval: ChartInterval | undefined): boolean {
  return interval === 'day' || interval === 'month';
}

const intervalSeconds = { minute: 60, hour: 3600, day: 86_400, month: 2_592_000 } as const;
const font = '12px -apple-system, "Segoe UI", "Open Sans", sans-serif';

/** Draws a chart in the colours of the page: from zero, with few grid lines. */
export function chartOptions(look: ChartLook): uPlot.Options {
  const { element, series, height, write, format, interval } = look;
  const color = (name: string) => getComputedStyle(element).getPropertyValue(name).trim();
  const axis = { stroke: color('--chart-text'), font, ticks: { show: false } };
  // Room for the first and the last bar at full width.
  const edge = look.shape === 'bars' ? intervalSeconds[interval] / 2 : 0;
  const atAxis = (seconds: number) =>
    isWholeDays(interval) || wallTime(seconds * 1000, format.timeZone).endsWith('T00:00')
      ? format.shortDate(seconds * 1000)
      : format.time(seconds * 1000);
  return {
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), format.timeZone),
    width: element.clientWidth,
    height,
    padding: [8, 24, 0, 0],
    legend: { show: false },
    cursor: { y: false, points: { size: 8 }, drag: { x: false, y: false } },
    scales: {
      x: { range: (_plot, first, last) => [first - edge, last + edge] },
      y: { range: (_plot, _low, high) => [0, high > 0 ? high * 1.08 : 1] },
    },
    axes: [
      // The gap keeps the first date clear of the lowest label of the other axis, which extends below its line.
      {
        ...axis,
        grid: { show: false },
        gap: 11,
        size: 36,
        space: 72,
        values: (_plot, splits) => splits.map(atAxis),
      },
      {
        ...axis,
        grid: { stroke: color('--chart-grid'), width: 1 },
        border: { show: false },
        size: (_plot, values) => Math.max(40, ...(values ?? []).map((text) => text.length * 7.2 + 14)),
        values: (_plot, splits) => splits.map(write),
        space: 44,
        // Counts have no fractions.
        ...(series.every(({ values }) => values.every(isInteger)) && { incrs: wholeSteps }),
      },
    ],
    series: [{}, ...series.map((one) => drawn(look, one, color(`--chart-${one.color ?? 1}`)))],
    plugins: [chartReadout(look)],
  };
}

const wholeSteps = Array.from({ length: 15 }, (_, power) => [1, 2, 5].map((step) => step * 10 ** power)).flat();

function isInteger(value: number | null): boolean {
  return value === null || Number.isInteger(value);
}

function drawn({ shape, series }: ChartLook, one: ChartSeries, stroke: string): uPlot.Series {
  if (shape === 'bars') {
    const paths = uPlot.paths.bars?.({ size: [0.7, 28], radius: 0.25 });
    return { label: one.label, stroke, fill: stroke, width: 0, points: { show: false }, ...(paths && { paths }) };
  }
  const paths = uPlot.paths.spline?.();
  const fill = series.length === 1 ? `color-mix(in srgb, ${stroke} 12%, transparent)` : undefined;
  return {
    label: one.label,
    stroke,
    width: 2,
    points: { show: false, filter: () => isolatedPoints(one.values), size: 6, fill: stroke },
    ...(fill && { fill }),
    ...(paths && { paths }),
  };
}

/** A line needs two points. A point without known points next to it is drawn as a dot. */
function isolatedPoints(values: ChartSeries['values']): number[] {
  const isKnown = (index: number) => values[index] !== null && values[index] !== undefined;
  return [...values.keys()].filter((index) => isKnown(index) && !isKnown(index - 1) && !isKnown(index + 1));
}

/** A small card next to the pointer, with the time and the values there. */
function chartReadout({ series, interval, write, format }: ChartLook): uPlot.Plugin {
  const card = document.createElement('div');
  card.className = classes['readout'] ?? '';
  card.hidden = true;
  return {
    hooks: {
      init: (plot) => {
        plot.over.append(card);
        plot.over.addEventListener('mouseleave', () => {
          card.hidden = true;
        });
      },
      setCursor: (plot) => {
        const { idx, left = -1 } = plot.cursor;
        const at = idx === null || idx === undefined ? undefined : plot.data[0][idx];
        if (left < 0 || at === undefined || idx === null || idx === undefined) {
          card.hidden = true;
          return;
        }
        card.replaceChildren(head(isWholeDays(interval) ? format.date(at * 1000) : format.dateTime(at * 1000)));
        for (const [index, one] of series.entries()) {
          const value = plot.data[index + 1]?.[idx];
          card.append(line(one.label, value === null || value === undefined ? '–' : write(value), one.color ?? 1));
        }
        card.hidden = false;
        const isLeft = left > plot.over.clientWidth / 2;
        card.style.left = isLeft ? '' : `${left + 16}px`;
        card.style.right = isLeft ? `${plot.over.clientWidth - left + 16}px` : '';
      },
    },
  };
}

function head(text: string): HTMLElement {
  const element = document.createElement('div');
  element.className = classes['readoutHead'] ?? '';
  element.textContent = text;
  return element;
}

function line(label: string, value: string, color: string | number): HTMLElement {
  const element = document.createElement('div');
  element.className = classes['readoutLine'] ?? '';
  const dot = document.createElement('span');
  dot.className = classes['dot'] ?? '';
  dot.style.background = `var(--chart-${color})`;
  const name = document.createElement('span');
  name.textContent = label;
  const number = document.createElement('strong');
  number.textContent = value;
  element.append(dot, name, number);
  return element;
}
