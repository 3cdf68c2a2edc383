import { setTimeout as delay } from 'node:timers/promises';
import { ROOT_CONTEXT, type Span, SpanKind, trace, type Tracer } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { AlwaysOnSampler, BatchSpanProcessor, type SpanExporter, TracerProvider } from '@opentelemetry/sdk-trace';
import type { ArrivingRequest, CallTrace, RequestTrace, RequestTraces } from '../core/request-trace.ts';
import type { RequestRecord } from '../requests/request-record.ts';
import type { LabelValues } from './label-values.ts';
import { providerName } from './provider-name.ts';
import { endRequestSpan, PartSpans, type SpanTerms } from './request-spans.ts';
import { shareOf } from './share-of.ts';
import { operationAt, type SurfaceNames } from './surface-name.ts';
import { ChosenIds } from './chosen-ids.ts';
import { traceParent } from './trace-parent.ts';
import { TracedCall } from './traced-call.ts';

/** Where traces go, and of which requests. */
interface TracingTerms {
  /** The whole address; without one, what the environment says counts. */
  readonly url: string | undefined;
  /** The part of requests that is traced. */
  readonly share: number;
  /** Whether a request that comes with a trace is traced if its client traces it, and only then. */
  readonly followsClient: boolean;
}

interface TracesParts {
  readonly terms: TracingTerms;
  readonly version: string;
  readonly labels: LabelValues;
  readonly surfaces: SurfaceNames;
  readonly now: () => number;
  readonly addressOf: SpanTerms['addressOf'];
  /** Hears that spans could not be sent. */
  readonly onError: (error: unknown) => void;
}

/** Spans kept in memory while nobody takes them; more are dropped, and nobody waits. */
const spansMax = 4096;
/** How long one batch may take, and how long the last ones may when the process ends. */
const exportMs = 10_000;
/** How long spans wait for company. */
const gatherMs = 1000;
const closeMs = 2000;

/**
 * Traces of requests, sent to a receiver of OTLP behind everybody's back. This module is loaded only where there is one.
 * Whether a request is traced follows from its id, so that whoever asks again hears the same.
 */
export class Traces implements RequestTraces {
  readonly #parts: TracesParts;
  readonly #provider: TracerProvider;
  readonly #tracer: Tracer;
  readonly #ids = new ChosenIds();
  /** Those that have begun. Who looks at a request and leaves it to somebody else leaves its trace too. */
  readonly #begun = new WeakMap<ArrivingRequest, BegunTrace>();

  constructor(parts: TracesParts) {
    const { terms, version, onError } = parts;
    this.#parts = parts;
    const exporter = new OTLPTraceExporter({
      ...(terms.url !== undefined && { url: terms.url }),
      timeoutMillis: exportMs,
    });
    const processor = new BatchSpanProcessor({
      exporter: telling(exporter, onError),
      maxQueueSize: spansMax,
      scheduledDelayMillis: gatherMs,
      exportTimeoutMillis: exportMs,
    });
    const named = resourceFromAttributes({ 'service.name': 'chat-gateway', 'service.version': version });
    const resource = defaultResource()
      .merge(named)
      .merge(detectResources({ detectors: [envDetector] }));
    // Who is traced is decided here, before anything is made.
    this.#provider = new TracerProvider({
      resource,
      sampler: new AlwaysOnSampler(),
      spanProcessors: [processor],
      idGenerator: this.#ids,
    });
    this.#tracer = this.#provider.getTracer('chat-gateway', version);
  }

  begin(request: ArrivingRequest): RequestTrace | undefined {
    const begun = this.#begun.get(request);
    if (begun) return begun;
    const { terms, now } = this.#parts;
    const said = request.header('traceparent');
    const parent = said === undefined ? undefined : traceParent(said, request.header('tracestate'));
    const isTraced = parent && terms.followsClient ? parent.traceFlags !== 0 : shareOf(request.id) < terms.share;
    if (!isTraced) return undefined;
    const context = parent ? trace.setSpanContext(ROOT_CONTEXT, parent) : ROOT_CONTEXT;
    const span = this.#tracer.startSpan('request', { kind: SpanKind.SERVER, startTime: now() }, context);
    const fresh = new BegunTrace(span);
    this.#begun.set(request, fresh);
    return fresh;
  }

  /** The request is over. */
  served(record: RequestRecord): void {
    if (!(record.trace instanceof BegunTrace)) return;
    const { span } = record.trace;
    const { labels, surfaces } = this.#parts;
    labels.look();
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

  /** Sends what is left. A receiver that does not answer keeps nobody from ending. */
  async stop(): Promise<void> {
    const isOver = new AbortController();
    const sent = this.#provider.shutdown().catch(this.#parts.onError);
    await Promise.race([sent, delay(closeMs, undefined, { signal: isOver.signal }).catch(() => undefined)]);
    isOver.abort();
  }
}

/** A request that is being traced. */
class BegunTrace implements RequestTrace {
  readonly span: Span;

  constructor(span: Span) {
    this.span = span;
  }

  call(): CallTrace {
    return new TracedCall(this.span.spanContext());
  }
}

/** The exporter, with somebody who hears of what it could not send. */
function telling(exporter: OTLPTraceExporter, onError: (error: unknown) => void): SpanExporter {
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
