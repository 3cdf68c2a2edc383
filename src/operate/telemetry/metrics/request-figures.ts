import type { RequestRecord } from '../../../money/requests/request-record.ts';
import type { MetricSet } from './metric-set.ts';
import type { Counter, Histogram } from './series.ts';

type RequestNames = Readonly<Record<'surface' | 'model' | 'package' | 'currency', string>>;

const nanoPerUnit = 1e9;

/** The metrics of all requests of one endpoint, model and package. */
export class RequestFigures {
  readonly #metrics: MetricSet;
  readonly #names: RequestNames;
  readonly #duration: Histogram;
  readonly #overhead: Histogram;
  readonly #complete: Counter;
  readonly #charged: Counter;
  readonly #succeeded: Counter;

  constructor(names: RequestNames, metrics: MetricSet) {
    const { surface, model, currency } = names;
    this.#metrics = metrics;
    this.#names = names;
    this.#duration = metrics.histogram('gateway_request_duration_seconds', surface, model);
    this.#overhead = metrics.histogram('gateway_overhead_seconds', surface);
    this.#complete = metrics.counter('gateway_stream_ends_total', surface, 'complete');
    this.#charged = metrics.counter('gateway_charged_total', model, names.package, currency);
    this.#succeeded = metrics.counter('gateway_requests_total', surface, model, names.package, '2xx');
  }

  countEnded(record: RequestRecord): void {
    const { surface, model } = this.#names;
    const status = statusClass(record.status);
    const end = endOf(record);
    this.#duration.observe(record.durationMs / 1000);
    if (status === '2xx') this.#succeeded.value += 1;
    else this.#metrics.counter('gateway_requests_total', surface, model, this.#names.package, status).value += 1;
    if (end === 'complete') this.#complete.value += 1;
    else this.#metrics.counter('gateway_stream_ends_total', surface, end).value += 1;
    if (record.cost !== undefined) this.#charged.value += Number(record.cost) / nanoPerUnit;
    if (record.calls && model !== '') this.#countToolCalls(model, record.calls);
  }

  /** Records the gateway's own time before the request was sent. */
  observeOverhead(ownMs: number): void {
    this.#overhead.observe(Math.max(0, ownMs) / 1000);
  }

  #countToolCalls(model: string, { parsed, repaired, failed }: NonNullable<RequestRecord['calls']>): void {
    this.#metrics.counter('gateway_tool_calls_total', model, 'parsed').value += parsed;
    this.#metrics.counter('gateway_tool_calls_total', model, 'repaired').value += repaired;
    this.#metrics.counter('gateway_tool_calls_total', model, 'failed').value += failed;
  }
}

const classes = ['none', '1xx', '2xx', '3xx', '4xx', '5xx'];

/** Returns the class of a status, or `none` if no status was sent. */
export function statusClass(status: number): string {
  return classes[Math.floor(status / 100)] ?? 'none';
}

function endOf({ clientGone, errorCase, status }: RequestRecord): string {
  if (clientGone) return 'client_gone';
  if (errorCase === undefined) return 'complete';
  return status === 200 ? 'broken_off' : 'refused';
}
