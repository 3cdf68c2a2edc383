import type { LanguageModelV4StreamPart, LanguageModelV4StreamResult } from '@ai-sdk/provider';
import type { EventFlow } from '../../core/chat/event-flow.ts';
import { GatewayError } from '../../core/gateway-error.ts';
import { isContent } from '../../core/chat/stream-event.ts';
import { attributed } from '../answer/attribution.ts';
import { BufferedFlow, type FlowSource } from '../answer/buffered-flow.ts';
import type { CallParts, Opening } from '../answer/refused-response.ts';
import { Watchdog } from '../answer/watchdog.ts';
import type { BridgeCall } from './bridge-http.ts';
import { type PartDecoder, StreamedError } from './part-decoder.ts';
import { decodeErrorObject } from '../../dialects/chat-completions/answer/decode-error.ts';
import { isObject, nonEmptyString, objectOf, type WireObject } from '../../dialects/wire-value.ts';
import { refusal } from '../answer/refusal.ts';

interface BridgeAnswerParts extends CallParts {
  readonly network: BridgeCall;
  readonly decoder: PartDecoder;
}

type PartReader = ReadableStreamDefaultReader<LanguageModelV4StreamPart>;
type ReadResult = Awaited<ReturnType<PartReader['read']>>;
type StreamStarter = (signal: AbortSignal) => PromiseLike<LanguageModelV4StreamResult>;

/** Calls a provider through its package and resolves with the answer as soon as the provider accepts the request. */
export function openBridgeAnswer(
  startStream: StreamStarter,
  parts: BridgeAnswerParts,
  signal: AbortSignal,
): Promise<EventFlow> {
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    new BridgeAnswer(parts, signal, { resolve, reject }).start(startStream);
  });
}

/** One answer read through a provider package. Fails at most once, and closes the socket then. */
class BridgeAnswer implements FlowSource {
  readonly #parts: BridgeAnswerParts;
  readonly #signal: AbortSignal;
  readonly #opening: Opening<EventFlow>;
  readonly #flow = new BufferedFlow(this);
  readonly #watchdog: Watchdog;
  readonly #abort = new AbortController();
  #reader: PartReader | undefined;
  #phase: 'waiting' | 'streaming' | 'over' = 'waiting';
  #hasBegun = false;
  #isPaused = false;
  #isReading = false;
  #isDeliveryDue = false;

  constructor(parts: BridgeAnswerParts, signal: AbortSignal, opening: Opening<EventFlow>) {
    this.#parts = parts;
    this.#signal = signal;
    this.#opening = opening;
    this.#watchdog = new Watchdog(parts.clock, parts.timeouts, this.#timedOut);
    signal.addEventListener('abort', this.#aborted);
  }

  start(startStream: StreamStarter): void {
    const started = new Promise<LanguageModelV4StreamResult>((resolve) => resolve(startStream(this.#abort.signal)));
    started.then(this.#accepted).catch(this.#failedWith);
  }

  pause(): void {
    this.#isPaused = true;
    this.#watchdog.pause();
  }

  resume(): void {
    this.#isPaused = false;
    this.#watchdog.resume();
    this.#read();
  }

  cancel(): void {
    this.#close();
  }

  readonly #accepted = ({ stream }: LanguageModelV4StreamResult): void => {
    if (this.#phase === 'over') return;
    this.#reader = stream.getReader();
    this.#phase = 'streaming';
    this.#opening.resolve(this.#flow);
    this.#read();
  };

  #read(): void {
    if (this.#isReading || this.#isPaused || this.#phase !== 'streaming') return;
    this.#isReading = true;
    this.#reader?.read().then(this.#received, this.#failedWith);
  }

  readonly #received = ({ done, value }: ReadResult): void => {
    this.#isReading = false;
    if (this.#phase !== 'streaming') return;
    try {
      if (done) return this.#finish();
      this.#parts.network.eventRead();
      this.#parts.decoder.push(value);
      if (value.type !== 'ping') this.#watchdog.keepAlive();
      this.#deliverSoon();
      this.#read();
    } catch (error) {
      this.#failedWith(error);
    }
  };

  /** The parts of one socket read arrive one by one. `nextTick` runs after the last: together they are one batch. */
  #deliverSoon(): void {
    if (this.#isDeliveryDue) return;
    this.#isDeliveryDue = true;
    process.nextTick(this.#deliver);
  }

  readonly #deliver = (): void => {
    this.#isDeliveryDue = false;
    try {
      const events = this.#parts.decoder.take();
      if (events.length === 0 || this.#phase !== 'streaming') return;
      if (!this.#hasBegun && events.some(isContent)) {
        this.#hasBegun = true;
        this.#watchdog.begin();
      }
      this.#flow.deliver(events);
    } catch (error) {
      this.#fail(error);
    }
  };

  #finish(): void {
    if (!this.#parts.decoder.isDone) return this.#failedWith(new Error('the stream ended before the answer did'));
    this.#deliver();
    if (this.#phase !== 'streaming') return;
    this.#close();
    this.#flow.end();
  }

  readonly #failedWith = (thrown: unknown): void => {
    if (this.#phase === 'over') return;
    this.#deliver();
    this.#fail(this.#parts.network.failure ?? this.#failureOf(thrown));
  };

  /** Called from a promise that nothing awaits, so it must not throw, regardless of what a package threw. */
  #failureOf(thrown: unknown): unknown {
    try {
      return bridgeFailure(thrown, this.#parts);
    } catch (error) {
      return error;
    }
  }

  readonly #timedOut = (message: string): void => {
    this.#fail(new GatewayError('upstream-timeout', { cause: new Error(message) }));
  };

  readonly #aborted = (): void => {
    this.#fail(this.#signal.reason);
  };

  #fail(error: unknown): void {
    const phase = this.#phase;
    if (phase === 'over') return;
    this.#close();
    const attributedError = attributed(error, this.#parts.upstream, this.#parts.redact);
    if (phase === 'streaming') this.#flow.fail(attributedError);
    else this.#opening.reject(attributedError);
  }

  #close(): void {
    this.#phase = 'over';
    this.#watchdog.stop();
    this.#signal.removeEventListener('abort', this.#aborted);
    this.#parts.network.destroy();
    this.#abort.abort();
  }
}

/** Maps an error of a provider package to the error that other upstreams return. */
function bridgeFailure(thrown: unknown, upstream: BridgeAnswerParts): GatewayError {
  const error = thrown instanceof StreamedError ? thrown.error : thrown;
  if (error instanceof GatewayError) return error;
  const fields: WireObject = isObject(error) ? error : {};
  const refused = unsupportedInput(fields) ?? streamedRefusal(fields, upstream);
  return refused ?? new GatewayError('upstream-failed', { cause: new Error(messageOf(error, fields)) });
}

/** Packages validate their input and name the parts that their provider does not support. */
function unsupportedInput({ name, functionality, argument }: WireObject): GatewayError | undefined {
  const what = nonEmptyString(functionality) ?? nonEmptyString(argument);
  if (typeof name !== 'string' || !/^AI_(UnsupportedFunctionality|InvalidPrompt|InvalidArgument)/.test(name)) {
    return undefined;
  }
  const detail = `The provider of this model does not support this request${what === undefined ? '' : `: ${what}`}.`;
  return new GatewayError('invalid-request', { detail });
}

/** An error that the provider sent inside its stream, mapped to the status it would have had before the stream. */
function streamedRefusal(fields: WireObject, upstream: BridgeAnswerParts): GatewayError | undefined {
  const { statusCode, data, responseBody } = fields;
  if (typeof statusCode === 'number' && statusCode >= 400) {
    const text = nonEmptyString(responseBody) ?? JSON.stringify({ error: { ...fields, ...objectOf(data) } });
    return refusal(upstream, statusCode, text);
  }
  return isPackageError(fields) ? undefined : decodeErrorObject({ error: data ?? fields });
}

/** Errors of the packages themselves, about bytes that are not an answer. */
function isPackageError({ name }: WireObject): boolean {
  return name !== undefined;
}

const wordsMax = 1000;

function messageOf(error: unknown, { message }: WireObject): string {
  return (nonEmptyString(message) ?? String(error)).slice(0, wordsMax);
}
