import { caseOf, GatewayError } from 'chat-formats/gateway-error.ts';
import type { MeasuredAttempt } from '../../../core/request-trace.ts';
import type { RequestMeasurements } from '../../../money/requests/request-measurements.ts';
import type { RequestRecord } from '../../../money/requests/request-record.ts';
import { refusalStatusOf, errorClassOf } from '../../../serving/routing/error-class.ts';
import type { MetricSet } from './metric-set.ts';
import type { Counter, Histogram } from './series.ts';

type CallNames = Readonly<Record<'operation' | 'provider' | 'model' | 'upstream' | 'package', string>>;

/** The metrics of all calls of one model at one upstream, for the accounts of one package. */
export class CallFigures {
  readonly #metrics: MetricSet;
  readonly #upstream: string;
  /** Values of the labels that all GenAI metrics share, in the order of those labels. */
  readonly #call: readonly [string, string, string, string];
  readonly #slots: Counter;
  readonly #answered: Counter;
  readonly #wait: Histogram;
  readonly #duration: Histogram;
  readonly #firstChunk: Histogram;
  readonly #chunk: Histogram;
  readonly #input: Histogram;
  readonly #output: Histogram;

  constructor(names: CallNames, metrics: MetricSet) {
    const { operation, provider, model, upstream } = names;
    const call = [operation, provider, model, upstream] as const;
    this.#metrics = metrics;
    this.#upstream = upstream;
    this.#call = [...call];
    this.#slots = metrics.counter('gateway_slots_granted_total', upstream, names.package);
    this.#answered = metrics.counter('gateway_upstream_calls_total', upstream, 'answered');
    this.#wait = metrics.histogram('gateway_queue_wait_seconds', upstream, names.package);
    this.#duration = metrics.histogram('gen_ai_client_operation_duration_seconds', ...call, '');
    this.#firstChunk = metrics.histogram('gen_ai_client_operation_time_to_first_chunk_seconds', ...call);
    this.#chunk = metrics.histogram('gen_ai_client_operation_time_per_output_chunk_seconds', ...call);
    this.#input = metrics.histogram('gen_ai_client_token_usage', ...call, 'input');
    this.#output = metrics.histogram('gen_ai_client_token_usage', ...call, 'output');
  }

  countSent({ waitMs }: MeasuredAttempt): void {
    this.#slots.value += 1;
    this.#wait.observe(Math.max(0, waitMs) / 1000);
  }

  /** Counts a call whose answer began. `errorCase` is set if the answer broke off. */
  countAnswered(attempt: MeasuredAttempt, endedMs: number, errorCase: string | undefined): void {
    this.#answered.value += 1;
    if (attempt.firstEventMs !== undefined) this.#firstChunk.observe(attempt.firstEventMs / 1000);
    this.#observeDuration(endedMs - attempt.beganMs, errorCase);
  }

  /** Records the tokens of the answer and the mean time between its pieces. */
  observeUsage(
    { promptTokens, completionTokens }: RequestRecord,
    measured: RequestMeasurements,
    answeringMs: number,
  ): void {
    const { pieces, isOverstated } = measured;
    if (isOverstated) this.#metrics.counter('gateway_overstated_usage_total', this.#upstream).value += 1;
    if (promptTokens !== undefined) this.#input.observe(promptTokens);
    if (completionTokens !== undefined) this.#output.observe(completionTokens);
    const gaps = pieces - 1;
    if (gaps > 0) this.#chunk.observe(Math.max(0, answeringMs) / gaps / 1000, gaps);
  }

  /** Counts a call without an answer. `next` is the attempt after it: it decides between retry and failover. */
  countFailed(attempt: MeasuredAttempt, next: MeasuredAttempt | undefined): void {
    const { error } = attempt;
    const reason = reasonOf(error);
    this.#metrics.counter('gateway_upstream_calls_total', this.#upstream, reason).value += 1;
    if (reason === 'credential')
      this.#metrics.counter('gateway_credential_rejections_total', this.#upstream).value += 1;
    this.#observeDuration(attempt.endedMs - attempt.beganMs, error instanceof GatewayError ? caseOf(error) : reason);
    if (!next) return;
    const isSame = next.upstream === attempt.upstream && next.credential === attempt.credential;
    const name = isSame ? 'gateway_retries_total' : 'gateway_failovers_total';
    this.#metrics.counter(name, this.#upstream, reason).value += 1;
  }

  #observeDuration(ms: number, errorType: string | undefined): void {
    const duration =
      errorType === undefined
        ? this.#duration
        : this.#metrics.histogram('gen_ai_client_operation_duration_seconds', ...this.#call, errorType);
    duration.observe(Math.max(0, ms) / 1000);
  }
}

/** Returns why a call failed: the provider's state, its refusal of the request, or a reason of the gateway. */
function reasonOf(error: unknown): string {
  const errorClass = errorClassOf(error);
  if (errorClass !== 'final') return errorClass;
  return refusalStatusOf(error) === undefined ? 'given_up' : 'refused';
}
