import type { Family, Sample } from './series.ts';

/** What only grows, of two processes together. What stands at a moment is nobody's once its process is gone. */
export function sumFamilies(one: readonly Family[], other: readonly Family[]): readonly Family[] {
  const growing = [...one, ...other].filter(({ type }) => type !== 'gauge');
  return [...Map.groupBy(growing, ({ name }) => name).values()].flatMap((families) => {
    const [first] = families;
    return first ? [{ ...first, values: sumSamples(families.flatMap(({ values }) => values)) }] : [];
  });
}

function sumSamples(samples: readonly Sample[]): readonly Sample[] {
  const sums = new Map<string, Sample>();
  for (const sample of samples) {
    const key = JSON.stringify([sample.metricName, sample.labels]);
    const before = sums.get(key);
    sums.set(key, before ? { ...sample, value: before.value + sample.value } : sample);
  }
  return [...sums.values()];
}
