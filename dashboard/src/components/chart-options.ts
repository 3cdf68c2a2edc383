import uPlot from 'uplot';
import { chartReadout } from './chart-readout.ts';
import { type ChartLook, type ChartSeries, isWholeDays } from './chart-look.ts';
import { wallTime } from '../text/wall-clock.ts';

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
