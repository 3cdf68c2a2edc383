import type { AnsweredAs } from '../../chat/event-flow.ts';
import { objectOf, type WireObject, isObject, listOf, nonEmptyString, wordSet } from '../../wire-value.ts';
import {
  isEmpty,
  type TextOnlyChoice,
  type ChoiceDecoder,
  type ChoiceFormat,
  type TextPiece,
} from './answer-decoder.ts';
import { type MarkupRequest, noMarkupRequest } from '../../markup/markup-request.ts';
import { decodeJsonBody, StreamDecoder } from './stream-decoder.ts';
import { anomalies } from '../../anomaly.ts';
import type { FinishReason, StreamEvent } from '../../chat/stream-event.ts';
import { append } from '../../append.ts';
import type { ResolvedQuirks } from '../quirks.ts';
import { LazyMarkupReader } from '../../markup/lazy-markup-reader.ts';
import { decodeLogprobs } from './logprobs.ts';
import { ToolCallDecoder } from './tool-call-decoder.ts';

export interface ChatDecoding {
  /** Creates the part after `call_`, for tool calls without an id. */
  readonly newId: () => string;
  /** The request's options for markup in the text. Without them, only reasoning markup is decoded. */
  readonly markup?: MarkupRequest;
  /** Whether the client uses this format too, and gets delta fields that core does not have. */
  readonly keepsFields?: boolean;
  readonly answeredAs?: AnsweredAs | undefined;
  readonly usageTotal?: ResolvedQuirks['usageTotal'];
  readonly unsplit?: ChoiceFormat['unsplit'];
  /** Off only in tests that compare: then every chunk is parsed, even if it matches a template. */
  readonly templates?: boolean;
}

export function chatStreamDecoder(decoding: ChatDecoding): StreamDecoder {
  const { newId, markup = noMarkupRequest, keepsFields = false, templates = true } = decoding;
  const decoder = (index: number, onAnomaly: (what: string) => void) =>
    new ChatChoice(index, { newId, onAnomaly, markup, keepsFields });
  const { usageTotal, unsplit } = decoding;
  const format = { textOnlyChoice, decoder, usageTotal, unsplit };
  return new StreamDecoder(format, { templates, answeredAs: decoding.answeredAs });
}

export function decodeChatBody(text: string, decoding: ChatDecoding): readonly StreamEvent[] {
  return decodeJsonBody(text, chatStreamDecoder(decoding));
}

const textKeys: ReadonlyMap<string, TextOnlyChoice['type']> = new Map<string, TextOnlyChoice['type']>(
  Object.entries({ content: 'text-delta', reasoning_content: 'reasoning-delta', reasoning: 'reasoning-delta' }),
);

export function textOnlyChoice(choice: WireObject): TextOnlyChoice | undefined {
  let onlyText: TextOnlyChoice | undefined;
  for (const [key, value] of Object.entries(objectOf(choice.delta) ?? {})) {
    if (key === 'role' || isEmpty(value)) continue;
    const type = textKeys.get(key);
    if (!type || onlyText || typeof value !== 'string') return undefined;
    onlyText = { type, key, text: value };
  }
  return onlyText;
}

interface ChatChoiceDecoding extends Required<Pick<ChatDecoding, 'newId' | 'markup' | 'keepsFields'>> {
  readonly onAnomaly: (what: string) => void;
}

class ChatChoice implements ChoiceDecoder {
  readonly #index: number;
  readonly #decoding: ChatChoiceDecoding;
  readonly #reader: LazyMarkupReader;
  #calls: ToolCallDecoder | undefined;

  constructor(index: number, decoding: ChatChoiceDecoding) {
    const { markup, newId } = decoding;
    this.#index = index;
    this.#decoding = decoding;
    this.#reader = new LazyMarkupReader({ ...markup, choice: index, newId });
  }

  get isHolding(): boolean {
    return this.#reader.isInDoubt;
  }

  passes({ type, text }: TextPiece): boolean {
    return !this.#isInCall && this.#reader.passes(text, channels[type]);
  }

  passesLiteral(type: TextPiece['type'], literal: string): boolean {
    return !this.#isInCall && this.#reader.passesLiteral(literal, channels[type]);
  }

  pushText({ type, text }: TextPiece, events: StreamEvent[]): void {
    this.#calls?.settle(events);
    append(events, this.#reader.push(text, channels[type]));
  }

  push(wire: WireObject, events: StreamEvent[]): void {
    const delta = objectOf(wire.delta) ?? objectOf(wire.message) ?? {};
    const content = decodeContent(delta);
    const logprobs = decodeLogprobs(wire.logprobs, content);
    const calls = callsIn(delta);
    if (content.text !== '' || content.reasoning !== '') this.#calls?.settle(events);
    // An empty string shows that the provider has the field. `null` does not: some providers send it everywhere.
    const hasReasoningField = typeof delta.reasoning_content === 'string' || typeof delta.reasoning === 'string';
    if (hasReasoningField) append(events, this.#reader.splitElsewhere());
    if (content.reasoning !== '' || logprobs.reasoning.length > 0) {
      append(events, this.#reader.push(content.reasoning, 'reasoning', logprobs.reasoning));
    }
    // If the chunk has tool calls, tool-call markup in its text repeats them.
    if (calls && ToolCallDecoder.startsCall(calls)) append(events, this.#reader.mute());
    if (content.text !== '' || logprobs.text.length > 0) {
      append(events, this.#reader.push(content.text, 'content', logprobs.text));
    }
    if (calls) this.#pushCalls(calls, events);
    this.#passOtherFields(delta, events);
  }

  end(events: StreamEvent[], reason: FinishReason): FinishReason {
    append(events, this.#reader.end(reason));
    const droppedCalls = this.#calls?.end(events, reason) ?? 0;
    if (droppedCalls > 0) this.#decoding.onAnomaly('tool call without a name');
    return this.#agreedReason(reason);
  }

  #passOtherFields(delta: WireObject, events: StreamEvent[]): void {
    const { keepsFields, markup } = this.#decoding;
    if (!keepsFields) return;
    const isOther = (name: string, value: unknown): boolean =>
      !knownFields.has(name) && !isEmpty(value) && !(markup.dropsReasoning && name === 'reasoning_details');
    const others = Object.entries(delta).filter(([name, value]) => isOther(name, value));
    if (others.length > 0) events.push({ type: 'own-block', choice: this.#index, block: Object.fromEntries(others) });
  }

  /** The finish reason that agrees with the calls: `tool-calls` without any call becomes `stop`. */
  #agreedReason(reason: FinishReason): FinishReason {
    if (reason !== 'stop' && reason !== 'tool-calls') return reason;
    if (this.#reader.callCount + (this.#calls?.startedCount ?? 0) > 0) return 'tool-calls';
    if (reason === 'tool-calls') this.#decoding.onAnomaly(anomalies.announcedCall);
    return 'stop';
  }

  get #isInCall(): boolean {
    return this.#calls?.isUnsettled === true;
  }

  #pushCalls(deltas: unknown, events: StreamEvent[]): void {
    if (this.#reader.callCount > 0) return this.#decoding.onAnomaly('tool calls both in the text and beside it');
    const { newId, markup } = this.#decoding;
    this.#calls ??= new ToolCallDecoder(this.#index, { newId, tools: markup.tools, repair: markup.repair });
    this.#calls.push(deltas, events);
  }
}

const knownFields = wordSet('role content refusal reasoning_content reasoning tool_calls function_call');

const channels = { 'text-delta': 'content', 'reasoning-delta': 'reasoning' } as const;

/** The tool calls, or the single call of the legacy form. An empty list is no call. */
function callsIn(delta: WireObject): unknown {
  const { tool_calls: calls, function_call: older } = delta;
  return Array.isArray(calls) && calls.length === 0 ? older : (calls ?? older);
}

function decodeContent(delta: WireObject) {
  const parts = listOf(delta.content).filter(isObject);
  const content = typeof delta.content === 'string' ? delta.content : parts.map(partText).join('');
  // A refusal counts as text: the contract has no other field for it.
  const refusal = nonEmptyString(delta.refusal) ?? '';
  // Providers use either field for reasoning. If both are set, they hold the same text.
  const native = nonEmptyString(delta.reasoning_content) ?? nonEmptyString(delta.reasoning) ?? '';
  return { text: content + refusal, reasoning: native + parts.map(partReasoning).join('') };
}

function partText(part: WireObject): string {
  return nonEmptyString(part.text) ?? '';
}

function partReasoning(part: WireObject): string {
  if (part.type !== 'thinking') return '';
  return nonEmptyString(part.thinking) ?? listOf(part.thinking).filter(isObject).map(partText).join('');
}
