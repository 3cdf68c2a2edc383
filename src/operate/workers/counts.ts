import { type MetricFamily, sumFamilies } from '../telemetry/metrics/series.ts';

/** A process that returns its metric counts on request. */
export interface CountSource {
  /** Requests the counts; resolves when they have arrived, or after a timeout. */
  count(): Promise<void>;
  /** The last counts that arrived. */
  readonly counted: readonly MetricFamily[];
}

/**
 * The metric counts of all workers. The last counts of a worker are kept after it has ended, so that no sum gets
 * smaller: Prometheus would read a smaller value as a counter reset, and count the other workers twice.
 */
export class WorkerCounts {
  readonly #workers: Iterable<CountSource>;
  #ofEnded: readonly MetricFamily[] = [];

  constructor(workers: Iterable<CountSource>) {
    this.#workers = workers;
  }

  /** One entry for each process, and one for all ended workers together. */
  async all(): Promise<readonly (readonly MetricFamily[])[]> {
    await Promise.all([...this.#workers].map((worker) => worker.count()));
    // A worker may have ended by now: it is counted in one of the two, never in both.
    return [...[...this.#workers].map(({ counted }) => counted), this.#ofEnded];
  }

  /** Call after the worker has ended and was removed from `workers`. */
  gone({ counted }: CountSource): void {
    this.#ofEnded = sumFamilies(this.#ofEnded, counted);
  }
}
