import { GatewayError } from '../../core/gateway-error.ts';
import type { FinishReason, StreamEvent } from '../../core/stream-event.ts';
import { isObject, listOf, objectOf, type WireObject, wordOf } from '../wire-value.ts';
import { decodeErrorObject } from './decode-error.ts';
import { decodeUsage } from './decode-usage.ts';
import type { PlainDelta } from './delta-template.ts';
import { decodeFinishReason, isBrokenOff } from './finish-reason.ts';

/** What differs between wire formats: how a choice says things. */
export interface ChoiceFormat {
  /** The one piece of text a choice consists of, if it says nothing else. Looks at this choice alone, not at the past. */
  readonly plainText: (choice: WireObject) => PlainText | undefined;
  decoder(index: number, onAnomaly: (what: string) => void): ChoiceDecoder;
}

export type PlainText = Pick<PlainDelta, 'type' | 'key' | 'text'>;
export type TextPiece = Pick<PlainDelta, 'type' | 'text'>;

export interface ChoiceDecoder {
  /** Whether words of it are held back until it is known what they are. */
  readonly isHolding?: boolean;
  /** Whether a piece of text can be passed on as it is; it then counts as said. */
  passes(piece: TextPiece): boolean;
  /**
   * The same for a piece as it stands in JSON between its quotes, one character for each byte of its UTF-8, in which
   * nothing is escaped that need not be, and what is in the shortest way.
   */
  passesLiteral?(type: TextPiece['type'], literal: string): boolean;
  /** Takes a piece of text that came without anything else. */
  say(piece: TextPiece, events: StreamEvent[]): void;
  push(choice: WireObject, events: StreamEvent[]): void;
  /** Lets go of what was held back, and returns the reason that agrees with what was said. */
  end(events: StreamEvent[], reason: FinishReason): FinishReason;
}

interface AnswerChoice {
  readonly decoder: ChoiceDecoder;
  finish: string | undefined;
}

/** More answers than a request can ask for; an index beyond it is a broken counter. */
const choicesMax = 128 * 128;

/** A word, not a story: it is shown to clients. */
const finishWordMax = 64;

/** Turns the chunks of one answer into events. Finishes and usage come last, since providers send them anywhere. */
export class AnswerDecoder {
  readonly #format: ChoiceFormat;
  readonly #onAnomaly: (what: string) => void;
  readonly #choices = new Map<number, AnswerChoice>();
  #usage: WireObject | undefined;

  constructor(format: ChoiceFormat, onAnomaly: (what: string) => void) {
    this.#format = format;
    this.#onAnomaly = onAnomaly;
  }

  /** Whether words have come that are held back until it is known what they are. */
  get isHolding(): boolean {
    for (const { decoder } of this.#choices.values()) if (decoder.isHolding === true) return true;
    return false;
  }

  /** Throws when the chunk holds an error instead of an answer. */
  push(chunk: WireObject, events: StreamEvent[]): void {
    const groq = objectOf(chunk.x_groq);
    throwError(chunk);
    throwError(groq);
    for (const [place, choice] of listOf(chunk.choices).entries()) {
      if (isObject(choice)) this.#pushChoice(choice, place, events);
    }
    this.#usage = usageIn(chunk) ?? usageIn(groq) ?? this.#usage;
  }

  /** The one piece of text a chunk consists of, if it says nothing else. Looks at this chunk alone, not at the past. */
  plainDelta(chunk: WireObject): PlainDelta | undefined {
    return plainDelta(chunk, this.#format.plainText);
  }

  /** Whether a piece of the first choice, as it stands in JSON, can be passed on as it is; it then counts as said. */
  passesLiteral(type: PlainDelta['type'], literal: string): boolean {
    return this.#choiceAt(0).decoder.passesLiteral?.(type, literal) ?? false;
  }

  /** Takes what a still chunk says. */
  hearStill({ finish }: StillChunk): void {
    const choice = this.#choiceAt(0);
    choice.finish = finish ?? choice.finish;
  }

  /** Takes a piece of text that came without anything else. */
  say({ type, choice, text }: Pick<PlainDelta, 'type' | 'choice' | 'text'>, events: StreamEvent[]): void {
    const { decoder } = this.#choiceAt(choice);
    if (decoder.passes({ type, text })) events.push({ type, choice, text });
    else decoder.say({ type, text }, events);
  }

  /** Throws when the answer is cut short: a choice lacks its finish, and the provider did not declare it complete. */
  end(events: StreamEvent[], isDeclaredComplete: boolean): void {
    if (this.#choices.size === 0) throw truncated();
    for (const { finish } of this.#choices.values()) if (!finish && !isDeclaredComplete) throw truncated();
    for (const [choice, { decoder, finish: raw = 'stop' }] of this.#choices) {
      const reason = decoder.end(events, decodeFinishReason(raw));
      events.push({ type: 'finish', choice, reason, raw });
    }
    const usage = decodeUsage(this.#usage, this.#onAnomaly);
    if (usage) events.push({ type: 'usage', usage });
  }

  #pushChoice(wire: WireObject, place: number, events: StreamEvent[]): void {
    throwError(wire);
    const choice = this.#choiceAt(indexOf(wire, place));
    choice.decoder.push(wire, events);
    choice.finish = finishWord(wire) ?? choice.finish;
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

/** A chunk of the first choice that brings no text and nothing else, except perhaps the reason why the answer ends. */
export interface StillChunk {
  readonly finish: string | undefined;
}

/** What a chunk says if it is still. Looks at this chunk alone. */
export function stillChunk(chunk: WireObject): StillChunk | undefined {
  const only = onlyChoice(chunk);
  const delta = objectOf(only?.delta);
  if (!only || !delta || indexOf(only, 0) !== 0 || saysMoreThanText({ ...only, finish_reason: undefined }))
    return undefined;
  const isSilent = Object.entries(delta).every(([key, value]) => key === 'role' || isEmpty(value));
  const hasPlaceForReasoning = typeof delta.reasoning_content === 'string' || typeof delta.reasoning === 'string';
  const { finish_reason: finish = null } = only;
  if (!isSilent || hasPlaceForReasoning) return undefined;
  if (finish === null) return { finish: undefined };
  if (typeof finish !== 'string' || finish.length > finishWordMax || isBrokenOff(finish)) return undefined;
  return { finish: wordOf(finish) };
}

/** The one piece of text a chunk consists of, if it says nothing else. Looks at this chunk alone. */
export function plainDelta(chunk: WireObject, plainText: ChoiceFormat['plainText']): PlainDelta | undefined {
  const only = onlyChoice(chunk);
  if (!only || saysMoreThanText(only)) return undefined;
  const plain = plainText(only);
  return plain && { ...plain, choice: indexOf(only, 0) };
}

/** Whether the value of a field says as little as no field at all. */
export function isEmpty(value: unknown): boolean {
  return value === null || value === '' || (Array.isArray(value) && value.length === 0);
}

/** The choice of a chunk that has no other and says nothing besides it. */
function onlyChoice(chunk: WireObject): WireObject | undefined {
  const choices = listOf(chunk.choices);
  return choices.length === 1 && !saysMoreThanText(chunk) ? objectOf(choices[0]) : undefined;
}

function throwError(wire: WireObject | undefined): void {
  const error = wire && decodeErrorObject(wire);
  if (error) throw error;
}

/** Anything in a chunk or choice, besides its text, that the decoder would look at. */
function saysMoreThanText({ object, usage, x_groq, error, finish_reason, logprobs }: WireObject): boolean {
  return object === 'error' || Boolean(usage || x_groq || error || finish_reason || logprobs);
}

function indexOf(choice: WireObject, place: number): number {
  const { index } = choice;
  const isIndex = typeof index === 'number' && Number.isInteger(index) && index >= 0 && index < choicesMax;
  return isIndex ? index : place;
}

function finishWord(choice: WireObject): string | undefined {
  const word = wordOf(choice.finish_reason)?.slice(0, finishWordMax);
  if (word === undefined || !isBrokenOff(word)) return word;
  throw new GatewayError('upstream-failed', { cause: new Error(`The provider gave up midway: ${word}.`) });
}

/** Counts may come in every chunk; those that say nothing do not replace those that did. */
function usageIn(wire: WireObject | undefined): WireObject | undefined {
  const usage = objectOf(wire?.usage);
  const said = usage?.prompt_tokens ?? usage?.completion_tokens ?? usage?.total_tokens ?? undefined;
  return said === undefined ? undefined : usage;
}

function truncated(): GatewayError {
  return new GatewayError('upstream-failed', { cause: new Error("The provider's answer was cut short.") });
}
