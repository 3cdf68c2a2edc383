import type { Format } from '../text/format.ts';

/** One line or one set of columns. */
export interface ChartSeries {
  readonly label: string;
  /** One a point in time; null where nothing is known. */
  readonly values: readonly (number | null)[];
  /** Its colour: 1 is the accent, 2 and 3 stand apart from it, 4 is grey, `bad` is for errors. */
  readonly color?: 1 | 2 | 3 | 4 | 'bad';
}

/** What a point covers. */
export type ChartInterval = 'minute' | 'hour' | 'day' | 'month';

/** What a chart is given. */
export interface TimeChartProps {
  /** What the chart shows, for those who hear it. */
  readonly label: string;
  /** Undefined while it loads. */
  readonly times: readonly string[] | undefined;
  readonly series: readonly ChartSeries[];
  /** Columns where each point is a sum over its interval, lines where it is a level. */
  readonly shape?: 'bars' | 'lines';
  readonly interval?: ChartInterval;
  /** How a value is written, such as money; a plain number if left out. */
  readonly formatValue?: (value: number) => string;
  readonly height?: number;
}

/** The same with all that drawing needs. */
export interface ChartLook {
  readonly element: HTMLElement;
  readonly series: readonly ChartSeries[];
  readonly shape: 'bars' | 'lines';
  readonly interval: ChartInterval;
  readonly height: number;
  readonly write: (value: number) => string;
  readonly format: Format;
  /** Colours are read anew when it changes. */
  readonly scheme: 'light' | 'dark';
}

/** Whether its points begin with a day, so that an hour says nothing. */
export function isWholeDays(interval: ChartInterval | undefined): boolean {
  return interval === 'day' || interval === 'month';
}
