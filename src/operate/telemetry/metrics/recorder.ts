import type { ExchangeSummary } from '../../../serving/http/server-options.ts';
import type { MeasuredAttempt } from '../../../core/request-trace.ts';
import type { MeasuredFallback, MeasuredConstraint } from '../../../money/requests/request-measurements.ts';
import type { RequestRecord } from '../../../money/requests/request-record.ts';
import { caseOf } from '../logs/access-log.ts';
import { CallFigures } from './call-figures.ts';
import type { LabelValues } from '../label-values.ts';
import { type Detail, MetricSet } from './metric-set.ts';
import { providerName } from '../traces/provider-name.ts';
import { RequestFigures, statusClass } from './request-figures.ts';
import type { Counter, Histogram, MetricFamily } from './series.ts';
import { operationAt, type SurfaceNames } from '../traces/surface-name.ts';

interface RecorderParts {
  readonly labels: LabelValues;
  readonly surfaces: SurfaceNames;
  /** The currency of charges. */
  readonly currency: string;
  readonly detail: Detail;
}

const lineOutcomes = ['succeeded', 'failed', 'interrupted', 'cancelled', 'expired'];

/** All counters and histograms, looked up once per endpoint, model, upstream and package, and cached. */
export class Recorder {
  readonly #parts: RecorderParts;
  readonly #metrics: MetricSet;
  /** Keys are configured names only, so clients cannot grow it. */
  readonly #requests = new FigureCache<RequestMetrics>();
  readonly #exchanges = new FigureCache<Counter>();
  readonly #commits: Histogram;
  readonly #delays: Histogram;
  readonly #chunks: Histogram;
  readonly #dropped: Counter;
  readonly #bodiesDropped: Counter;
  readonly #batchLines: ReadonlyMap<string, Counter>;

  constructor(parts: RecorderParts) {
    this.#parts = parts;
    this.#metrics = new MetricSet(parts.detail);
    this.#commits = this.#metrics.histogram('gateway_store_commit_seconds');
    this.#delays = this.#metrics.histogram('gateway_event_loop_delay_seconds');
    this.#chunks = this.#metrics.histogram('gateway_chunk_delay_seconds');
    this.#dropped = this.#metrics.counter('gateway_records_dropped_total');
    this.#bodiesDropped = this.#metrics.counter('gateway_bodies_dropped_total');
    this.#batchLines = new Map(
      lineOutcomes.map((outcome) => [outcome, this.#metrics.counter('gateway_batch_lines_total', outcome)]),
    );
  }

  exchanged(done: ExchangeSummary): void {
    const surface = this.#parts.surfaces.of(done.path);
    const status = statusClass(done.status);
    const counter = this.#exchanges.of(surface, status, undefined, () =>
      this.#metrics.counter('gateway_http_requests_total', surface, status),
    );
    counter.value += 1;
    const error = caseOf(done);
    if (error !== undefined) this.#metrics.counter('gateway_http_errors_total', error).value += 1;
  }

  /** Called when a request with a valid key has ended, on either path. */
  served(record: RequestRecord): void {
    this.#dropStaleSeries();
    const surface = this.#parts.surfaces.of(record.surface);
    const metrics = this.#metricsFor(surface, record);
    metrics.request.countEnded(record);
    const { measured } = record;
    if (!measured) return;
    if (measured.queueTimeoutMs !== undefined) this.#countQueueTimeout(record);
    const [first] = measured.attempts;
    if (first) {
      const waitedMs = first.waitMs + (measured.earlyWaitMs ?? 0) + (record.uploadMs ?? 0);
      metrics.request.observeOverhead(first.beganMs - measured.startedMs - waitedMs);
    }
    for (const constraint of record.constraints ?? []) this.#countConstraint(constraint);
    for (const fallback of measured.fallbacks ?? []) this.#countFallback(fallback);
    measured.attempts.forEach((attempt, index) =>
      this.#recordAttempt(metrics, record, attempt, measured.attempts[index + 1]),
    );
  }

  /** Records the duration of a store commit. */
  committed(ms: number): void {
    this.#commits.observe(ms / 1000);
  }

  /** Records the gateway's own time for one chunk of an answer. */
  chunkTook(ms: number): void {
    this.#chunks.observe(ms / 1000);
  }

  /** Records the lag of the event loop. */
  delayed(ms: number): void {
    this.#delays.observe(ms / 1000);
  }

  dropped(records: number): void {
    this.#dropped.value += records;
  }

  bodiesDropped(requests: number): void {
    this.#bodiesDropped.value += requests;
  }

  batchLines(outcome: string, lines: number): void {
    const counter = this.#batchLines.get(outcome);
    if (counter) counter.value += lines;
  }

  /** All metrics of resources that are configured now. */
  families(): readonly MetricFamily[] {
    this.#dropStaleSeries();
    return this.#metrics.families();
  }

  /** Drops the series of removed resources, so that configuration changes do not accumulate series. */
  #dropStaleSeries(): void {
    const { labels } = this.#parts;
    if (labels.refresh() === 'unchanged') return;
    this.#requests.clear();
    this.#metrics.dropSeries(labels.isStale);
  }

  #countQueueTimeout({ packageName }: RequestRecord): void {
    const name = this.#parts.labels.package(packageName);
    this.#metrics.counter('gateway_queue_timeouts_total', name).value += 1;
  }

  #countConstraint({ model, constraint, outcome }: MeasuredConstraint): void {
    this.#metrics.counter('gateway_constraints_total', this.#parts.labels.model(model), constraint, outcome).value += 1;
  }

  #countFallback({ from, to, reason }: MeasuredFallback): void {
    const { labels } = this.#parts;
    const [model, fallback] = [labels.model(from), labels.model(to)];
    this.#metrics.counter('gateway_fallbacks_total', model, fallback, reason ?? 'passed_over').value += 1;
  }

  #recordAttempt(
    metrics: RequestMetrics,
    record: RequestRecord,
    attempt: MeasuredAttempt,
    next: MeasuredAttempt | undefined,
  ): void {
    const figures = this.#callFigures(metrics, attempt.upstream);
    figures.countSent(attempt);
    if (attempt.error !== undefined) return figures.countFailed(attempt, next);
    // Another upstream continued this answer, so it had broken off.
    if (next) return figures.countAnswered(attempt, next.beganMs - next.waitMs - next.pauseMs, 'upstream-failed');
    const { measured } = record;
    const endedMs = measured?.answeredMs ?? attempt.endedMs;
    figures.countAnswered(attempt, endedMs, record.errorCase);
    if (measured) figures.observeUsage(record, measured, endedMs - attempt.endedMs);
  }

  /** The metrics of a request's endpoint, model and package, and of its calls by upstream. */
  #metricsFor(surface: string, { model, packageName }: RequestRecord): RequestMetrics {
    const { labels, currency } = this.#parts;
    return this.#requests.of(surface, model, packageName, () => {
      const names = { surface, model: labels.model(model), package: labels.package(packageName), currency };
      return { names, request: new RequestFigures(names, this.#metrics), calls: new Map() };
    });
  }

  #callFigures({ names, calls }: RequestMetrics, upstream: string): CallFigures {
    const known = calls.get(upstream);
    if (known) return known;
    const { labels } = this.#parts;
    const provider = providerName(labels.kindOf(upstream));
    const callNames = {
      ...names,
      operation: operationAt(names.surface),
      provider,
      upstream: labels.upstream(upstream),
    };
    const figures = new CallFigures(callNames, this.#metrics);
    calls.set(upstream, figures);
    return figures;
  }
}

interface RequestMetrics {
  readonly names: { readonly surface: string; readonly model: string; readonly package: string };
  readonly request: RequestFigures;
  readonly calls: Map<string, CallFigures>;
}

/** A cache with three-part keys. Its size is the number of key combinations used. */
class FigureCache<Figure> {
  readonly #all = new Map<string, Map<string | undefined, Map<string | undefined, Figure>>>();

  of(first: string, second: string | undefined, third: string | undefined, make: () => Figure): Figure {
    let seconds = this.#all.get(first);
    if (!seconds) this.#all.set(first, (seconds = new Map()));
    let thirds = seconds.get(second);
    if (!thirds) seconds.set(second, (thirds = new Map()));
    const cached = thirds.get(third);
    if (cached !== undefined) return cached;
    const created = make();
    thirds.set(third, created);
    return created;
  }

  clear(): void {
    this.#all.clear();
  }
}
