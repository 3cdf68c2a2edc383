import type { MetricFamily, SeriesSample } from './series.ts';

/** Merges the metrics of several processes. The aggregator of a metric decides how its values are combined. */
export function mergeFamilies(families: readonly MetricFamily[]): readonly MetricFamily[] {
  return [...Map.groupBy(families, ({ name }) => name).values()].flatMap((same) => {
    const [first] = same;
    return first ? [{ ...first, values: mergeSamples(first, same) }] : [];
  });
}

/**
 * Adds up the counters and histograms of two processes. Gauges are dropped: a gauge has no value once its process has
 * ended.
 */
export function sumFamilies(one: readonly MetricFamily[], other: readonly MetricFamily[]): readonly MetricFamily[] {
  return mergeFamilies([...one, ...other].filter(({ type }) => type !== 'gauge'));
}

function mergeSamples({ aggregator }: MetricFamily, families: readonly MetricFamily[]): readonly SeriesSample[] {
  const merged = new Map<string, SeriesSample>();
  for (const sample of families.flatMap(({ values }) => values)) {
    const key = JSON.stringify([sample.metricName, sample.labels]);
    const before = merged.get(key);
    merged.set(key, before ? { ...sample, value: combine[aggregator](before.value, sample.value) } : sample);
  }
  return [...merged.values()];
}

const combine: Readonly<Record<MetricFamily['aggregator'], (one: number, other: number) => number>> = {
  sum: (one, other) => one + other,
  max: Math.max,
  min: Math.min,
};
