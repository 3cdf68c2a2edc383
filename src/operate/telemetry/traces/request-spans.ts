import { type Attributes, type Context, type Span, SpanKind, SpanStatusCode, type Tracer } from '@opentelemetry/api';
import { caseOf } from 'chat-formats/gateway-error.ts';
import type { MeasuredAttempt } from '../../../core/request-trace.ts';
import type { RequestMeasurements } from '../../../money/requests/request-measurements.ts';
import type { RequestRecord } from '../../../money/requests/request-record.ts';
import { TracedCall } from './traced-call.ts';

/** Values of spans that the record does not contain. */
export interface SpanTerms {
  readonly surface: string;
  readonly operation: string;
  readonly providerOf: (upstream: string) => string;
  /** The address of an upstream, if it has a single one. */
  readonly addressOf: (upstream: string) => ServerAddress | undefined;
}

export interface ServerAddress {
  readonly host: string;
  readonly port: number;
}

/** Creates spans, with the span ids that were sent to providers. */
export interface SpanMaker {
  readonly tracer: Tracer;
  readonly chooseId: (spanId: string) => void;
}

/** Shorter waits get no span. */
const noticeableMs = 1;

/** The attributes are the gateway's own figures and names, never text of a client or provider. */
export function endRequestSpan(span: Span, record: RequestRecord, { surface }: SpanTerms): void {
  const { model, upstream, errorCase } = record;
  span.updateName(model === undefined ? surface : `${surface} ${model}`);
  // The attributes that the conventions define for clients are set on the call spans only, to avoid duplicates.
  span.setAttributes(
    withoutUndefined({
      [traceNames.errorType]: errorCase,
      [traceNames.status]: record.status,
      [traceNames.requestId]: record.id,
      [traceNames.surface]: surface,
      [traceNames.model]: model,
      [traceNames.package]: record.packageName,
      [traceNames.upstream]: upstream,
      [traceNames.clientGone]: record.clientGone || undefined,
    }),
  );
  if (errorCase !== undefined) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end(record.startedAt + record.durationMs);
}

/** Creates a span for each part of a request, after the request has ended: they cost nothing during it. */
export class PartSpans {
  readonly #maker: SpanMaker;
  readonly #context: Context;
  readonly #terms: SpanTerms;
  /** The offset from `clock.elapsed()` to the time of day, in milliseconds. */
  readonly #shiftMs: number;

  constructor(
    maker: SpanMaker,
    context: Context,
    record: RequestRecord & { measured: RequestMeasurements },
    terms: SpanTerms,
  ) {
    this.#maker = maker;
    this.#context = context;
    this.#terms = terms;
    this.#shiftMs = record.startedAt - record.measured.startedMs;
  }

  write({ attempts, queueTimeoutMs, answeredMs, settledMs }: RequestMeasurements, record: RequestRecord): void {
    attempts.forEach((attempt, index) => {
      const next = attempts[index + 1];
      this.#wait(attempt.beganMs - attempt.waitMs, attempt.beganMs);
      this.#call(attempt, next ? next.beganMs - next.waitMs - next.pauseMs : answeredMs, next ? undefined : record);
    });
    const endedMs = record.startedAt + record.durationMs - this.#shiftMs;
    if (queueTimeoutMs !== undefined) this.#wait(endedMs - queueTimeoutMs, endedMs);
    if (answeredMs !== undefined && settledMs !== undefined) this.#span(spanNames.settlement, answeredMs, settledMs);
  }

  #wait(beganMs: number, endedMs: number): void {
    if (endedMs - beganMs >= noticeableMs) this.#span(spanNames.wait, beganMs, endedMs);
  }

  #call(attempt: MeasuredAttempt, answeredMs: number | undefined, record: RequestRecord | undefined): void {
    const { beganMs, firstEventMs, error } = attempt;
    const endedMs = error === undefined ? (answeredMs ?? attempt.endedMs) : attempt.endedMs;
    const errorType = error === undefined ? record?.errorCase : caseOf(error);
    const { operation, providerOf, addressOf } = this.#terms;
    const address = addressOf(attempt.upstream);
    const trace = attempt.trace instanceof TracedCall ? attempt.trace : undefined;
    const attributes = withoutUndefined({
      [traceNames.operation]: operation,
      [traceNames.provider]: providerOf(attempt.upstream),
      [traceNames.requestModel]: attempt.model,
      [traceNames.serverAddress]: address?.host,
      [traceNames.serverPort]: address?.port,
      [traceNames.upstream]: attempt.upstream,
      [traceNames.credential]: attempt.credential,
      [traceNames.status]: attempt.status,
      [traceNames.errorType]: errorType,
      ...(error === undefined && record && answerAttributes(record)),
      [traceNames.responseId]: trace?.responseId,
    });
    if (trace?.spanId !== undefined) this.#maker.chooseId(trace.spanId);
    const options = { attributes, kind: SpanKind.CLIENT, isFailed: errorType !== undefined };
    this.#span(`${operation} ${attempt.model}`, beganMs, endedMs, options);
    if (firstEventMs !== undefined) this.#span(spanNames.firstContent, beganMs, beganMs + firstEventMs);
  }

  #span(name: string, beganMs: number, endedMs: number, options: SpanOptions = {}): void {
    const { attributes = {}, kind = SpanKind.INTERNAL, isFailed = false } = options;
    const startTime = beganMs + this.#shiftMs;
    const span = this.#maker.tracer.startSpan(name, { startTime, attributes, kind }, this.#context);
    if (isFailed) span.setStatus({ code: SpanStatusCode.ERROR });
    span.end(Math.max(startTime, endedMs + this.#shiftMs));
  }
}

function answerAttributes({ finish, promptTokens, completionTokens }: RequestRecord) {
  return {
    [traceNames.finishReasons]: finish === undefined ? undefined : [finish],
    [traceNames.inputTokens]: promptTokens,
    [traceNames.outputTokens]: completionTokens,
  };
}

interface SpanOptions {
  readonly attributes?: Attributes;
  readonly kind?: SpanKind;
  readonly isFailed?: boolean;
}

function withoutUndefined(attributes: Readonly<Record<string, Attributes[string]>>): Attributes {
  return Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined));
}

/** OpenTelemetry's conventions for generative AI, still in development, and names of the gateway for the rest. */
const traceNames = {
  operation: 'gen_ai.operation.name',
  provider: 'gen_ai.provider.name',
  requestModel: 'gen_ai.request.model',
  responseId: 'gen_ai.response.id',
  finishReasons: 'gen_ai.response.finish_reasons',
  inputTokens: 'gen_ai.usage.input_tokens',
  outputTokens: 'gen_ai.usage.output_tokens',
  serverAddress: 'server.address',
  serverPort: 'server.port',
  errorType: 'error.type',
  status: 'http.response.status_code',
  requestId: 'gateway.request.id',
  surface: 'gateway.surface',
  model: 'gateway.model',
  package: 'gateway.package',
  upstream: 'gateway.upstream',
  credential: 'gateway.credential',
  clientGone: 'gateway.client_gone',
} as const;

/** The parts of a request. Spans of provider calls are named by operation and model, as in the conventions. */
const spanNames = {
  wait: 'wait for a slot',
  firstContent: 'first content',
  settlement: 'settlement',
} as const;
