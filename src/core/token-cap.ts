import type { ChoiceEvent } from './stream-event.ts';

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
 * Counts what is said in one choice up to its `max_tokens`. Each provider counts with a tokenizer of its own, and an
 * answer that keeps its cap by its provider's must never be cut, so the cap is reached here only where every tokenizer
 * would have reached it: at about twice as much prose. Thoughts, text, and names and arguments of calls all count, as they
 * do in `completion_tokens`. The text is cut at the same character however it comes.
 */
export class TokenCap {
  /** Eighths of a token that may still come. */
  #left: number;
  #before = -1;

  constructor(maxTokens: number) {
    this.#left = maxTokens * lettersPerToken + freeUnits;
  }

  /** Whether a character, one code unit of UTF-16, still fits; it then counts. */
  takes(code: number): boolean {
    if (code === this.#before) return true;
    this.#before = code;
    this.#left -= code < firstWide ? 1 : lettersPerToken / wideCharactersPerToken;
    return this.#left >= 0;
  }

  /**
   * What a part of a text counts that is printable ASCII without a backslash, and so stands in JSON as it is; -1 if it is
   * something else or does not fit. It does not count before `takePlain`.
   */
  plainUnits(text: string, from: number, to: number): number {
    let units = 0;
    let before = this.#before;
    for (let at = from; at < to; at++) {
      const code = text.charCodeAt(at);
      if (code < 0x20 || code > 0x7e || code === 0x5c) return -1;
      if (code !== before) units++;
      before = code;
    }
    return units <= this.#left ? units : -1;
  }

  /** Counts a plain text by its units and its last character. */
  takePlain(units: number, last: number): void {
    this.#left -= units;
    this.#before = last;
  }

  /** What is left of an event that goes past the cap, and the end of its choice; nothing if it fits. */
  cut(event: ChoiceEvent): readonly ChoiceEvent[] | undefined {
    const text = said(event);
    for (let at = 0; at < text.length; at++) if (!this.takes(text.charCodeAt(at))) return cutAfter(event, at);
    return undefined;
  }
}

/** What is left of an event of which so many characters fit, and the end of its choice. */
export function cutAfter(event: ChoiceEvent, length: number): readonly ChoiceEvent[] {
  return [...shortened(event, length), { type: 'finish', choice: event.choice, reason: 'length', raw: 'length' }];
}

function said(event: ChoiceEvent): string {
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

/** A name is left whole or out. */
function shortened(event: ChoiceEvent, length: number): readonly ChoiceEvent[] {
  if (length === 0) return [];
  if (event.type === 'tool-call-delta') return [{ ...event, arguments: event.arguments.slice(0, length) }];
  if (event.type !== 'text-delta' && event.type !== 'reasoning-delta') return [];
  const { logprobs: _records, ...rest } = event;
  return [{ ...rest, text: event.text.slice(0, length) }];
}
