import type { Format } from '../text/format.ts';

/** One line or one set of bars. */
export interface ChartSeries {
  readonly label: string;
  /** One value per time; null if unknown. */
  readonly values: readonly (number | null)[];
  /** The colour: 1 is the accent, 2 and 3 contrast with it, 4 is grey, `bad` is for errors. */
  readonly color?: ChartColor | undefined;
  /** The figure of the whole range, for the legend: a decimal string if it is money. */
  readonly total?: number | string | null | undefined;
  readonly isDashed?: boolean | undefined;
}

export type ChartColor = 1 | 2 | 3 | 4 | 'bad';

/** The time that one point covers. */
export type ChartInterval = 'hour' | 'day' | 'month';

/** The time of a point, or of several. */
export interface ChartSpan {
  readonly since: string;
  readonly until: string;
}

export interface TimeChartProps {
  /** A description of the chart for screen readers. */
  readonly label: string;
  /** The starts of the points. Undefined while loading. */
  readonly times: readonly string[] | undefined;
  /** The end of the last point. */
  readonly until?: string | undefined;
  readonly series: readonly ChartSeries[];
  /**
   * `bars`: sums over the intervals; further series are parts of the first or compared with it. `stack`: sums that add
   * up to the total. `lines`: levels, with gaps where they are unknown.
   */
  readonly shape?: ChartShape;
  readonly interval?: ChartInterval;
  /** Money is in the currency of the gateway, durations are in milliseconds. Default: plain numbers. */
  readonly unit?: 'money' | 'duration' | undefined;
  readonly height?: number;
  /** The first point to draw, if other charts decide it. Default: the first one with data. */
  readonly firstPoint?: number | undefined;
  /** Called with the span of the point that the user clicks. */
  readonly onPick?: ((span: ChartSpan) => void) | undefined;
}

type ChartShape = 'bars' | 'stack' | 'lines';

/** Everything that drawing a chart needs. */
export interface ChartLook {
  readonly element: HTMLElement;
  readonly times: readonly string[];
  readonly series: readonly ChartSeries[];
  readonly shape: ChartShape;
  readonly interval: ChartInterval;
  readonly height: number;
  /** Writes a value at the axis. */
  readonly write: (value: number) => string;
  /** Writes a value with all its digits. */
  readonly exact: (value: number) => string;
  readonly format: Format;
  /** The words for the time of a point. */
  readonly spanOf: (index: number) => string;
  readonly onPick: ((index: number) => void) | undefined;
}
