import type { Timer } from '../../../core/time/clock.ts';
import type { EventFlow } from 'chat-formats/chat/event-flow.ts';
import { GatewayError } from 'chat-formats/gateway-error.ts';
import { isContent, type StreamEvent } from 'chat-formats/chat/stream-event.ts';
import type { EventStreamDecoder } from 'chat-formats/event-stream-decoder.ts';
import { attributed } from './attribution.ts';
import { type Utf8Reader, utf8Reader } from './utf8.ts';
import { type FlowSource, BufferedFlow } from './buffered-flow.ts';
import type { ResponseHandler } from '../http1/provider-connection.ts';
import type { TransportFault } from '../http1/transport-fault.ts';
import type { HttpPool, SentRequest } from '../http1/pool.ts';
import type { ResponseHead } from '../http1/response-head.ts';
import { transportError, upstreamFailed } from './refusal.ts';
import { BufferedBody, type CallParts, type Opening, RefusedResponse } from './refused-response.ts';
import { Watchdog } from './watchdog.ts';

/** The settings of the upstream and the decoders of its wire format. */
export interface AnswerParts extends CallParts {
  /** Notes on what was left out of the request to the provider, for the request record. */
  readonly notes?: readonly string[];
  readonly streamDecoder: () => EventStreamDecoder;
  readonly decodeBody: (text: string) => readonly StreamEvent[];
  readonly framing?: Framing;
  /** When the request was sent, in the time of `clock.elapsed()`. Now if left out. */
  readonly sentMs?: number;
}

/** A stream whose events are in binary frames: its content type, and the reader of their text. */
export interface Framing {
  readonly contentType: string;
  readonly reader: () => Utf8Reader;
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
/** How long to wait for the end of the body after a finished answer, so that the connection can be reused. */
const drainTimeoutMs = 1000;

type Phase = 'waiting' | 'streaming' | 'collecting' | 'draining' | 'over';

/** One request to a provider and its answer. Fails at most once, and closes the socket then. */
class ProviderAnswer implements ResponseHandler, FlowSource {
  readonly #parts: AnswerParts;
  readonly #signal: AbortSignal;
  readonly #opening: Opening<EventFlow>;
  readonly #flow = new BufferedFlow(this);
  readonly #watchdog: Watchdog;
  #phase: Phase = 'waiting';
  #sent: SentRequest | undefined;
  #refused: RefusedResponse | undefined;
  #stream: EventStreamDecoder | undefined;
  #text: Utf8Reader = utf8Reader();
  #body: BufferedBody | undefined;
  #timer: Timer | undefined;
  #hasBegun = false;
  #notes: readonly string[];

  constructor(parts: AnswerParts, signal: AbortSignal, opening: Opening<EventFlow>) {
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
    if (status !== 200) this.#refused = new RefusedResponse(head, this.#parts, (error) => this.#fail(error));
    else if (type === 'text/event-stream') this.#accept();
    else if (type !== undefined && type === this.#parts.framing?.contentType) this.#acceptFrames(this.#parts.framing);
    else if (type === 'application/json') this.#collect();
    else this.#fail(upstreamFailed(`it answered with ${type || 'no content type'} instead of an event stream`));
  }

  data(bytes: Buffer): void {
    try {
      if (this.#stream) this.#read(this.#stream, bytes);
      else if (this.#body) this.#keep(this.#body, bytes);
      else this.#refused?.push(bytes);
    } catch (error) {
      this.#fail(error);
    }
  }

  end(): void {
    try {
      if (this.#phase === 'streaming' && this.#stream) this.#finishStream(this.#stream);
      else if (this.#phase === 'collecting') this.#decodeBody(this.#body?.text() ?? '');
      else if (this.#refused) return this.#refused.end();
      this.#close();
    } catch (error) {
      this.#fail(error);
    }
  }

  fail(fault: TransportFault): void {
    if (this.#refused) this.#refused.end();
    else this.#fail(transportError(fault));
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

  #acceptFrames({ reader }: Framing): void {
    this.#text = reader();
    this.#accept();
  }

  #accept(): void {
    this.#phase = 'streaming';
    this.#stream = this.#parts.streamDecoder();
    this.#opening.resolve(this.#flow);
  }

  /** The events of one read are one batch. */
  #read(stream: EventStreamDecoder, bytes: Buffer): void {
    if (this.#phase !== 'streaming') return;
    this.#deliver(stream.push(this.#text.push(bytes)));
    if (!this.#hasBegun && stream.isHolding) this.#begin();
    if (stream.isAlive) this.#watchdog.keepAlive();
    if (!stream.isDone) return;
    this.#finishStream(stream);
    this.#drain();
  }

  /** Throws unless the answer is complete. */
  #finishStream(stream: EventStreamDecoder): void {
    const rest = this.#text.end();
    const events = rest === '' ? [] : stream.push(rest);
    this.#finish([...events, ...stream.end()]);
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

  /** The end of the body usually arrives in the same read. If not, wait for it with a timeout. */
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

  #collect(): void {
    this.#phase = 'collecting';
    this.#body = new BufferedBody(jsonBodyBytesMax);
  }

  #keep(body: BufferedBody, bytes: Buffer): void {
    body.push(bytes);
    if (body.isTooLarge) this.#fail(upstreamFailed(`its answer is larger than ${jsonBodyBytesMax} bytes`));
  }

  #decodeBody(text: string): void {
    const events = this.#parts.decodeBody(text);
    this.#opening.resolve(this.#flow);
    this.#finish(events);
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
    this.#refused?.cancel();
    this.#parts.clock.cancel(this.#timer);
    this.#signal.removeEventListener('abort', this.#aborted);
    this.#sent?.destroy();
  }
}
