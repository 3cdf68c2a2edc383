import type { Clock, Timer } from '../../core/time/clock.ts';
import type { EventFlow } from '../../core/chat/event-flow.ts';
import { GatewayError } from '../../core/gateway-error.ts';
import { isContent, type StreamEvent } from '../../core/chat/stream-event.ts';
import type { EventStreamDecoder } from '../../dialects/event-stream-decoder.ts';
import { attributed } from './attribution.ts';
import { EventStreamBody } from './event-stream-body.ts';
import { type FlowSource, BufferedFlow } from './buffered-flow.ts';
import type { ResponseHandler } from '../http1/provider-connection.ts';
import type { TransportFault } from '../http1/transport-fault.ts';
import type { HttpPool, SentRequest } from '../http1/pool.ts';
import type { ResponseHead } from '../http1/response-head.ts';
import { refusal, transportError, upstreamFailed } from './refusal.ts';
import { retryAfterMs } from './retry-after.ts';
import type { AnswerTimeouts } from './answer-deadlines.ts';
import { Watchdog } from './watchdog.ts';
import { BufferedBody } from './buffered-body.ts';

/** The settings of the upstream and the decoders of its wire format. */
export interface AnswerParts {
  readonly upstream: string;
  readonly clock: Clock;
  readonly timeouts: AnswerTimeouts;
  readonly redact: (text: string) => string;
  /** Notes on what was left out of the request to the provider, for the request record. */
  readonly notes?: readonly string[];
  readonly streamDecoder: () => EventStreamDecoder;
  /** Decodes an answer that is one JSON body. */
  readonly decodeBody: (text: string) => readonly StreamEvent[];
  /** Called when the request was sent. */
  readonly sent?: (() => void) | undefined;
  /** Called when the provider refused the request, before the reason is read. */
  readonly refused?: (() => void) | undefined;
  /** When the request was sent, in the time of `clock.elapsed()`. Now if left out. */
  readonly sentMs?: number;
}

/** Sends a request and resolves with its answer as soon as the provider accepts it. */
export function openAnswer(
  pool: HttpPool,
  request: string,
  parts: AnswerParts,
  signal: AbortSignal,
): Promise<EventFlow> {
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    new ProviderAnswer(parts, signal, { resolve, reject }).send(pool, request);
  });
}

/** A call that another sender has sent. The sender passes response events to `handler`, starting with the head. */
export interface AdoptedAnswer {
  readonly handler: ResponseHandler;
  readonly flow: Promise<EventFlow>;
}

/** Like `openAnswer`, for a request that was already sent. */
export function adoptAnswer(sent: SentRequest, parts: AnswerParts, signal: AbortSignal): AdoptedAnswer {
  const { promise: flow, ...opening } = Promise.withResolvers<EventFlow>();
  const handler = new ProviderAnswer(parts, signal, opening);
  handler.adopt(sent);
  return { handler, flow };
}

const jsonBodyBytesMax = 32 * 1024 * 1024;
const refusalBytesMax = 64 * 1024;
/** How long to wait for the body of a refusal, which has the reason. */
const refusalTimeoutMs = 2000;
/** How long to wait for the end of the body after a finished answer, so that the connection can be reused. */
const drainTimeoutMs = 1000;

type Phase = 'waiting' | 'streaming' | 'collecting' | 'refused' | 'draining' | 'over';

interface AnswerOpening {
  resolve(flow: EventFlow): void;
  reject(error: unknown): void;
}

/**
 * One request to a provider: reads the response and delivers the events of the answer. Fails at most once, and closes
 * the socket then.
 */
class ProviderAnswer implements ResponseHandler, FlowSource {
  readonly #parts: AnswerParts;
  readonly #signal: AbortSignal;
  readonly #opening: AnswerOpening;
  readonly #flow = new BufferedFlow(this);
  readonly #watchdog: Watchdog;
  #phase: Phase = 'waiting';
  #sent: SentRequest | undefined;
  #status = 0;
  #retryAfter: string | undefined;
  #stream: EventStreamBody | undefined;
  #body: BufferedBody | undefined;
  #timer: Timer | undefined;
  #hasBegun = false;
  #notes: readonly string[];

  constructor(parts: AnswerParts, signal: AbortSignal, opening: AnswerOpening) {
    this.#parts = parts;
    this.#signal = signal;
    this.#opening = opening;
    this.#notes = parts.notes ?? [];
    this.#watchdog = new Watchdog(parts.clock, parts.timeouts, this.#timedOut, parts.sentMs);
    signal.addEventListener('abort', this.#aborted);
  }

  send(pool: HttpPool, request: string): void {
    this.#sent = pool.send(request, this);
  }

  adopt(sent: SentRequest): void {
    this.#sent = sent;
    if (this.#signal.aborted) this.#aborted();
  }

  sent(): void {
    this.#parts.sent?.();
  }

  head(head: ResponseHead): void {
    const { status } = head;
    const type = head.header('content-type')?.split(';', 1)[0]?.trim().toLowerCase();
    this.#status = status;
    this.#retryAfter = head.header('retry-after');
    if (status !== 200) this.#parts.refused?.();
    if (status >= 400) this.#refuse();
    else if (status !== 200)
      this.#fail(this.#refusal(status < 300 ? 'an unexpected status' : 'a redirect, which is not followed'));
    else if (type === 'text/event-stream') this.#accept();
    else if (type === 'application/json') this.#collect('collecting', jsonBodyBytesMax);
    else this.#fail(upstreamFailed(`it answered with ${type || 'no content type'} instead of an event stream`));
  }

  data(bytes: Buffer): void {
    try {
      if (this.#stream) this.#read(this.#stream, bytes);
      else if (this.#body) this.#keep(this.#body, bytes);
    } catch (error) {
      this.#fail(error);
    }
  }

  end(): void {
    try {
      if (this.#phase === 'streaming') this.#finish(this.#stream?.end() ?? []);
      else if (this.#phase === 'collecting') this.#decodeBody(this.#body?.text() ?? '');
      else if (this.#phase === 'refused') return this.#fail(this.#refusal());
      this.#close();
    } catch (error) {
      this.#fail(error);
    }
  }

  fail(fault: TransportFault): void {
    if (this.#phase === 'refused') return this.#fail(this.#refusal());
    this.#fail(transportError(fault));
  }

  pause(): void {
    this.#watchdog.pause();
    this.#sent?.pause();
  }

  resume(): void {
    this.#watchdog.resume();
    this.#sent?.resume();
  }

  cancel(): void {
    this.#close();
  }

  #accept(): void {
    this.#phase = 'streaming';
    this.#stream = new EventStreamBody(this.#parts.streamDecoder());
    this.#opening.resolve(this.#flow);
  }

  #read(stream: EventStreamBody, bytes: Buffer): void {
    if (this.#phase !== 'streaming') return;
    this.#deliver(stream.push(bytes));
    if (!this.#hasBegun && stream.isHolding) this.#begin();
    if (stream.isAlive) this.#watchdog.keepAlive();
    if (!stream.isDone) return;
    this.#finish(stream.end());
    this.#drain();
  }

  #deliver(events: readonly StreamEvent[]): void {
    if (events.length === 0) return;
    if (!this.#hasBegun && events.some(isContent)) this.#begin();
    const notes = this.#notes.map((what): StreamEvent => ({ type: 'anomaly', what }));
    this.#notes = [];
    this.#flow.deliver(notes.length > 0 ? [...notes, ...events] : events);
  }

  #begin(): void {
    this.#watchdog.begin();
    this.#hasBegun = true;
  }

  #finish(lastEvents: readonly StreamEvent[]): void {
    this.#deliver(lastEvents);
    this.#flow.end();
  }

  /**
   * The end of the body usually arrives in the same read as the end of the answer. If not, wait for it with a timeout.
   */
  #drain(): void {
    if (this.#phase === 'over') return;
    this.#phase = 'draining';
    // The answer is complete: the timeouts of the answer do not apply to the end of the body.
    this.#watchdog.stop();
    this.#sent?.resume();
    queueMicrotask(() => {
      if (this.#phase === 'draining') this.#timer = this.#parts.clock.after(drainTimeoutMs, () => this.#close());
    });
  }

  #refuse(): void {
    this.#collect('refused', refusalBytesMax);
    this.#timer = this.#parts.clock.after(refusalTimeoutMs, () => this.#fail(this.#refusal()));
  }

  #collect(phase: 'collecting' | 'refused', bytesMax: number): void {
    this.#phase = phase;
    this.#body = new BufferedBody(bytesMax);
  }

  #keep(body: BufferedBody, bytes: Buffer): void {
    body.push(bytes);
    if (!body.isTooLarge) return;
    this.#fail(
      this.#phase === 'refused'
        ? this.#refusal()
        : upstreamFailed(`its answer is larger than ${jsonBodyBytesMax} bytes`),
    );
  }

  #decodeBody(text: string): void {
    const events = this.#parts.decodeBody(text);
    this.#opening.resolve(this.#flow);
    this.#finish(events);
  }

  /** Never throws, because timers call it too. */
  #refusal(text = this.#body?.text() ?? ''): GatewayError {
    try {
      return this.#readRefusal(text);
    } catch (cause) {
      return new GatewayError('upstream-failed', { cause });
    }
  }

  #readRefusal(text: string): GatewayError {
    return refusal(this.#parts, this.#status, text, retryAfterMs(this.#retryAfter, this.#parts.clock.now()));
  }

  readonly #timedOut = (message: string): void => {
    this.#fail(new GatewayError('upstream-timeout', { cause: new Error(message) }));
  };

  /** While draining, the answer is complete: ignore the abort and keep the connection until the body ends. */
  readonly #aborted = (): void => {
    if (this.#phase !== 'draining') this.#fail(this.#signal.reason);
  };

  #fail(error: unknown): void {
    const phase = this.#phase;
    this.#close();
    if (phase === 'over' || phase === 'draining') return;
    const attributedError = attributed(error, this.#parts.upstream, this.#parts.redact);
    if (phase === 'streaming') this.#flow.fail(attributedError);
    else this.#opening.reject(attributedError);
  }

  #close(): void {
    this.#phase = 'over';
    this.#watchdog.stop();
    this.#parts.clock.cancel(this.#timer);
    this.#signal.removeEventListener('abort', this.#aborted);
    this.#sent?.destroy();
  }
}
