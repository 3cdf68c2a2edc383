import type { EventFlow } from '../core/event-flow.ts';
import type { StreamEvent } from '../core/stream-event.ts';
import { type ChoiceCutter, CuttingGate, type CuttingTerms } from './cutting-gate.ts';
import type { ChoiceEvent } from './promise-gate.ts';

export interface CapTerms extends CuttingTerms {
  readonly maxTokens: number;
}

/**
 * Twice the characters that the best tokenizers join into a token on average, of letters and of the wide characters of East
 * Asia. Of a run of one character only the first counts, since such runs are joined however long they are.
 */
const lettersPerToken = 8;
const wideCharactersPerToken = 4;
const firstWide = 0x2e80;
/** A few of the longest words may be a token each: so much is free, or a small cap would cut them. */
const freeUnits = 64;

/**
 * Ends an answer that goes on past `max_tokens`, for providers that do not. Each counts with a tokenizer of its own, and an
 * answer that keeps its cap by its provider's must never be cut, so the cap is reached here only where every tokenizer
 * would have reached it: at about twice as much prose. Thoughts, text, and names and arguments of calls all count, as they
 * do in `completion_tokens`. The text is cut at the same character however it comes.
 */
export class TokenCap extends CuttingGate {
  protected override readonly promise = 'max_tokens';
  readonly #maxTokens: number;

  constructor(source: EventFlow, terms: CapTerms) {
    super(source, terms);
    this.#maxTokens = terms.maxTokens;
  }

  protected override newCutter(choice: number): ChoiceCutter {
    return new CountedChoice(choice, this.#maxTokens);
  }
}

class CountedChoice implements ChoiceCutter {
  readonly #choice: number;
  readonly #most: number;
  /** Eighths of a token that there are at least. */
  #units = 0;
  #before = -1;
  isOver = false;
  isCut = false;

  constructor(choice: number, maxTokens: number) {
    this.#choice = choice;
    this.#most = maxTokens * lettersPerToken + freeUnits;
  }

  pass(event: ChoiceEvent): readonly StreamEvent[] {
    const fits = this.#take(said(event));
    this.isCut = fits !== undefined;
    this.isOver = this.isCut || event.type === 'finish';
    if (fits === undefined) return [event];
    return [...shortened(event, fits), { type: 'finish', choice: this.#choice, reason: 'length', raw: 'length' }];
  }

  /** Nothing is held back. */
  release(): readonly StreamEvent[] {
    return [];
  }

  /** How many characters of a text fit; nothing if all of them do. */
  #take(text: string): number | undefined {
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code === this.#before) continue;
      this.#before = code;
      this.#units += code < firstWide ? 1 : lettersPerToken / wideCharactersPerToken;
      if (this.#units > this.#most) return at;
    }
    return undefined;
  }
}

function said(event: StreamEvent): string {
  switch (event.type) {
    case 'text-delta':
      return event.isRepeated ? '' : event.text;
    case 'reasoning-delta':
      return event.text;
    case 'tool-call-start':
      return event.name;
    case 'tool-call-delta':
      return event.arguments;
    default:
      return '';
  }
}

/** What is left of an event of which so many characters fit; a name is left whole or out. */
function shortened(event: StreamEvent, length: number): readonly StreamEvent[] {
  if (length === 0) return [];
  if (event.type === 'tool-call-delta') return [{ ...event, arguments: event.arguments.slice(0, length) }];
  if (event.type !== 'text-delta' && event.type !== 'reasoning-delta') return [];
  const { logprobs: _records, ...rest } = event;
  return [{ ...rest, text: event.text.slice(0, length) }];
}
