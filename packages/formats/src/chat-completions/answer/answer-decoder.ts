import type { CacheLifetime } from '../../cache-lifetime.ts';
import type { FinishReason, StreamEvent } from '../../chat/stream-event.ts';
import type { Usage } from '../../chat/usage.ts';
import { isObject, listOf, objectOf, type WireObject, nonEmptyString } from '../../wire-value.ts';
import { cutShort, upstreamFailed } from '../../provider-failure.ts';
import { decodeErrorObject } from './decode-error.ts';
import { decodeUsage } from './decode-usage.ts';
import type { TextOnlyDelta } from './delta-template.ts';
import type { ResolvedQuirks } from '../quirks.ts';
import { decodeFinishReason, isAborted } from './finish-reason.ts';

/** The part of decoding that differs between wire formats: reading a choice. */
export interface ChoiceFormat {
  /** The text of a choice that holds nothing else. Depends on this choice alone, not on earlier ones. */
  readonly textOnlyChoice: (choice: WireObject) => TextOnlyChoice | undefined;
  decoder(index: number, onAnomaly: (what: string) => void): ChoiceDecoder;
  readonly usageTotal?: ResolvedQuirks['usageTotal'] | undefined;
  /** The lifetime of cache writes for which the provider reports none. */
  readonly unsplit?: (() => CacheLifetime) | undefined;
}

export type TextOnlyChoice = Pick<TextOnlyDelta, 'type' | 'key' | 'text'>;
export type TextPiece = Pick<TextOnlyDelta, 'type' | 'text'>;

export interface ChoiceDecoder {
  readonly isHolding?: boolean;
  /** Whether a piece of text can be passed on unchanged. If so, the decoder counts it as emitted. */
  passes(piece: TextPiece): boolean;
  /** The same in JSON notation without quotes: one character per UTF-8 byte, only required and shortest escapes. */
  passesLiteral?(type: TextPiece['type'], literal: string): boolean;
  /** Decodes a piece of text that came without other content. */
  pushText(piece: TextPiece, events: StreamEvent[]): void;
  push(choice: WireObject, events: StreamEvent[]): void;
  /** Emits the text held back. Returns the reason that agrees with the content: `tool-calls` only with calls. */
  end(events: StreamEvent[], reason: FinishReason): FinishReason;
}

interface AnswerChoice {
  readonly decoder: ChoiceDecoder;
  finish: string | undefined;
}

/** More choices than a request can demand. A larger index is a bug of the provider. */
const choicesMax = 128 * 128;

/** Clients see this word, so its length is limited. */
const finishReasonMax = 64;

/** Decodes the chunks of one answer into events. Finishes and usage come last, because providers send them anywhere. */
export class AnswerDecoder {
  readonly #format: ChoiceFormat;
  readonly #onAnomaly: (what: string) => void;
  readonly #choices = new Map<number, AnswerChoice>();
  #usage: WireObject | undefined;
  #serviceTier: string | undefined;

  constructor(format: ChoiceFormat, onAnomaly: (what: string) => void) {
    this.#format = format;
    this.#onAnomaly = onAnomaly;
  }

  get isHolding(): boolean {
    for (const { decoder } of this.#choices.values()) if (decoder.isHolding === true) return true;
    return false;
  }

  /** Throws if the chunk holds an error. */
  push(chunk: WireObject, events: StreamEvent[]): void {
    const groq = objectOf(chunk.x_groq);
    throwError(chunk);
    throwError(groq);
    for (const [position, choice] of listOf(chunk.choices).entries()) {
      if (isObject(choice)) this.#pushChoice(choice, position, events);
    }
    const usage = usageIn(chunk) ?? usageIn(groq);
    if (!usage) return;
    this.#usage = usage;
    // Early chunks repeat the requested tier. The chunk with the usage has the tier that was served.
    this.#serviceTier = nonEmptyString(chunk.service_tier);
  }

  passesLiteral(type: TextOnlyDelta['type'], literal: string): boolean {
    return this.#choiceAt(0).decoder.passesLiteral?.(type, literal) ?? false;
  }

  applyEmptyChunk({ finish }: EmptyChunk): void {
    const choice = this.#choiceAt(0);
    choice.finish = finish ?? choice.finish;
  }

  pushText({ type, choice, text }: Pick<TextOnlyDelta, 'type' | 'choice' | 'text'>, events: StreamEvent[]): void {
    const { decoder } = this.#choiceAt(choice);
    if (decoder.passes({ type, text })) events.push({ type, choice, text });
    else decoder.pushText({ type, text }, events);
  }

  /** Throws if a choice has no finish and the provider did not declare the answer complete. */
  end(events: StreamEvent[], isDeclaredComplete: boolean): void {
    if (this.#choices.size === 0) throw cutShort();
    for (const { finish } of this.#choices.values()) if (!finish && !isDeclaredComplete) throw cutShort();
    for (const [choice, { decoder, finish: raw = 'stop' }] of this.#choices) {
      const reason = decoder.end(events, decodeFinishReason(raw));
      events.push({ type: 'finish', choice, reason, raw });
    }
    const usage = decodeUsage(this.#usage, this.#onAnomaly, this.#format.usageTotal, this.#format.unsplit);
    if (usage) events.push({ type: 'usage', usage: this.#withServed(usage) });
  }

  #withServed(usage: Usage): Usage {
    const serviceTier = this.#serviceTier;
    return serviceTier === undefined ? usage : { ...usage, served: { serviceTier } };
  }

  #pushChoice(wire: WireObject, position: number, events: StreamEvent[]): void {
    throwError(wire);
    const choice = this.#choiceAt(indexOf(wire, position));
    choice.decoder.push(wire, events);
    choice.finish = finishReasonOf(wire) ?? choice.finish;
    this.#usage = usageIn(wire) ?? this.#usage;
  }

  #choiceAt(index: number): AnswerChoice {
    const known = this.#choices.get(index);
    if (known) return known;
    const choice = { decoder: this.#format.decoder(index, this.#onAnomaly), finish: undefined };
    this.#choices.set(index, choice);
    return choice;
  }
}

/** A chunk of the first choice without content, except perhaps a finish reason. */
export interface EmptyChunk {
  readonly finish: string | undefined;
}

/** The finish reason of a chunk without content, or `undefined` if it has content. Depends on this chunk alone. */
export function emptyChunk(chunk: WireObject): EmptyChunk | undefined {
  const only = onlyChoice(chunk);
  const delta = objectOf(only?.delta);
  if (!only || !delta || indexOf(only, 0) !== 0 || hasMoreThanText({ ...only, finish_reason: undefined }))
    return undefined;
  const isEmptyDelta = Object.entries(delta).every(([key, value]) => key === 'role' || isEmpty(value));
  const hasReasoningField = typeof delta.reasoning_content === 'string' || typeof delta.reasoning === 'string';
  const { finish_reason: finish = null } = only;
  if (!isEmptyDelta || hasReasoningField) return undefined;
  if (finish === null) return { finish: undefined };
  if (typeof finish !== 'string' || finish.length > finishReasonMax || isAborted(finish)) return undefined;
  return { finish: nonEmptyString(finish) };
}

/** The text of a chunk that holds nothing but one piece of text. Depends on this chunk alone. */
export function textOnlyDelta(chunk: WireObject, textOnlyChoice: ChoiceFormat['textOnlyChoice']) {
  const only = onlyChoice(chunk);
  if (!only || hasMoreThanText(only)) return undefined;
  const choice = textOnlyChoice(only);
  return choice && { ...choice, choice: indexOf(only, 0) };
}

/** Whether a value means the same as a missing field. */
export function isEmpty(value: unknown): boolean {
  return value === null || value === '' || (Array.isArray(value) && value.length === 0);
}

function onlyChoice(chunk: WireObject): WireObject | undefined {
  const choices = listOf(chunk.choices);
  return choices.length === 1 && !hasMoreThanText(chunk) ? objectOf(choices[0]) : undefined;
}

function throwError(wire: WireObject | undefined): void {
  const error = wire && decodeErrorObject(wire);
  if (error) throw error;
}

/** Whether a chunk or choice has any field, other than its text, that the decoder reads. */
function hasMoreThanText({ object, usage, x_groq, error, finish_reason, logprobs }: WireObject): boolean {
  return object === 'error' || Boolean(usage || x_groq || error || finish_reason || logprobs);
}

function indexOf(choice: WireObject, position: number): number {
  const { index } = choice;
  const isIndex = typeof index === 'number' && Number.isInteger(index) && index >= 0 && index < choicesMax;
  return isIndex ? index : position;
}

function finishReasonOf(choice: WireObject): string | undefined {
  const word = nonEmptyString(choice.finish_reason)?.slice(0, finishReasonMax);
  if (word === undefined || !isAborted(word)) return word;
  throw upstreamFailed(`The provider aborted the answer: ${word}.`);
}

/** A provider may send counts in every chunk. A usage object without counts does not replace an earlier one. */
function usageIn(wire: WireObject | undefined): WireObject | undefined {
  const usage = objectOf(wire?.usage);
  const count = usage?.prompt_tokens ?? usage?.completion_tokens ?? usage?.total_tokens ?? undefined;
  return count === undefined ? undefined : usage;
}
