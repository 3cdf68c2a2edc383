import type { MetricSpec } from './metric-names.ts';

/** One figure as it is handed on: plain, so that it can go from process to process. */
export interface SeriesSample {
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
  /** The name where it is not the metric's own: the buckets, the sum and the count of a histogram. */
  readonly metricName?: string;
}

/** A metric with its figures. */
export interface MetricFamily {
  readonly name: string;
  readonly help: string;
  readonly type: MetricSpec['type'];
  readonly aggregator: 'sum' | 'max' | 'min';
  readonly values: readonly SeriesSample[];
}

/** A count that grows. */
export class Counter {
  value = 0;

  samples(_name: string, labels: SeriesSample['labels']): readonly SeriesSample[] {
    return [{ labels, value: this.value }];
  }
}

/** Observations by size. Recording one is a few additions in memory of its own. */
export class Histogram {
  readonly #bounds: Float64Array;
  /** One more than bounds; each counts only what is in it. */
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

/** A metric and all its series, each under the values of its labels. */
export class Series<Figure extends Counter | Histogram> {
  readonly #name: string;
  readonly #spec: MetricSpec;
  readonly #make: () => Figure;
  /** By the order of the labels: whether one is left out. */
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

  /** The series with these values, in the order of the labels. A value that is not said is empty, as in no label at all. */
  of(...said: readonly string[]): Figure {
    const values = said.map((value, index) => (this.#isHidden[index] ? '' : value));
    const key = values.join('\n');
    const known = this.#figures.get(key);
    if (known) return known.figure;
    const figure = this.#make();
    this.#figures.set(key, { values, figure });
    return figure;
  }

  /** Forgets the series that something is wrong with. */
  forget(isGone: (label: string, value: string) => boolean): void {
    for (const [key, { values }] of this.#figures) {
      if (values.some((value, index) => isGone(this.#spec.labels[index] ?? '', value))) this.#figures.delete(key);
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

/** Values under the names of their labels, but for those that are not said. */
export function labelled({ labels }: MetricSpec, values: readonly string[]): SeriesSample['labels'] {
  const named = labels.map((label, index) => [label, values[index] ?? ''] as const);
  return Object.fromEntries(named.filter(([, value]) => value !== ''));
}
