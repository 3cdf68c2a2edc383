import { GatewayError } from '../../core/gateway-error.ts';
import type { StreamEvent } from '../../core/stream-event.ts';
import { isObject, listOf, objectOf, type WireObject, wordOf } from '../wire-value.ts';
import { decodeErrorObject } from './decode-error.ts';
import { decodeUsage } from './decode-usage.ts';
import type { PlainDelta } from './delta-template.ts';
import { decodeFinishReason } from './finish-reason.ts';

/** Turns the chunks of one answer into events. Finishes and usage come last, since providers send them anywhere. */
export interface AnswerDecoder {
  /** Throws when the chunk holds an error instead of an answer. */
  push(chunk: WireObject, events: StreamEvent[]): void;
  /** The one piece of text a chunk consists of, if it says nothing else. Looks at the chunk alone, not at the past. */
  plainDelta(chunk: WireObject): PlainDelta | undefined;
  /** Text of this choice is passed on as it is from now on. */
  isPlain(choice: number): boolean;
  /** Throws when the answer is cut short: a choice without a finish, unless the provider declared the answer complete. */
  end(events: StreamEvent[], isDeclaredComplete: boolean): void;
}

/** What differs between wire formats: how a choice says things. */
export interface ChoiceFormat {
  plainText(choice: WireObject): PlainText | undefined;
  choice(index: number, onAnomaly: (what: string) => void): ChoiceDecoder;
}

export type PlainText = Pick<PlainDelta, 'type' | 'key' | 'text'>;

export interface ChoiceDecoder {
  readonly isPlain: boolean;
  push(choice: WireObject, events: StreamEvent[]): void;
  /** Lets go of what was held back. */
  end(events: StreamEvent[]): void;
}

interface Choice {
  readonly decoder: ChoiceDecoder;
  finish: string | undefined;
}

/** More answers than a request can ask for; an index beyond it is a broken counter. */
const choicesMax = 128 * 128;

/** A word, not a story: it is shown to clients. */
const finishWordMax = 64;

export function answerDecoder(format: ChoiceFormat, onAnomaly: (what: string) => void): AnswerDecoder {
  const choices = new Map<number, Choice>();
  let usage: WireObject | undefined;

  const choiceAt = (index: number): Choice => {
    const known = choices.get(index);
    if (known) return known;
    const choice = { decoder: format.choice(index, onAnomaly), finish: undefined };
    choices.set(index, choice);
    return choice;
  };
  const pushChoice = (wire: WireObject, place: number, events: StreamEvent[]): void => {
    throwError(wire);
    const choice = choiceAt(indexOf(wire, place));
    choice.decoder.push(wire, events);
    choice.finish = finishWord(wire) ?? choice.finish;
    usage = usageIn(wire) ?? usage;
  };

  return {
    push(chunk, events) {
      const groq = objectOf(chunk.x_groq);
      throwError(chunk);
      throwError(groq);
      for (const [place, choice] of listOf(chunk.choices).entries()) {
        if (isObject(choice)) pushChoice(choice, place, events);
      }
      usage = usageIn(chunk) ?? usageIn(groq) ?? usage;
    },
    plainDelta(chunk) {
      const [only, ...others] = listOf(chunk.choices);
      if (!isObject(only) || others.length > 0 || saysMoreThanText(chunk) || saysMoreThanText(only)) return undefined;
      const plain = format.plainText(only);
      return plain && { ...plain, choice: indexOf(only, 0) };
    },
    isPlain: (index) => choices.get(index)?.decoder.isPlain ?? false,
    end(events, isDeclaredComplete) {
      const isCut = [...choices.values()].some((choice) => choice.finish === undefined);
      if (choices.size === 0 || (isCut && !isDeclaredComplete)) throw truncated();
      for (const [index, { decoder, finish = 'stop' }] of choices) {
        decoder.end(events);
        events.push({ type: 'finish', choice: index, reason: decodeFinishReason(finish), raw: finish });
      }
      const counted = decodeUsage(usage, onAnomaly);
      if (counted) events.push({ type: 'usage', usage: counted });
    },
  };
}

function throwError(wire: WireObject | undefined): void {
  const error = wire && decodeErrorObject(wire);
  if (error) throw error;
}

/** Anything in a chunk or choice, besides its text, that the decoder would look at. */
function saysMoreThanText(wire: WireObject): boolean {
  const { usage, x_groq: groq, error, object, finish_reason: finish, logprobs } = wire;
  return object === 'error' || [usage, groq, error, finish, logprobs].some((value) => Boolean(value));
}

function indexOf(choice: WireObject, place: number): number {
  const { index } = choice;
  return Number.isInteger(index) && (index as number) >= 0 && (index as number) < choicesMax
    ? (index as number)
    : place;
}

function finishWord(choice: WireObject): string | undefined {
  const word = wordOf(choice.finish_reason)?.slice(0, finishWordMax);
  if (word === 'error') throw new GatewayError('upstream-failed', { cause: new Error('The provider gave up midway.') });
  return word;
}

/** Counts may come in every chunk; those that say nothing do not replace those that did. */
function usageIn(wire: WireObject | undefined): WireObject | undefined {
  const usage = objectOf(wire?.usage);
  const isSaid = (usage?.prompt_tokens ?? usage?.completion_tokens ?? usage?.total_tokens ?? undefined) !== undefined;
  return isSaid ? usage : undefined;
}

function truncated(): GatewayError {
  return new GatewayError('upstream-failed', { cause: new Error("The provider's answer was cut short.") });
}
