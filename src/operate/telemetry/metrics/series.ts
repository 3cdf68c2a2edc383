import type { MetricSpec } from './metric-names.ts';

/** One value as an object without methods, so that it can be sent between processes. */
export interface SeriesSample {
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
  /** The sample's name if it differs from the metric's: bucket, sum or count of a histogram. */
  readonly metricName?: string;
}

export interface MetricFamily {
  readonly name: string;
  readonly help: string;
  readonly type: MetricSpec['type'];
  readonly aggregator: 'sum' | 'max' | 'min';
  readonly values: readonly SeriesSample[];
}

export class Counter {
  value = 0;

  samples(_name: string, labels: SeriesSample['labels']): readonly SeriesSample[] {
    return [{ labels, value: this.value }];
  }
}

/** A histogram. Recording a value costs a few additions in memory. */
export class Histogram {
  readonly #bounds: Float64Array;
  /** One more entry than `#bounds`. Counts are not cumulative. */
  readonly #counts: Float64Array;
  #sum = 0;

  constructor(bounds: Float64Array) {
    this.#bounds = bounds;
    this.#counts = new Float64Array(bounds.length + 1);
  }

  observe(value: number, times = 1): void {
    const bounds = this.#bounds;
    let index = 0;
    while (index < bounds.length && value > (bounds[index] ?? 0)) index += 1;
    this.#counts[index] = (this.#counts[index] ?? 0) + times;
    this.#sum += value * times;
  }

  samples(name: string, labels: SeriesSample['labels']): readonly SeriesSample[] {
    let count = 0;
    const buckets = [...this.#counts].map((each, index) => {
      count += each;
      return { labels: { le: this.#bounds[index] ?? '+Inf', ...labels }, value: count, metricName: `${name}_bucket` };
    });
    return [
      ...buckets,
      { labels, value: this.#sum, metricName: `${name}_sum` },
      { labels, value: count, metricName: `${name}_count` },
    ];
  }
}

export class Series<Figure extends Counter | Histogram> {
  readonly #name: string;
  readonly #spec: MetricSpec;
  readonly #make: () => Figure;
  /** For each label, whether it is left out. */
  readonly #isHidden: readonly boolean[];
  readonly #figures = new Map<string, { readonly values: readonly string[]; readonly figure: Figure }>();

  constructor(
    name: string,
    how: { readonly spec: MetricSpec; readonly without?: readonly string[]; readonly make: () => Figure },
  ) {
    const { spec, without = [], make } = how;
    this.#name = name;
    this.#spec = spec;
    this.#make = make;
    this.#isHidden = spec.labels.map((label) => without.includes(label));
  }

  /** The series with these values, in the order of the labels. Without a value, the label is missing. */
  of(...given: readonly string[]): Figure {
    const values = given.map((value, index) => (this.#isHidden[index] ? '' : value));
    const key = values.join('\n');
    const known = this.#figures.get(key);
    if (known) return known.figure;
    const figure = this.#make();
    this.#figures.set(key, { values, figure });
    return figure;
  }

  dropSeries(isStale: (label: string, value: string) => boolean): void {
    for (const [key, { values }] of this.#figures) {
      if (values.some((value, index) => isStale(this.#spec.labels[index] ?? '', value))) this.#figures.delete(key);
    }
  }

  family(): MetricFamily {
    const values = [...this.#figures.values()].flatMap((each) =>
      each.figure.samples(this.#name, labelled(this.#spec, each.values)),
    );
    return familyOf(this.#name, this.#spec, values);
  }
}

export function familyOf(name: string, spec: MetricSpec, values: readonly SeriesSample[]): MetricFamily {
  return { name, help: spec.help, type: spec.type, aggregator: spec.ofWorkers ?? 'sum', values };
}

/** Maps label names to values. Empty values are left out. */
export function labelled({ labels }: MetricSpec, values: readonly string[]): SeriesSample['labels'] {
  const named = labels.map((label, index) => [label, values[index] ?? ''] as const);
  return Object.fromEntries(named.filter(([, value]) => value !== ''));
}

/** Merges the metrics of several processes. The aggregator of a metric decides how its values are combined. */
export function mergeFamilies(families: readonly MetricFamily[]): readonly MetricFamily[] {
  return [...Map.groupBy(families, ({ name }) => name).values()].flatMap((same) => {
    const [first] = same;
    return first ? [{ ...first, values: mergeSamples(first, same) }] : [];
  });
}

/** Adds up counters and histograms of two processes. A gauge has no value once its process has ended. */
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
