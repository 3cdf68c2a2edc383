import type { EventFlow } from '../core/event-flow.ts';
import { EventRelay } from '../core/event-relay.ts';
import type { TellPromise } from '../core/guarantee.ts';
import type { StreamEvent } from '../core/stream-event.ts';

export interface CapTerms {
  readonly maxTokens: number;
  /** How many answers there will be. */
  readonly choices: number;
  readonly told?: TellPromise | undefined;
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
export class TokenCap extends EventRelay {
  readonly #provider: EventFlow;
  readonly #terms: CapTerms;
  readonly #choices = new Map<number, CountedChoice>();
  #running: number;

  constructor(source: EventFlow, terms: CapTerms) {
    super(source);
    this.#provider = source;
    this.#terms = terms;
    this.#running = terms.choices;
  }

  override events(batch: readonly StreamEvent[]): void {
    const passed: StreamEvent[] = [];
    for (const event of batch) {
      // What the provider wrote goes on past the cap, so a client of its own format gets an answer that is built anew.
      if (event.type === 'verbatim') continue;
      const isCut = 'choice' in event && this.#count(event, passed);
      if (!('choice' in event)) passed.push(event);
      if (isCut && this.#running === 0) return this.#letGo(passed);
    }
    if (passed.length > 0) super.events(passed);
  }

  protected override closed(how: 'ended' | 'failed' | 'cancelled'): void {
    if (how !== 'ended') return;
    const isMended = [...this.#choices.values()].some(({ isCut }) => isCut);
    this.#terms.told?.('max_tokens', isMended ? 'mended' : 'kept');
  }

  /** Whether the choice has been cut by this event. */
  #count(event: Extract<StreamEvent, { choice: number }>, passed: StreamEvent[]): boolean {
    const { choice } = event;
    const counted = this.#choices.get(choice) ?? new CountedChoice(this.#terms.maxTokens);
    this.#choices.set(choice, counted);
    if (counted.isOver) return false;
    const fits = counted.take(said(event));
    if (fits === undefined) {
      passed.push(event);
      if (event.type !== 'finish') return false;
    } else passed.push(...shortened(event, fits), { type: 'finish', choice, reason: 'length', raw: 'length' });
    counted.isOver = true;
    counted.isCut = fits !== undefined;
    this.#running -= 1;
    return counted.isCut;
  }

  #letGo(last: readonly StreamEvent[]): void {
    this.#provider.cancel();
    super.events(last);
    super.end();
  }
}

class CountedChoice {
  readonly #most: number;
  /** Eighths of a token that there are at least. */
  #units = 0;
  #before = -1;
  /** Ended, by whatever. */
  isOver = false;
  /** Ended by the cap. */
  isCut = false;

  constructor(maxTokens: number) {
    this.#most = maxTokens * lettersPerToken + freeUnits;
  }

  /** How many characters of a text fit; nothing if all of them do. */
  take(text: string): number | undefined {
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
