import type { Logprobs, StreamEvent } from '../../chat/stream-event.ts';
import { tokenRecords } from '../../chat-completions/answer/logprobs.ts';
import { isObject, listOf, type WireObject, nonEmptyString } from '../../wire-value.ts';
import type { PartDecoding } from '../../named-event-stream.ts';
import { partText } from './item-texts.ts';
import { toSignature } from '../reasoning-item.ts';

/** Decodes one item of a provider's response: its events and, at the end, what the events lacked. */
export interface ProviderItem {
  /** `type` is the event type without `response.`. */
  push(type: string, event: WireObject, events: StreamEvent[]): void;
  done(item: WireObject, events: StreamEvent[]): void;
}

export function providerItem(item: WireObject, decoding: PartDecoding, events: StreamEvent[]): ProviderItem {
  switch (item.type) {
    case 'message':
      return new MessageItem();
    case 'reasoning':
      return new ReasoningProviderItem();
    case 'function_call':
    case 'custom_tool_call':
      return new CallItem(item, decoding, events);
    default:
      decoding.onUnsupported('an item', item.type);
      return decoding.isVerbatim ? ownItem(events) : silent;
  }
}

const silent: ProviderItem = { push() {}, done() {} };

/** An item that core cannot represent, such as a use of a hosted tool. */
function ownItem(events: StreamEvent[]): ProviderItem {
  events.push({ type: 'own-block', choice: 0 });
  return {
    push() {},
    done(item, into) {
      into.push({ type: 'own-block', choice: 0, block: item });
    },
  };
}

class MessageItem implements ProviderItem {
  readonly #sent = new DeltaTracker();

  push(type: string, event: WireObject, events: StreamEvent[]): void {
    if (type !== 'output_text.delta' && type !== 'refusal.delta') return;
    this.#emit(event.delta, events, tokenRecords(event.logprobs));
  }

  done({ content }: WireObject, events: StreamEvent[]): void {
    const texts = listOf(content).filter(isObject).map(partText);
    if (this.#sent.isEmpty) for (const text of texts) this.#emit(text, events, []);
    else this.#emit(this.#sent.missingFrom(texts.join('')), events, []);
  }

  #emit(text: unknown, events: StreamEvent[], logprobs: Logprobs): void {
    if (typeof text !== 'string' || text === '') return;
    this.#sent.add(text);
    events.push({ type: 'text-delta', choice: 0, text, ...(logprobs.length > 0 && { logprobs }) });
  }
}

/** Reasoning arrives as a summary in parts, or as full text. If both arrive, only the first kind is used. */
class ReasoningProviderItem implements ProviderItem {
  #kind: 'summary' | 'text' | undefined;
  #part: unknown;

  push(type: string, event: WireObject, events: StreamEvent[]): void {
    if (type === 'reasoning_summary_text.delta') this.#emit('summary', event.summary_index, event.delta, events);
    else if (type === 'reasoning_text.delta' || type === 'reasoning.delta')
      this.#emit('text', event.content_index, event.delta, events);
  }

  done(item: WireObject, events: StreamEvent[]): void {
    if (this.#kind === undefined) {
      for (const [at, part] of listOf(item.summary).filter(isObject).entries())
        this.#emit('summary', at, part.text, events);
    }
    const sealed = nonEmptyString(item.encrypted_content);
    if (sealed !== undefined) events.push({ type: 'reasoning-signature', choice: 0, signature: toSignature(sealed) });
  }

  #emit(kind: 'summary' | 'text', part: unknown, text: unknown, events: StreamEvent[]): void {
    if (typeof text !== 'string' || text === '' || (this.#kind ?? kind) !== kind) return;
    const isNext = this.#kind !== undefined && part !== this.#part;
    this.#kind = kind;
    this.#part = part;
    events.push({ type: 'reasoning-delta', choice: 0, text: isNext ? `\n\n${text}` : text });
  }
}

/** A call begins when its name is known, which may be only at its end. */
class CallItem implements ProviderItem {
  readonly #decoding: PartDecoding;
  readonly #isCustom: boolean;
  readonly #sent = new DeltaTracker();
  #call: number | undefined;
  /** Arguments that came before the name. */
  #early = '';

  constructor(item: WireObject, decoding: PartDecoding, events: StreamEvent[]) {
    this.#decoding = decoding;
    this.#isCustom = item.type === 'custom_tool_call';
    this.#start(item, events);
  }

  push(type: string, event: WireObject, events: StreamEvent[]): void {
    if (type === 'function_call_arguments.delta') this.#emitArguments(event.delta, events);
  }

  done(item: WireObject, events: StreamEvent[]): void {
    this.#start(item, events);
    if (this.#call === undefined) return this.#decoding.onAnomaly('tool call without a name');
    const json = this.#isCustom ? JSON.stringify({ input: item.input ?? '' }) : nonEmptyString(item.arguments);
    this.#emitArguments(this.#sent.missingFrom(json ?? (this.#sent.isEmpty ? '{}' : '')), events);
  }

  #start(item: WireObject, events: StreamEvent[]): void {
    const name = nonEmptyString(item.name);
    if (this.#call !== undefined || name === undefined) return;
    const { newId, nextCall } = this.#decoding;
    this.#call = nextCall();
    const id = nonEmptyString(item.call_id) ?? nonEmptyString(item.id) ?? `call_${newId()}`;
    events.push({ type: 'tool-call-start', choice: 0, call: this.#call, id, name });
    this.#emitArguments(this.#early, events);
  }

  #emitArguments(json: unknown, events: StreamEvent[]): void {
    if (typeof json !== 'string' || json === '') return;
    if (this.#call === undefined) {
      this.#early += json;
      return;
    }
    this.#sent.add(json);
    events.push({ type: 'tool-call-delta', choice: 0, call: this.#call, arguments: json });
  }
}

/** Number of last characters compared. Another text rarely has the same characters at the same position. */
const comparedMax = 64;

/** Tracks a text that arrives in deltas, to find what the complete text adds. Keeps only its last characters. */
class DeltaTracker {
  #length = 0;
  #last = '';

  get isEmpty(): boolean {
    return this.#length === 0;
  }

  add(piece: string): void {
    this.#length += piece.length;
    this.#last = (this.#last + piece).slice(-comparedMax);
  }

  /** Returns the end of the complete text that the deltas lacked, or '' if the deltas do not match the text. */
  missingFrom(whole: string): string {
    return whole.startsWith(this.#last, this.#length - this.#last.length) ? whole.slice(this.#length) : '';
  }
}
