import { type MetricName, type MetricSpec, metricSpecs } from './metric-names.ts';
import { type MetricFamily, familyOf, labelled } from './series.ts';

/** A figure that is read when somebody asks: its metric, the values of its labels in their order, and what it is now. */
export type GaugeReading = readonly [name: MetricName, values: readonly string[], value: number];

/** Readings as metrics. */
export function readingFamilies(readings: readonly GaugeReading[]): readonly MetricFamily[] {
  return [...Map.groupBy(readings, ([name]) => name)].map(([name, some]) => {
    const spec: MetricSpec = metricSpecs[name];
    return familyOf(
      name,
      spec,
      some.map(([, values, value]) => ({ labels: labelled(spec, values), value })),
    );
  });
}
