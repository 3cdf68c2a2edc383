import { type MetricName, type MetricSpec, metricSpecs } from './metric-names.ts';
import { type MetricFamily, familyOf, labelled } from './series.ts';

/** A value that is read at scrape time: its metric, the values of its labels in their order, and the current value. */
export type GaugeReading = readonly [name: MetricName, values: readonly string[], value: number];

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
