import { type Attributes, type Context, type Span, SpanKind, SpanStatusCode, type Tracer } from '@opentelemetry/api';
import { caseOf } from '../core/gateway-error.ts';
import type { RequestMeasurements, MeasuredAttempt } from '../requests/measured.ts';
import type { RequestRecord } from '../requests/request-record.ts';
import { spanNames, traceNames } from './trace-names.ts';
import { TracedCall } from './traced-call.ts';

/** What spans say that the record does not. */
export interface SpanTerms {
  readonly surface: string;
  readonly operation: string;
  readonly providerOf: (upstream: string) => string;
  /** Where an upstream is, as far as it has one address. */
  readonly addressOf: (upstream: string) => ServerAddress | undefined;
}

export interface ServerAddress {
  readonly host: string;
  readonly port: number;
}

/** Makes spans, with the ids that providers were told of. */
export interface SpanMaker {
  readonly tracer: Tracer;
  /** Gives the next span this id. */
  readonly chooseId: (spanId: string) => void;
}

/** Waits that nobody would have noticed are none. */
const noticeableMs = 1;

/** What the span of a request says when it is over: figures and names of ours, and nothing that anybody wrote. */
export function endRequestSpan(span: Span, record: RequestRecord, { surface }: SpanTerms): void {
  const { model, upstream, errorCase } = record;
  span.updateName(model === undefined ? surface : `${surface} ${model}`);
  // What the conventions call the client's is said by the calls alone, so that nothing is there twice.
  span.setAttributes(
    said({
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

/** The parts of a request, each a span of its own. They are made when all is over: none of it is any work before. */
export class PartSpans {
  readonly #maker: SpanMaker;
  readonly #context: Context;
  readonly #terms: SpanTerms;
  /** By which moments of the elapsed clock become moments of the calendar. */
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
    const attributes = said({
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
    const more = { attributes, kind: SpanKind.CLIENT, isFailed: errorType !== undefined };
    this.#span(`${operation} ${attempt.model}`, beganMs, endedMs, more);
    if (firstEventMs !== undefined) this.#span(spanNames.firstContent, beganMs, beganMs + firstEventMs);
  }

  #span(name: string, beganMs: number, endedMs: number, more: SpanMore = {}): void {
    const { attributes = {}, kind = SpanKind.INTERNAL, isFailed = false } = more;
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

interface SpanMore {
  readonly attributes?: Attributes;
  readonly kind?: SpanKind;
  readonly isFailed?: boolean;
}

/** What is not said is not there. */
function said(attributes: Readonly<Record<string, Attributes[string]>>): Attributes {
  return Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined));
}
