import { type MetricSpec, metricSpecs, type NamesOf } from './metric-names.ts';
import { Counter, type MetricFamily, Histogram, Series } from './series.ts';

type CounterName = NamesOf<'counter'>;
type HistogramName = NamesOf<'histogram'>;

/** The level of detail. `usual` bounds the number of series per model. */
export type Detail = 'usual' | 'full';

/** All counters and histograms of a process, by name. */
export class MetricSet {
  readonly #counters: Readonly<Record<CounterName, Series<Counter>>>;
  readonly #histograms: Readonly<Record<HistogramName, Series<Histogram>>>;

  constructor(detail: Detail) {
    this.#counters = seriesOf<CounterName, Counter>('counter', detail, () => new Counter());
    this.#histograms = seriesOf<HistogramName, Histogram>('histogram', detail, (buckets) => {
      const bounds = Float64Array.from(buckets);
      return new Histogram(bounds);
    });
  }

  counter(name: CounterName, ...values: readonly string[]): Counter {
    return this.#counters[name].of(...values);
  }

  histogram(name: HistogramName, ...values: readonly string[]): Histogram {
    return this.#histograms[name].of(...values);
  }

  dropSeries(isStale: (label: string, value: string) => boolean): void {
    for (const series of this.#all()) series.dropSeries(isStale);
  }

  families(): readonly MetricFamily[] {
    return this.#all().map((series) => series.family());
  }

  #all(): readonly Series<Counter | Histogram>[] {
    return [...Object.values(this.#counters), ...Object.values(this.#histograms)];
  }
}

function seriesOf<Name extends string, Figure extends Counter | Histogram>(
  type: MetricSpec['type'],
  detail: Detail,
  make: (buckets: readonly number[]) => Figure,
): Readonly<Record<Name, Series<Figure>>> {
  const specs: readonly (readonly [string, MetricSpec])[] = Object.entries(metricSpecs);
  const ofType = specs.filter(([, spec]) => spec.type === type);
  const all = ofType.map(([name, spec]) => {
    const { buckets = spec.buckets ?? [], without = [] } = (detail === 'usual' && spec.usual) || {};
    return [name, new Series(name, { spec, without, make: () => make(buckets) })];
  });
  return Object.fromEntries(all) as Record<Name, Series<Figure>>;
}
