import type { FinishReason, StreamEvent } from '../../core/stream-event.ts';
import { append } from '../append.ts';
import type { EventStreamDecoder } from '../event-stream-decoder.ts';
import type { AskedMarkup } from './asked-markup.ts';
import { LazyMarkupReader } from './lazy-markup-reader.ts';

export interface MarkupStageOptions {
  readonly asked: AskedMarkup;
  /** Makes the part behind `call_` for calls without an id of their own. */
  readonly newId: () => string;
  /** Whether the client gets what came as it came, as long as the text does not begin with markup. */
  readonly isVerbatim: boolean;
}

type Finish = Extract<StreamEvent, { type: 'finish' }>;
type Words = Extract<StreamEvent, { type: 'text-delta' | 'reasoning-delta' }>;

/** Of an answer that is held until its first words are known, so many characters are kept; a longer one goes as it came. */
const heldCharactersMax = 1024 * 1024;

/** Reads markup in the text of a provider's answer that came in a format of named events. */
export function withMarkup(decoder: EventStreamDecoder, options: MarkupStageOptions): EventStreamDecoder {
  const stage = new MarkupStage(options);
  return {
    get isAlive() {
      return decoder.isAlive;
    },
    get isHolding() {
      return stage.isHolding;
    },
    get isDone() {
      return decoder.isDone;
    },
    push: (text) => stage.push(decoder.push(text)),
    end: () => stage.push(decoder.end()),
  };
}

/**
 * Turns the markup in the events of one answer into reasoning and tool calls. Where the client gets what came as it came,
 * the answer is held until its first words are known: markup makes it an answer that is built anew, all else leaves it.
 */
export class MarkupStage {
  readonly #options: MarkupStageOptions;
  readonly #reader: LazyMarkupReader;
  /** What is to become of the frames as they came. */
  #frames: 'undecided' | 'kept' | 'dropped';
  /** The events of an undecided answer, as they came and as they were read. */
  #came: StreamEvent[] = [];
  #read: StreamEvent[] = [];
  #heldCharacters = 0;

  constructor(options: MarkupStageOptions) {
    this.#options = options;
    this.#reader = new LazyMarkupReader({ ...options.asked, choice: 0, newId: options.newId });
    this.#frames = options.isVerbatim ? 'undecided' : 'dropped';
  }

  /** Whether words have come that are held back until it is known what they are. */
  get isHolding(): boolean {
    if (this.#frames === 'undecided') return this.#came.some(({ type }) => type === 'text-delta');
    return this.#frames === 'dropped' && this.#reader.isInDoubt;
  }

  push(batch: readonly StreamEvent[]): readonly StreamEvent[] {
    if (this.#frames === 'kept' || batch.length === 0) return batch;
    const events: StreamEvent[] = [];
    for (const event of batch) this.#one(event, events);
    return events;
  }

  #one(event: StreamEvent, events: StreamEvent[]): void {
    if (this.#frames === 'kept' || !('choice' in event || event.type === 'verbatim')) events.push(event);
    else if (this.#frames === 'dropped') this.#readOne(event, events);
    else this.#hold(event, events);
  }

  /** The first words decide, or whatever the provider tells apart by itself. */
  #hold(event: StreamEvent, events: StreamEvent[]): void {
    this.#came.push(event);
    this.#heldCharacters += 'text' in event ? event.text.length : 0;
    const from = this.#read.length;
    if (event.type === 'verbatim') return this.#limit(events);
    const isRead = event.type === 'text-delta' || event.type === 'finish';
    if (isRead) this.#readOne(event, this.#read);
    if (isRead && this.#read.length === from) return this.#limit(events);
    if (isRead && !this.#isUnchanged(event.type === 'finish')) this.#decide('dropped', this.#read, events);
    else this.#decide('kept', this.#came, events);
  }

  #limit(events: StreamEvent[]): void {
    if (this.#heldCharacters > heldCharactersMax) this.#decide('kept', this.#came, events);
  }

  /** Whether what was read is what came, as far as it was read. */
  #isUnchanged(isOver: boolean): boolean {
    if (this.#read.some(({ type }) => changes.has(type))) return false;
    const came = textIn(this.#came);
    const read = textIn(this.#read);
    return isOver ? came === read : came.startsWith(read);
  }

  #decide(frames: 'kept' | 'dropped', held: readonly StreamEvent[], events: StreamEvent[]): void {
    this.#frames = frames;
    append(events, held);
    this.#came = [];
    this.#read = [];
  }

  #readOne(event: StreamEvent, events: StreamEvent[]): void {
    switch (event.type) {
      case 'verbatim':
        return;
      case 'text-delta':
      case 'reasoning-delta':
        return this.#say(event, events);
      case 'reasoning-signature':
        // The reasoning that it proves is said before it.
        append(events, this.#reader.push('', 'content'));
        if (!this.#options.asked.dropsReasoning) events.push(event);
        return;
      case 'tool-call-start':
      case 'tool-call-delta':
        return this.#call(event, events);
      case 'finish':
        return this.#finish(event, events);
      default:
        events.push(event);
    }
  }

  #say({ type, text, logprobs }: Words, events: StreamEvent[]): void {
    if (type === 'reasoning-delta') append(events, this.#reader.splitElsewhere());
    append(events, this.#reader.push(text, type === 'text-delta' ? 'content' : 'reasoning', logprobs));
  }

  /** Calls of the provider's own make those in the text beside them repetitions, unless these came first. */
  #call(event: StreamEvent, events: StreamEvent[]): void {
    if (this.#reader.callCount > 0) {
      if (event.type === 'tool-call-start')
        events.push({ type: 'anomaly', what: 'tool calls both in the text and beside it' });
      return;
    }
    if (event.type === 'tool-call-start') append(events, this.#reader.mute());
    events.push(event);
  }

  #finish(event: Finish, events: StreamEvent[]): void {
    append(events, this.#reader.end(event.reason));
    const called = this.#reader.callCount > 0 && event.reason === 'stop';
    const reason: FinishReason = called ? 'tool-calls' : event.reason;
    events.push({ ...event, reason });
  }
}

/** Events that text without markup never becomes. */
const changes: ReadonlySet<StreamEvent['type']> = new Set(['reasoning-delta', 'tool-call-start']);

/** The words of the answer, without the blanks around them, which mean nothing. */
function textIn(events: readonly StreamEvent[]): string {
  return events
    .map((event) => (event.type === 'text-delta' ? event.text : ''))
    .join('')
    .trim();
}
