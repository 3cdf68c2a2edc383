import type { ChoiceEvent } from './stream-event.ts';

/**
 * Twice the average number of characters that the best tokenizers join into a token, for letters and for wide East
 * Asian characters. In a run of one character only the first counts, because tokenizers join runs of any length.
 */
const lettersPerToken = 8;
const wideCharactersPerToken = 4;
const firstWide = 0x2e80;
/** A few of the longest words may be one token each: this much is free, or a small cap would cut them. */
const freeUnits = 64;

/**
 * Counts the output of one choice up to its `max_tokens`. Each provider has its own tokenizer, and an answer within its
 * provider's cap must never be cut. So this cap is reached only where every tokenizer would have reached it: at about
 * twice as much prose. Reasoning, text, and names and arguments of calls all count, as they do in `completion_tokens`.
 * The cut is at the same character however the text is split into events.
 */
export class TokenCap {
  /** The remaining eighths of a token. */
  #left: number;
  #previous = -1;

  constructor(maxTokens: number) {
    this.#left = maxTokens * lettersPerToken + freeUnits;
  }

  /** Counts a character (one UTF-16 code unit). Returns false if it exceeds the cap. */
  takes(code: number): boolean {
    if (code === this.#previous) return true;
    this.#previous = code;
    this.#left -= code < firstWide ? 1 : lettersPerToken / wideCharactersPerToken;
    return this.#left >= 0;
  }

  /**
   * The units of a part of a text that is printable ASCII without a backslash, and so unescaped in JSON; -1 if it has
   * other characters or does not fit. Counts nothing; `takePlain` does.
   */
  plainUnits(text: string, from: number, to: number): number {
    let units = 0;
    let previous = this.#previous;
    for (let at = from; at < to; at++) {
      const code = text.charCodeAt(at);
      if (code < 0x20 || code > 0x7e || code === 0x5c) return -1;
      if (code !== previous) units++;
      previous = code;
    }
    return units <= this.#left ? units : -1;
  }

  /** Counts such a text by its units and its last character. */
  takePlain(units: number, last: number): void {
    this.#left -= units;
    this.#previous = last;
  }

  /** The part of an event that fits and the finish of its choice; undefined if the whole event fits. */
  cut(event: ChoiceEvent): readonly ChoiceEvent[] | undefined {
    const text = countedText(event);
    for (let at = 0; at < text.length; at++) if (!this.takes(text.charCodeAt(at))) return cutAfter(event, at);
    return undefined;
  }
}

/** The first `length` characters of an event, and the finish of its choice. */
export function cutAfter(event: ChoiceEvent, length: number): readonly ChoiceEvent[] {
  return [...shortened(event, length), { type: 'finish', choice: event.choice, reason: 'length', raw: 'length' }];
}

function countedText(event: ChoiceEvent): string {
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

/** A name is kept completely or dropped. */
function shortened(event: ChoiceEvent, length: number): readonly ChoiceEvent[] {
  if (length === 0) return [];
  if (event.type === 'tool-call-delta') return [{ ...event, arguments: event.arguments.slice(0, length) }];
  if (event.type !== 'text-delta' && event.type !== 'reasoning-delta') return [];
  const { logprobs: _records, ...rest } = event;
  return [{ ...rest, text: event.text.slice(0, length) }];
}
