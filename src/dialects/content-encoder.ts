import { GatewayError } from '../core/gateway-error.ts';
import type { DeltaEvent } from './chat-completions/stream-encoder.ts';
import type { Logprobs, OwnBlock } from '../core/stream-event.ts';
import { JsonObjectEnd } from './json-object-end.ts';

/** The same limit as for one event of a provider. */
const waitingCharactersMax = 8 * 1024 * 1024;

type CallStart = Extract<DeltaEvent, { type: 'tool-call-start' }>;
type CallDelta = Extract<DeltaEvent, { type: 'tool-call-delta' }>;
type ContentDelta = Exclude<DeltaEvent, CallStart | CallDelta>;

interface EncodedToolCall {
  readonly start: CallStart;
  readonly end: JsonObjectEnd;
  /** Arguments that arrived while the call was queued. */
  pieces: string[];
  hasArguments: boolean;
  state: 'waiting' | 'open' | 'over';
}

/** Writes parts of an answer that never overlap: starting a part ends the one before it. */
export interface ContentWriter {
  text(text: string, logprobs: Logprobs | undefined): string;
  thinking(text: string): string;
  /** Ends the reasoning with its signature. */
  signature(signature: string): string;
  redactedThinking(data: string): string;
  /** A block of the writer's own format, written unchanged. */
  whole(block: NonNullable<OwnBlock['block']>): string;
  toolUse(id: string, name: string): string;
  /** A piece of the input of the tool that started last. */
  input(json: string): string;
  /** Called when the input of the tool that started last is complete. */
  inputIsWhole?(): string;
  /** `isCut`: the answer ended before its last part was complete. */
  close(isCut?: boolean): string;
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
  #waiting: (EncodedToolCall | ContentDelta)[] = [];
  /** The number of items at the start of the queue that are already encoded. */
  #served = 0;
  #waitingCharacters = 0;

  constructor(writer: ContentWriter) {
    this.#writer = writer;
  }

  get hasCalledTools(): boolean {
    return this.#calls.size > 0;
  }

  encode(event: DeltaEvent): string {
    if (event.type === 'tool-call-delta') return this.#argue(event);
    if (event.type === 'tool-call-start') return this.#call(event);
    if (this.#isBusy) return this.#wait(event);
    this.#closeCall();
    return this.#say(event);
  }

  /** Encodes all queued items and ends the last part. */
  end(isCut = false): string {
    let text = '';
    while (this.#served < this.#waiting.length) text += this.#serve();
    return text + this.#writer.close(isCut);
  }

  get #isBusy(): boolean {
    return this.#open !== undefined && !this.#open.end.isComplete;
  }

  #say(event: ContentDelta): string {
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
        return event.block ? this.#writer.whole(event.block) : '';
      default:
        return event satisfies never;
    }
  }

  #call(start: CallStart): string {
    if (this.#calls.has(start.call)) return '';
    const call: EncodedToolCall = {
      start,
      end: new JsonObjectEnd(),
      pieces: [],
      hasArguments: false,
      state: 'waiting',
    };
    this.#calls.set(start.call, call);
    if (this.#isBusy) return this.#wait(call);
    this.#closeCall();
    return this.#begin(call);
  }

  #begin(call: EncodedToolCall): string {
    const { id, name } = call.start;
    call.state = 'open';
    this.#open = call;
    const json = call.pieces.join('');
    call.pieces = [];
    const begun = this.#writer.toolUse(id, name) + (json === '' ? '' : this.#writer.input(json));
    return begun + this.#completed(call);
  }

  /** A client may run a call as soon as its input is complete, so the writer is notified. */
  #completed({ end }: EncodedToolCall): string {
    return end.isComplete ? (this.#writer.inputIsWhole?.() ?? '') : '';
  }

  #argue({ call: number, arguments: json }: CallDelta): string {
    const call = this.#calls.get(number);
    if (!call || json === '') return '';
    if (call.state === 'over') {
      if (saysMore(call, json)) throw neverEnding();
      return '';
    }
    call.hasArguments = true;
    call.end.push(json);
    if (call.state === 'open') return this.#writer.input(json) + this.#completed(call) + this.#serveAll();
    call.pieces.push(json);
    this.#waitingCharacters += json.length;
    return this.#makeRoom();
  }

  #wait(item: EncodedToolCall | ContentDelta): string {
    this.#waiting.push(item);
    this.#waitingCharacters += charactersOf(item);
    return this.#makeRoom();
  }

  #makeRoom(): string {
    let text = '';
    while (this.#waitingCharacters > waitingCharactersMax) text += this.#serve() + this.#serveAll();
    return text;
  }

  /** Encodes queued items until the open call is incomplete again. */
  #serveAll(): string {
    let text = '';
    while (!this.#isBusy && this.#served < this.#waiting.length) text += this.#serve();
    return text;
  }

  /** Encodes the next queued item, even if the open call is incomplete. */
  #serve(): string {
    this.#closeCall();
    const item = this.#waiting[this.#served];
    if (!item) return '';
    this.#served += 1;
    if (this.#served * 2 > this.#waiting.length) {
      this.#waiting = this.#waiting.slice(this.#served);
      this.#served = 0;
    }
    this.#waitingCharacters -= charactersOf(item);
    return 'state' in item ? this.#begin(item) : this.#say(item);
  }

  #closeCall(): void {
    if (this.#open) this.#open.state = 'over';
    this.#open = undefined;
  }
}

/** Ignored: text after a complete object, and `{}` for a call without arguments, which means the same. */
function saysMore({ end, hasArguments }: EncodedToolCall, json: string): boolean {
  const text = json.trim();
  return !end.isComplete && text !== '' && (hasArguments || text !== '{}');
}

function charactersOf(item: EncodedToolCall | ContentDelta): number {
  if ('state' in item) {
    return item.pieces.reduce((sum, { length }) => sum + length, item.start.id.length + item.start.name.length);
  }
  switch (item.type) {
    case 'text-delta':
    case 'reasoning-delta':
      return item.text.length;
    case 'reasoning-signature':
      return item.signature.length;
    case 'redacted-reasoning':
      return item.data.length;
    case 'own-block':
      return item.block ? JSON.stringify(item.block).length : 0;
    default:
      return item satisfies never;
  }
}

function neverEnding(): GatewayError {
  return new GatewayError('upstream-failed', {
    cause: new Error(`A tool call got more arguments after ${waitingCharactersMax} characters of other content.`),
  });
}
