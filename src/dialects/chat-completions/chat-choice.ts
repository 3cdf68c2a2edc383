import type { Logprobs, StreamEvent } from '../../core/stream-event.ts';
import { objectOf, type WireObject } from '../wire-value.ts';
import type { ChoiceDecoder } from './answer-decoder.ts';
import { decodeContent } from './decode-content.ts';
import { decodeLogprobs } from './decode-logprobs.ts';
import { ThinkTag } from './think-tag.ts';
import { ToolCallDecoder } from './tool-call-decoder.ts';

export interface ChatChoiceDecoding {
  readonly newId: () => string;
  readonly onAnomaly: (what: string) => void;
}

/** Decodes one choice of a chat answer, whether it comes in deltas or as a whole message. */
export class ChatChoice implements ChoiceDecoder {
  readonly #index: number;
  readonly #decoding: ChatChoiceDecoding;
  readonly #tag = new ThinkTag();
  #calls: ToolCallDecoder | undefined;
  /** Records of tokens whose text is held back. */
  #unsaid: Logprobs = [];
  #events: StreamEvent[] = [];

  constructor(index: number, decoding: ChatChoiceDecoding) {
    this.#index = index;
    this.#decoding = decoding;
  }

  get isPlain(): boolean {
    return this.#tag.isPlain;
  }

  push(wire: WireObject, events: StreamEvent[]): void {
    this.#events = events;
    const delta = objectOf(wire.delta) ?? objectOf(wire.message) ?? {};
    const said = decodeContent(delta);
    const logprobs = decodeLogprobs(wire.logprobs, said);
    if (said.reasoning !== '' || logprobs.reasoning.length > 0) {
      this.#tag.standDown(this.#say);
      this.#unsaid = logprobs.reasoning;
      this.#say('reasoning-delta', said.reasoning);
    }
    if (logprobs.text.length > 0) this.#unsaid = [...this.#unsaid, ...logprobs.text];
    if (said.text !== '') this.#tag.push(said.text, this.#say);
    else if (logprobs.text.length > 0) this.#say('text-delta', '');
    const called = calledIn(delta);
    if (called) this.#call(called);
  }

  end(events: StreamEvent[]): void {
    this.#events = events;
    this.#tag.end(this.#say);
    const lost = this.#calls?.end(events) ?? 0;
    if (lost > 0) this.#decoding.onAnomaly('tool call without a name');
  }

  readonly #say = (type: 'text-delta' | 'reasoning-delta', text: string): void => {
    const delta = { type, choice: this.#index, text };
    this.#events.push(this.#unsaid.length > 0 ? { ...delta, logprobs: this.#unsaid } : delta);
    this.#unsaid = [];
  };

  #call(deltas: unknown): void {
    this.#tag.standDown(this.#say);
    this.#calls ??= new ToolCallDecoder(this.#index, this.#decoding.newId);
    this.#calls.push(deltas, this.#events);
  }
}

/** Tool calls, or the single call of the older form; an empty list calls nothing. */
function calledIn(delta: WireObject): unknown {
  const { tool_calls: calls, function_call: older } = delta;
  return Array.isArray(calls) && calls.length === 0 ? older : (calls ?? older);
}
