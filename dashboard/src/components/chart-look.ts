import type { Format } from '../text/format.ts';

/** One line or one set of columns. */
export interface ChartSeries {
  readonly label: string;
  /** One value per time; null if unknown. */
  readonly values: readonly (number | null)[];
  /** The colour: 1 is the accent, 2 and 3 contrast with it, 4 is grey, `bad` is for errors. */
  readonly color?: 1 | 2 | 3 | 4 | 'bad';
}

/** The time that one point covers. */
export type ChartInterval = 'minute' | 'hour' | 'day' | 'month';

export interface TimeChartProps {
  /** A description of the chart for screen readers. */
  readonly label: string;
  /** Undefined while loading. */
  readonly times: readonly string[] | undefined;
  readonly series: readonly ChartSeries[];
  /** Use bars if each point is a sum over its interval, lines if it is a level. */
  readonly shape?: 'bars' | 'lines';
  readonly interval?: ChartInterval;
  /** Formats a value, for example as money. Default: a number. */
  readonly formatValue?: (value: number) => string;
  readonly height?: number;
}

/** Everything that drawing a chart needs. */
export interface ChartLook {
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
