import uPlot from 'uplot';
import { wallTime } from '../text/wall-clock.ts';
import { labelled, stacked } from './chart-figures.ts';
import type { ChartLook, ChartSeries } from './chart-look.ts';
import { chartReadout } from './chart-readout.ts';

/** The values that the chart library draws. A stack is drawn from its top, so that each series covers the next one. */
export function chartData({ times, series, shape }: Pick<ChartLook, 'times' | 'series' | 'shape'>): uPlot.AlignedData {
  const values = series.map((one) => one.values);
  const drawn = shape === 'stack' ? stacked(values).toReversed() : values;
  return [times.map((_, index) => index), ...drawn.map((each) => [...each])];
}

/** Draws a chart in the colours and the font of the page: from zero, with few grid lines, and a slot for every point. */
export function chartOptions(look: ChartLook): uPlot.Options {
  const { element, times, series, shape, height, write } = look;
  const style = getComputedStyle(element);
  const color = (name: string) => style.getPropertyValue(name).trim();
  const font = `12px ${style.fontFamily}`;
  const axis = { stroke: color('--chart-text'), font, ticks: { show: false } };
  const colored = series.map((one, index) => drawn(look, index, color(`--chart-${one.color ?? 1}`)));
  return {
    width: element.clientWidth,
    height,
    padding: [8, 12, 0, 0],
    legend: { show: false },
    cursor: {
      y: false,
      x: shape === 'lines',
      points: { show: shape === 'lines', size: 8 },
      drag: { x: false, y: false },
    },
    scales: {
      x: { time: false, range: () => [-0.5, times.length - 0.5] },
      y: { range: (_plot, low, high) => [Math.min(0, low), high > 0 ? high * 1.08 : 1] },
    },
    axes: [
      // The gap keeps the first date clear of the lowest label of the other axis, which extends below its line.
      {
        ...axis,
        grid: { show: false },
        gap: 9,
        size: 32,
        splits: (plot) => labelledPoints(look, plot, font),
        values: (_plot, splits) => splits.map((index) => axisTime(look, index)),
      },
      {
        ...axis,
        grid: { stroke: color('--chart-grid'), width: 1 },
        border: { show: false },
        size: (plot, values) => widest(plot, font, values ?? []) + 16,
        values: (_plot, splits) => splits.map(write),
        space: 36,
        // Counts have no fractions.
        ...(series.every(({ values }) => values.every(isInteger)) && { incrs: wholeSteps }),
      },
    ],
    series: [{}, ...(shape === 'stack' ? colored.toReversed() : colored)],
    plugins: [chartReadout(look)],
  };
}

const wholeSteps = Array.from({ length: 15 }, (_, power) => [1, 2, 5].map((step) => step * 10 ** power)).flat();

function isInteger(value: number | null): boolean {
  return value === null || Number.isInteger(value);
}

/** The width of the widest text, in pixels of the page. */
function widest(plot: uPlot, font: string, texts: readonly string[]): number {
  plot.ctx.save();
  plot.ctx.font = font;
  const width = Math.max(24, ...texts.map((text) => plot.ctx.measureText(text).width));
  plot.ctx.restore();
  return Math.ceil(width);
}

/** As many points as have room for their labels. The label of the last one must not extend beyond the chart. */
function labelledPoints(look: ChartLook, plot: uPlot, font: string): number[] {
  const { times, interval } = look;
  const width = plot.bbox.width / uPlot.pxRatio;
  const needed = widest(plot, font, [axisTime(look, 0), axisTime(look, times.length - 1)]);
  const points = labelled(times.length, Math.floor(width / (needed + 24)), interval);
  const room = (index: number) => ((times.length - 0.5 - index) * width) / times.length + 12;
  return points.filter((index) => room(index) >= needed / 2);
}

/** The start of a point, as short as the axis needs it. */
function axisTime({ times, interval, format }: ChartLook, index: number): string {
  const at = times[index] ?? '';
  if (interval === 'month') return format.range(at, at, { month: 'short', year: '2-digit' });
  const isDay = interval === 'day' || wallTime(at, format.timeZone).endsWith('T00:00');
  return isDay ? format.shortDate(at) : format.time(at);
}

const barWidthMax = 40;

function drawn({ shape, series }: ChartLook, index: number, stroke: string): uPlot.Series {
  const { label, values, isDashed } = series[index] as ChartSeries;
  if (shape !== 'lines') {
    // A bar in front of another one is narrower: both stay visible, whichever is higher.
    const share = shape === 'bars' && index > 0 ? 0.5 : 1;
    const paths = uPlot.paths.bars?.({
      size: [0.72 * share, barWidthMax * share, 1],
      radius: shape === 'stack' ? 0 : [0.12, 0],
    });
    return { label, stroke, fill: stroke, width: 0, points: { show: false }, ...(paths && { paths }) };
  }
  return {
    label,
    stroke,
    width: 1.5,
    ...(isDashed && { dash: [4, 3] }),
    points: { show: false, filter: () => isolatedPoints(values), size: 5, fill: stroke },
  };
}

/** A line needs two points. A point without known points next to it is drawn as a dot. */
function isolatedPoints(values: ChartSeries['values']): number[] {
  const isKnown = (index: number) => values[index] !== null && values[index] !== undefined;
  return [...values.keys()].filter((index) => isKnown(index) && !isKnown(index - 1) && !isKnown(index + 1));
}
