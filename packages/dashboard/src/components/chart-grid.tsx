import type { ReactNode } from 'react';
import classes from './chart-grid.module.css';
import { firstShown } from './chart-figures.ts';
import type { ChartColor, ChartSeries, TimeChartProps } from './chart-look.ts';
import { SectionCard } from './section-card.tsx';
import { TimeChart } from './time-chart.tsx';

/** A line or a set of bars: its look, its figure of the whole range, and its value at a point. */
export interface GridLine<Point> extends Pick<ChartSeries, 'label' | 'total' | 'isDashed'> {
  readonly color: ChartColor;
  readonly value: (point: Point) => number | null;
}

export interface GridChart<Point> extends Pick<TimeChartProps, 'label' | 'shape' | 'unit'> {
  readonly title: string;
  readonly lines: readonly GridLine<Point>[];
}

/** The points that several charts share. */
export interface ChartPoints<Point> extends Pick<TimeChartProps, 'times' | 'until' | 'interval' | 'onPick'> {
  readonly points: readonly Point[] | undefined;
  /** Whether nothing happened in a point. The charts start with the first point in which something did. */
  readonly isEmpty: (point: Point) => boolean;
}

/** Charts of the same points, each in a card. */
export function ChartGrid<Point>(props: ChartPoints<Point> & { readonly charts: readonly GridChart<Point>[] }) {
  const { charts, ...shared } = props;
  return (
    <CardGrid>
      {charts.map((chart) => (
        <SectionCard key={chart.title} title={chart.title}>
          <PointsChart {...shared} {...chart} height={168} />
        </SectionCard>
      ))}
    </CardGrid>
  );
}

/** One chart of points, without a card. */
export function PointsChart<Point>({
  points,
  isEmpty,
  lines,
  ...chart
}: ChartPoints<Point> & Omit<GridChart<Point>, 'title'> & Pick<TimeChartProps, 'height'>) {
  const used = points?.map((point) => (isEmpty(point) ? 0 : 1)) ?? [];
  return (
    <TimeChart
      {...chart}
      firstPoint={firstShown([used], used.length)}
      series={lines.map(({ value, ...line }) => ({ ...line, values: points?.map(value) ?? [] }))}
    />
  );
}

/** Cards in rows of three. */
export function CardGrid({ children }: { readonly children: ReactNode }) {
  return <div className={classes['grid']}>{children}</div>;
}
