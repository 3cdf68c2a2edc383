import { anomalies } from '../../anomaly.ts';
import type { FinishReason, StreamEvent } from '../../chat/stream-event.ts';
import { NamedEventDecoder, type NamedEventDecoding, NamedEventStreamDecoder } from '../../named-event-stream.ts';
import { cutShort, upstreamFailed } from '../../provider-failure.ts';
import { listOf, objectOf, type WireObject, nonEmptyString, isObject, parsedJson } from '../../wire-value.ts';
import { type ContentBlock, contentBlock } from './content-block.ts';
import { decodeUsage, decodeUsageSoFar } from './usage.ts';
import { decodeStopReason, messageStopFrame } from './message-frames.ts';
import type { EventStreamDecoder } from '../../event-stream-decoder.ts';
import type { ErrorCase } from '../../error-table.ts';
import { GatewayError } from '../../gateway-error.ts';
import { decodeErrorCode, decodeErrorObject, ProviderError } from '../../chat-completions/answer/decode-error.ts';

/** Clients see this word, so its length is limited. */
const stopReasonMax = 64;

export class MessageDecoder extends NamedEventDecoder {
  /** Open blocks by index. Providers should have only one open at a time. */
  readonly #open = new Map<unknown, ContentBlock>();
  #hasBegun = false;
  #stopReason: string | undefined;
  #stopSequence: string | undefined;
  #startUsage: WireObject | undefined;
  #endUsage: WireObject | undefined;
  /** Ids of things that the provider stores. */
  readonly #stored = new Set<string>();
  isStopped = false;

  get isEnding(): boolean {
    return this.#stopReason !== undefined;
  }

  push(type: string | undefined, event: WireObject, events: StreamEvent[]): void {
    switch (type) {
      case 'message_start':
        return this.#start(objectOf(event.message) ?? {}, events);
      case 'content_block_start':
        return this.#startBlock(event, events);
      case 'content_block_delta':
        return this.#pushDelta(event, events);
      case 'content_block_stop':
        return this.#stopBlock(event.index, events);
      case 'message_delta':
        return this.#applyMessageDelta(event);
      case 'message_stop':
        this.isStopped = true;
        return;
      case 'ping':
        return;
      default:
        if (isMessagesError(event)) throw decodeMessagesError(event);
        return this.decoding.onUnsupported('an event', type);
    }
  }

  end(events: StreamEvent[]): void {
    if (!this.#hasBegun || (!this.isStopped && !this.isEnding)) throw cutShort();
    for (const index of this.#open.keys()) this.#stopBlock(index, events);
    const raw = this.#stopReason ?? 'end_turn';
    const finish = { type: 'finish' as const, choice: 0, reason: this.#agreedReason(decodeStopReason(raw)), raw };
    events.push(this.#stopSequence === undefined ? finish : { ...finish, stopSequence: this.#stopSequence });
    const usage = decodeUsage(this.#startUsage, this.#endUsage, this.decoding.onAnomaly, this.unsplit);
    const stored = this.#stored.size > 0 ? { stored: [...this.#stored] } : {};
    if (usage) events.push({ type: 'usage', usage: { ...usage, ...stored } });
    for (const what of this.anomalies) events.push({ type: 'anomaly', what });
  }

  #store(id: unknown): void {
    if (typeof id === 'string' && id !== '' && this.#stored.size < storedMax) this.#stored.add(id);
  }

  /** If the provider announced tool calls but sent none, the reason is `stop`. */
  #agreedReason(reason: FinishReason): FinishReason {
    if (reason !== 'tool-calls' || this.calls > 0) return reason;
    this.note(anomalies.announcedCall);
    return 'stop';
  }

  #start(message: WireObject, events: StreamEvent[]): void {
    if (this.#startUsage) return this.note('a second message_start');
    this.#hasBegun = true;
    this.answeredAs?.(nonEmptyString(message.id) ?? '');
    this.#startUsage = objectOf(message.usage) ?? {};
    this.#store(objectOf(message.container)?.id);
    const usage = decodeUsageSoFar(this.#startUsage, this.unsplit);
    if (usage && usage.promptTokens > 0) events.push({ type: 'usage-so-far', usage });
  }

  #startBlock({ index, content_block }: WireObject, events: StreamEvent[]): void {
    this.#hasBegun = true;
    this.#stopBlock(index, events);
    for (const file of filesIn(content_block)) this.#store(file);
    this.#open.set(index, contentBlock(objectOf(content_block) ?? {}, this.decoding, events));
  }

  #pushDelta({ index, delta: wire }: WireObject, events: StreamEvent[]): void {
    const delta = objectOf(wire) ?? {};
    const block = this.#open.get(index) ?? this.#startMissingBlock(index, delta.type, events);
    block?.delta(delta, events);
  }

  /** Text in a block that has not started, or that has already ended, is kept. */
  #startMissingBlock(index: unknown, deltaType: unknown, events: StreamEvent[]): ContentBlock | undefined {
    if (deltaType === 'input_json_delta') this.note('arguments without a call');
    const type = textBlockTypes.get(deltaType);
    if (type === undefined) return undefined;
    this.note('a delta without an open block');
    this.#startBlock({ index, content_block: { type } }, events);
    return this.#open.get(index);
  }

  #stopBlock(index: unknown, events: StreamEvent[]): void {
    this.#open.get(index)?.stop(events);
    this.#open.delete(index);
  }

  #applyMessageDelta({ delta, usage }: WireObject): void {
    const { stop_reason, stop_sequence, container } = objectOf(delta) ?? {};
    this.#store(objectOf(container)?.id);
    this.#hasBegun = true;
    this.#stopReason = nonEmptyString(stop_reason)?.slice(0, stopReasonMax) ?? this.#stopReason;
    this.#stopSequence = nonEmptyString(stop_sequence) ?? this.#stopSequence;
    this.#endUsage = objectOf(usage) ?? this.#endUsage;
  }
}

/** More things than an answer creates. */
const storedMax = 256;

/** Files that a tool of the provider has written. */
function filesIn(block: unknown): readonly unknown[] {
  const outputs = listOf(objectOf(objectOf(block)?.content)?.content);
  return outputs.map((output) => objectOf(output)?.file_id);
}

const textBlockTypes: ReadonlyMap<unknown, string> = new Map<unknown, string>(
  Object.entries({ text_delta: 'text', thinking_delta: 'thinking' }),
);

export function messagesStreamDecoder(decoding: NamedEventDecoding): EventStreamDecoder {
  return new NamedEventStreamDecoder({
    answer: new MessageDecoder(decoding),
    isVerbatim: decoding.isVerbatim,
    pings: new Set(['ping']),
    openings: new Set(['message_start']),
    decodeError: decodeMessagesError,
    stop: { name: 'message_stop', frame: messageStopFrame },
  });
}

/** Decodes a complete message as a stream whose blocks have all content in their start events. */
export function decodeMessagesBody(text: string, options: NamedEventDecoding): readonly StreamEvent[] {
  const body = parsedJson(text);
  if (isObject(body) && isMessagesError(body)) throw decodeMessagesError(body);
  if (!isObject(body) || !Array.isArray(body.content)) throw upstreamFailed("The provider's answer is not a message.");
  const events: StreamEvent[] = options.isVerbatim ? [{ type: 'verbatim', text }] : [];
  options.answeredAs?.(nonEmptyString(body.id) ?? '');
  const message = new MessageDecoder(options);
  for (const event of eventsOf(body, body.content)) message.push(event.type, event, events);
  message.end(events);
  return events;
}

/** The usage comes only at the end: for one body, the usage so far has no use. */
function* eventsOf({ stop_reason, stop_sequence, container, usage }: WireObject, content: readonly unknown[]) {
  for (const [index, content_block] of content.entries()) {
    yield { type: 'content_block_start', index, content_block };
    yield { type: 'content_block_stop', index };
  }
  yield { type: 'message_delta', delta: { stop_reason, stop_sequence, container }, usage };
  yield { type: 'message_stop' };
}

export function decodeMessagesError(payload: unknown): GatewayError {
  const error = errorIn(payload);
  const [status, errorCase] = kinds.get(nonEmptyString(error.type) ?? '') ?? unknownKind(error);
  const code = errorCase === 'upstream-rejected' ? decodeErrorCode(error) : undefined;
  const text = (typeof payload === 'string' ? payload : JSON.stringify(payload)).slice(0, textCharactersMax);
  return new GatewayError(errorCase, { code, cause: new ProviderError(status, text) });
}

function isMessagesError(wire: WireObject): boolean {
  return wire.type === 'error' || Boolean(wire.error);
}

/** Enough for a log entry to show the cause. */
const textCharactersMax = 2000;

function errorIn(payload: unknown): WireObject {
  const wire = objectOf(payload) ?? {};
  return objectOf(wire.error) ?? wire;
}

/** Errors in other formats, which proxies and compatible providers send. */
function unknownKind(error: WireObject): ErrorKind {
  const { case: errorCase = 'upstream-failed', cause } = decodeErrorObject({ error }) ?? {};
  if (cause instanceof ProviderError) return [cause.status, errorCase];
  return [errorCase === 'upstream-rejected' ? 400 : 500, errorCase];
}

type ErrorKind = readonly [status: number, errorCase: ErrorCase];

/** The status outside of a stream, and the error case, which decides whether another provider may succeed. */
const kinds: ReadonlyMap<string, ErrorKind> = new Map([
  ['invalid_request_error', [400, 'upstream-rejected']],
  ['authentication_error', [401, 'upstream-failed']],
  ['billing_error', [402, 'upstream-failed']],
  ['permission_error', [403, 'upstream-failed']],
  ['not_found_error', [404, 'upstream-rejected']],
  ['request_too_large', [413, 'upstream-rejected']],
  ['rate_limit_error', [429, 'upstream-failed']],
  ['api_error', [500, 'upstream-failed']],
  ['timeout_error', [504, 'upstream-timeout']],
  ['overloaded_error', [529, 'upstream-failed']],
]);
