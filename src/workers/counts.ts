import type { MetricFamily } from '../telemetry/series.ts';
import { sumFamilies } from '../telemetry/sum-families.ts';

/** Who can be asked what it has counted. */
export interface CountSource {
  /** Has it say what it has counted; resolves when it has, or when it has not in time. */
  count(): Promise<void>;
  /** What it said last. */
  readonly counted: readonly MetricFamily[];
}

/**
 * What all workers have counted together. What a worker has said once is kept when it is gone, so that no sum ever gets
 * smaller: Prometheus would take that for a start from nothing, and count everything again that the others have.
 */
export class WorkerCounts {
  readonly #workers: Iterable<CountSource>;
  #ofGone: readonly MetricFamily[] = [];

  constructor(workers: Iterable<CountSource>) {
    this.#workers = workers;
  }

  /** Each process by itself, and those that are gone as one. */
  async all(): Promise<readonly (readonly MetricFamily[])[]> {
    await Promise.all([...this.#workers].map((worker) => worker.count()));
    // One of them may be gone by now: it counts there or here, and never in both places.
    return [...[...this.#workers].map(({ counted }) => counted), this.#ofGone];
  }

  /** It is no more, and no longer one of the workers. */
  gone({ counted }: CountSource): void {
    this.#ofGone = sumFamilies(this.#ofGone, counted);
  }
}
