import { setTimeout as delay } from 'node:timers/promises';
import { ROOT_CONTEXT, type Span, SpanKind, trace, type Tracer } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOnSampler,
  BatchSpanProcessor,
  type IdGenerator,
  RandomIdGenerator,
  type SpanExporter,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type {
  ArrivingRequest,
  CallTrace,
  RequestTrace,
  RequestTraces,
  TraceSettings,
} from '../../../core/request-trace.ts';
import type { RequestRecord } from '../../../money/requests/request-record.ts';
import type { LabelValues } from '../label-values.ts';
import { providerName } from './provider-name.ts';
import { endRequestSpan, PartSpans, type SpanTerms } from './request-spans.ts';
import { sampleFraction } from './share-of.ts';
import { operationAt, type SurfaceNames } from './surface-name.ts';
import { traceParent } from './trace-parent.ts';
import { TracedCall } from './traced-call.ts';

interface TracesParts {
  readonly terms: TraceSettings;
  readonly version: string;
  readonly labels: LabelValues;
  readonly surfaces: SurfaceNames;
  readonly now: () => number;
  readonly addressOf: SpanTerms['addressOf'];
  /** Called when spans could not be sent. */
  readonly onError: (error: unknown) => void;
}

/** Spans kept in memory while the collector does not accept them. More spans are dropped. No request waits. */
const spansMax = 4096;
const exportMs = 10_000;
const batchDelayMs = 1000;
/** Timeout for the last batches when the process stops. */
const closeMs = 2000;

/**
 * Traces requests and sends the spans asynchronously to an OTLP collector. This module is loaded only if one is
 * configured. The request id decides whether a request is traced, so every call of `begin` decides the same.
 */
export class Traces implements RequestTraces {
  readonly #parts: TracesParts;
  readonly #provider: TracerProvider;
  readonly #tracer: Tracer;
  readonly #ids = new ChosenIds();
  /** Traces in progress, by request. If the fast path bails out, the slow path continues the same trace. */
  readonly #traces = new WeakMap<ArrivingRequest, StartedTrace>();

  constructor(parts: TracesParts) {
    const { terms, version, onError } = parts;
    this.#parts = parts;
    const exporter = new OTLPTraceExporter({
      ...(terms.url !== undefined && { url: terms.url }),
      timeoutMillis: exportMs,
    });
    const processor = new BatchSpanProcessor({
      exporter: reportingErrors(exporter, onError),
      maxQueueSize: spansMax,
      scheduledDelayMillis: batchDelayMs,
      exportTimeoutMillis: exportMs,
    });
    const named = resourceFromAttributes({ 'service.name': 'chat-gateway', 'service.version': version });
    const resource = defaultResource()
      .merge(named)
      .merge(detectResources({ detectors: [envDetector] }));
    // `begin` decides which requests are traced, before any span is created. The SDK must sample all spans.
    this.#provider = new TracerProvider({
      resource,
      sampler: new AlwaysOnSampler(),
      spanProcessors: [processor],
      idGenerator: this.#ids,
    });
    this.#tracer = this.#provider.getTracer('chat-gateway', version);
  }

  begin(request: ArrivingRequest): RequestTrace | undefined {
    const known = this.#traces.get(request);
    if (known) return known;
    const { terms, now } = this.#parts;
    const traceparent = request.header('traceparent');
    const parent = traceparent === undefined ? undefined : traceParent(traceparent, request.header('tracestate'));
    const isTraced = parent && terms.followsClient ? parent.traceFlags !== 0 : sampleFraction(request.id) < terms.share;
    if (!isTraced) return undefined;
    const context = parent ? trace.setSpanContext(ROOT_CONTEXT, parent) : ROOT_CONTEXT;
    const span = this.#tracer.startSpan('request', { kind: SpanKind.SERVER, startTime: now() }, context);
    const started = new StartedTrace(span);
    this.#traces.set(request, started);
    return started;
  }

  /** Called when the request has ended: creates and ends its spans. */
  served(record: RequestRecord): void {
    if (!(record.trace instanceof StartedTrace)) return;
    const { span } = record.trace;
    const { labels, surfaces } = this.#parts;
    labels.refresh();
    const surface = surfaces.of(record.surface);
    const providerOf = (upstream: string): string => providerName(labels.kindOf(upstream));
    const terms = { surface, operation: operationAt(surface), providerOf, addressOf: this.#parts.addressOf };
    const { measured } = record;
    if (measured) {
      const context = trace.setSpan(ROOT_CONTEXT, span);
      const maker = { tracer: this.#tracer, chooseId: (id: string) => this.#ids.choose(id) };
      new PartSpans(maker, context, { ...record, measured }, terms).write(measured, record);
    }
    endRequestSpan(span, record, terms);
  }

  /** Sends the remaining spans, for at most `closeMs`: an unresponsive collector must not block shutdown. */
  async stop(): Promise<void> {
    const timeout = new AbortController();
    const sent = this.#provider.shutdown().catch(this.#parts.onError);
    await Promise.race([sent, delay(closeMs, undefined, { signal: timeout.signal }).catch(() => undefined)]);
    timeout.abort();
  }
}

class StartedTrace implements RequestTrace {
  readonly span: Span;

  constructor(span: Span) {
    this.span = span;
  }

  call(): CallTrace {
    return new TracedCall(this.span.spanContext());
  }
}

function reportingErrors(exporter: OTLPTraceExporter, onError: (error: unknown) => void): SpanExporter {
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        if (result.error !== undefined) onError(result.error);
        done(result);
      }),
    shutdown: () => exporter.shutdown(),
    forceFlush: () => exporter.forceFlush(),
  };
}

/** Generates random span ids. An id sent to a provider before its span exists can be set for the next span. */
class ChosenIds implements IdGenerator {
  readonly #random = new RandomIdGenerator();
  #next: string | undefined;

  /** Call it directly before the span is created: the next span that is created gets this id. */
  choose(spanId: string): void {
    this.#next = spanId;
  }

  generateTraceId(): string {
    return this.#random.generateTraceId();
  }

  generateSpanId(): string {
    const chosen = this.#next;
    this.#next = undefined;
    return chosen ?? this.#random.generateSpanId();
  }
}
