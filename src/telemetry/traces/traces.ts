import { setTimeout as delay } from 'node:timers/promises';
import { ROOT_CONTEXT, type Span, SpanKind, trace, type Tracer } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { AlwaysOnSampler, BatchSpanProcessor, type SpanExporter, TracerProvider } from '@opentelemetry/sdk-trace';
import type { ArrivingRequest, CallTrace, RequestTrace, RequestTraces } from '../../core/request-trace.ts';
import type { RequestRecord } from '../../requests/request-record.ts';
import type { LabelValues } from '../metrics/label-values.ts';
import { providerName } from './provider-name.ts';
import { endRequestSpan, PartSpans, type SpanTerms } from './request-spans.ts';
import { sampleFraction } from './share-of.ts';
import { operationAt, type SurfaceNames } from './surface-name.ts';
import { ChosenIds } from './chosen-ids.ts';
import { traceParent } from './trace-parent.ts';
import { TracedCall } from './traced-call.ts';

/** The address of the collector, and which requests are traced. */
interface TracingTerms {
  /** The full URL of the collector. Without it, the environment variables of OpenTelemetry apply. */
  readonly url: string | undefined;
  /** The fraction of requests to trace. */
  readonly share: number;
  /** If true, a request with a `traceparent` is traced exactly if its client samples it. */
  readonly followsClient: boolean;
}

interface TracesParts {
  readonly terms: TracingTerms;
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
/** Timeout for sending one batch. */
const exportMs = 10_000;
/** The batching delay of spans. */
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

/** Wraps the exporter to report failed exports. */
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
