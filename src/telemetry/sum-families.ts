import type { MetricFamily, SeriesSample } from './series.ts';

/**
 * Adds up the counters and histograms of two processes. Gauges are dropped: a gauge has no value once its process has
 * ended.
 */
export function sumFamilies(one: readonly MetricFamily[], other: readonly MetricFamily[]): readonly MetricFamily[] {
  const cumulative = [...one, ...other].filter(({ type }) => type !== 'gauge');
  return [...Map.groupBy(cumulative, ({ name }) => name).values()].flatMap((families) => {
    const [first] = families;
    return first ? [{ ...first, values: sumSamples(families.flatMap(({ values }) => values)) }] : [];
  });
}

function sumSamples(samples: readonly SeriesSample[]): readonly SeriesSample[] {
  const sums = new Map<string, SeriesSample>();
  for (const sample of samples) {
    const key = JSON.stringify([sample.metricName, sample.labels]);
    const before = sums.get(key);
    sums.set(key, before ? { ...sample, value: before.value + sample.value } : sample);
  }
  return [...sums.values()];
}
