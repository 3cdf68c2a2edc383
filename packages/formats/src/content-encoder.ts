import { JsonScanner } from './json/json-scanner.ts';
import type { DeltaEvent } from './chat-completions/answer/stream-encoder.ts';
import type { Logprobs, OwnBlock } from './chat/stream-event.ts';
import { upstreamFailed } from './provider-failure.ts';

/** The same limit as for one event of a provider. */
const queuedCharactersMax = 8 * 1024 * 1024;

type CallStart = Extract<DeltaEvent, { type: 'tool-call-start' }>;
type CallDelta = Extract<DeltaEvent, { type: 'tool-call-delta' }>;
type ContentDelta = Exclude<DeltaEvent, CallStart | CallDelta>;

interface EncodedToolCall {
  readonly start: CallStart;
  readonly end: JsonObjectEnd;
  /** Arguments that arrived while the call was queued. */
  pieces: string[];
  hasArguments: boolean;
  state: 'queued' | 'open' | 'closed';
}

/** Writes parts of an answer that never overlap: starting a part ends the one before it. */
export interface ContentWriter {
  text(text: string, logprobs: Logprobs | undefined): string;
  thinking(text: string): string;
  signature(signature: string): string;
  redactedThinking(data: string): string;
  /** A block of the writer's own format, written unchanged. */
  completeBlock(block: NonNullable<OwnBlock['block']>): string;
  toolUse(id: string, name: string): string;
  /** A piece of the input of the tool that started last. */
  input(json: string): string;
  /** Called when the input of the tool that started last is complete. */
  onInputComplete?(): string;
  /** `isTruncated`: the answer ended before its last part was complete. */
  close(isTruncated?: boolean): string;
}

/**
 * Arranges the content of an answer in parts that never overlap. A call ends when its arguments are a complete object.
 * Until then all other content is queued, because providers may interleave the pieces of parallel calls. If the queue
 * grows too long, the open call is closed: most calls that are still incomplete get no more arguments. If such a call
 * does get more, the answer fails.
 */
export class ContentEncoder {
  readonly #writer: ContentWriter;
  readonly #calls = new Map<number, EncodedToolCall>();
  #open: EncodedToolCall | undefined;
  #queue: (EncodedToolCall | ContentDelta)[] = [];
  /** The number of items at the start of the queue that are already encoded. */
  #encodedCount = 0;
  #queuedCharacters = 0;

  constructor(writer: ContentWriter) {
    this.#writer = writer;
  }

  get hasCalledTools(): boolean {
    return this.#calls.size > 0;
  }

  encode(event: DeltaEvent): string {
    if (event.type === 'tool-call-delta') return this.#encodeArguments(event);
    if (event.type === 'tool-call-start') return this.#startCall(event);
    if (this.#isBusy) return this.#enqueue(event);
    this.#closeCall();
    return this.#write(event);
  }

  /** Encodes all queued items and ends the last part. */
  end(isTruncated = false): string {
    let text = '';
    while (this.#encodedCount < this.#queue.length) text += this.#encodeNext();
    return text + this.#writer.close(isTruncated);
  }

  get #isBusy(): boolean {
    return this.#open !== undefined && !this.#open.end.isComplete;
  }

  #write(event: ContentDelta): string {
    switch (event.type) {
      case 'text-delta':
        return event.text === '' ? '' : this.#writer.text(event.text, event.logprobs);
      case 'reasoning-delta':
        return event.text === '' ? '' : this.#writer.thinking(event.text);
      case 'reasoning-signature':
        return this.#writer.signature(event.signature);
      case 'redacted-reasoning':
        return this.#writer.redactedThinking(event.data);
      case 'own-block':
        return event.block ? this.#writer.completeBlock(event.block) : '';
      default:
        return event satisfies never;
    }
  }

  #startCall(start: CallStart): string {
    if (this.#calls.has(start.call)) return '';
    const call: EncodedToolCall = { start, end: new JsonObjectEnd(), pieces: [], hasArguments: false, state: 'queued' };
    this.#calls.set(start.call, call);
    if (this.#isBusy) return this.#enqueue(call);
    this.#closeCall();
    return this.#openCall(call);
  }

  #openCall(call: EncodedToolCall): string {
    const { id, name } = call.start;
    call.state = 'open';
    this.#open = call;
    const json = call.pieces.join('');
    call.pieces = [];
    const opened = this.#writer.toolUse(id, name) + (json === '' ? '' : this.#writer.input(json));
    return opened + this.#notifyComplete(call);
  }

  /** A client may run a call as soon as its input is complete, so the writer is notified. */
  #notifyComplete({ end }: EncodedToolCall): string {
    return end.isComplete ? (this.#writer.onInputComplete?.() ?? '') : '';
  }

  #encodeArguments({ call: number, arguments: json }: CallDelta): string {
    const call = this.#calls.get(number);
    if (!call || json === '') return '';
    if (call.state === 'closed') {
      if (!hasNewArguments(call, json)) return '';
      throw upstreamFailed(`A tool call got more arguments after ${queuedCharactersMax} characters of other content.`);
    }
    call.hasArguments = true;
    call.end.push(json);
    if (call.state === 'open') return this.#writer.input(json) + this.#notifyComplete(call) + this.#drain();
    call.pieces.push(json);
    this.#queuedCharacters += json.length;
    return this.#limitQueue();
  }

  #enqueue(item: EncodedToolCall | ContentDelta): string {
    this.#queue.push(item);
    this.#queuedCharacters += charactersOf(item);
    return this.#limitQueue();
  }

  #limitQueue(): string {
    let text = '';
    while (this.#queuedCharacters > queuedCharactersMax) text += this.#encodeNext() + this.#drain();
    return text;
  }

  #drain(): string {
    let text = '';
    while (!this.#isBusy && this.#encodedCount < this.#queue.length) text += this.#encodeNext();
    return text;
  }

  /** Encodes the next queued item, even if the open call is incomplete. */
  #encodeNext(): string {
    this.#closeCall();
    const item = this.#queue[this.#encodedCount];
    if (!item) return '';
    this.#encodedCount += 1;
    if (this.#encodedCount * 2 > this.#queue.length) {
      this.#queue = this.#queue.slice(this.#encodedCount);
      this.#encodedCount = 0;
    }
    this.#queuedCharacters -= charactersOf(item);
    return 'state' in item ? this.#openCall(item) : this.#write(item);
  }

  #closeCall(): void {
    if (this.#open) this.#open.state = 'closed';
    this.#open = undefined;
  }
}

/** Detects the end of a JSON object that arrives in pieces. */
class JsonObjectEnd {
  readonly #scanner = new JsonScanner({ strict: false });
  #depth = 0;
  isComplete = false;

  push(piece: string): void {
    for (let at = 0; at < piece.length && !this.isComplete; at++) {
      at = this.#scanner.next(piece, at);
      if (piece[at] === '{') this.#depth += 1;
      else if (piece[at] === '}') this.isComplete = --this.#depth === 0;
    }
  }
}

/** Ignored: text after a complete object, and `{}` for a call without arguments, which means the same. */
function hasNewArguments({ end, hasArguments }: EncodedToolCall, json: string): boolean {
  const text = json.trim();
  return !end.isComplete && text !== '' && (hasArguments || text !== '{}');
}

function charactersOf(item: EncodedToolCall | ContentDelta): number {
  if ('state' in item) {
    return item.pieces.reduce((sum, { length }) => sum + length, item.start.id.length + item.start.name.length);
  }
  if ('text' in item) return item.text.length;
  if ('signature' in item) return item.signature.length;
  if ('data' in item) return item.data.length;
  return item.block ? JSON.stringify(item.block).length : 0;
}
