import type { ChartSeries, TimeChartProps } from './chart-options.ts';
import { SectionCard } from './section-card.tsx';
import { TimeChart } from './time-chart.tsx';

/** A chart with its lines: the label, the colour, and the value at a point. */
interface GridChart<Point> extends Pick<TimeChartProps, 'label' | 'shape' | 'unit'> {
  readonly title: string;
  readonly lines: readonly (readonly [string, ChartSeries['color'], (point: Point) => number | null])[];
}

interface ChartGridProps<Point> extends Pick<TimeChartProps, 'times' | 'interval'> {
  readonly className: string | undefined;
  readonly points: readonly Point[] | undefined;
  readonly charts: readonly GridChart<Point>[];
}

/** Charts of the same points, each in a card. */
export function ChartGrid<Point>({ className, points, charts, ...shared }: ChartGridProps<Point>) {
  return (
    <div className={className}>
      {charts.map(({ title, lines, ...chart }) => (
        <SectionCard key={title} title={title}>
          <TimeChart
            {...shared}
            {...chart}
            height={200}
            series={lines.map(([label, color, value]) => ({ label, color, values: points?.map(value) ?? [] }))}
          />
        </SectionCard>
      ))}
    </div>
  );
}
