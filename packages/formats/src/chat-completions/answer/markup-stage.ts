import type { FinishReason, StreamEvent } from '../../chat/stream-event.ts';
import { append } from '../../append.ts';
import type { FinishEvent } from './stream-encoder.ts';
import { type EventStreamDecoder, withStep } from '../../event-stream-decoder.ts';
import type { MarkupRequest } from '../../markup/markup-request.ts';
import { LazyMarkupReader } from '../../markup/lazy-markup-reader.ts';

interface MarkupStageOptions {
  readonly markup: MarkupRequest;
  readonly newId: () => string;
  /** Whether the client gets the provider's frames unchanged, as long as the text does not begin with markup. */
  readonly isVerbatim: boolean;
}

type TextEvent = Extract<StreamEvent, { type: 'text-delta' | 'reasoning-delta' }>;

/** Maximum characters of an answer held until its first words are known. A longer answer is passed on unchanged. */
const heldCharactersMax = 1024 * 1024;

/** Reads markup in the text of a provider's answer in a format with named events. */
export function withMarkup(decoder: EventStreamDecoder, options: MarkupStageOptions): EventStreamDecoder {
  const stage = new MarkupStage(options);
  return withStep(
    decoder,
    (events) => stage.push(events),
    () => stage.isHolding,
  );
}

/**
 * Converts the markup in the events of one answer into reasoning and tool calls. If the client gets the provider's
 * frames unchanged, the answer is held until its first words are known. If they are markup, the frames are dropped and
 * the answer is encoded again. Otherwise the frames are kept.
 */
export class MarkupStage {
  readonly #options: MarkupStageOptions;
  readonly #reader: LazyMarkupReader;
  #frames: 'undecided' | 'kept' | 'dropped';
  /** The events of an undecided answer: as received, and as read. */
  #received: StreamEvent[] = [];
  #read: StreamEvent[] = [];
  #heldCharacters = 0;

  constructor(options: MarkupStageOptions) {
    this.#options = options;
    this.#reader = new LazyMarkupReader({ ...options.markup, choice: 0, newId: options.newId });
    this.#frames = options.isVerbatim ? 'undecided' : 'dropped';
  }

  get isHolding(): boolean {
    if (this.#frames === 'undecided') return this.#received.some(({ type }) => type === 'text-delta');
    return this.#frames === 'dropped' && this.#reader.isInDoubt;
  }

  push(batch: readonly StreamEvent[]): readonly StreamEvent[] {
    if (this.#frames === 'kept' || batch.length === 0) return batch;
    const events: StreamEvent[] = [];
    for (const event of batch) this.#process(event, events);
    return events;
  }

  #process(event: StreamEvent, events: StreamEvent[]): void {
    if (this.#frames === 'kept' || !('choice' in event || event.type === 'verbatim')) events.push(event);
    else if (this.#frames === 'dropped') this.#readEvent(event, events);
    else this.#hold(event, events);
  }

  /** Holds an event. The first words decide, or the first event that the provider separates from the text itself. */
  #hold(event: StreamEvent, events: StreamEvent[]): void {
    this.#received.push(event);
    this.#heldCharacters += 'text' in event ? event.text.length : 0;
    const from = this.#read.length;
    if (event.type === 'verbatim') return this.#limit(events);
    const isRead = event.type === 'text-delta' || event.type === 'finish';
    if (isRead) this.#readEvent(event, this.#read);
    if (isRead && this.#read.length === from) return this.#limit(events);
    if (isRead && !this.#isUnchanged(event.type === 'finish')) this.#decide('dropped', this.#read, events);
    else this.#decide('kept', this.#received, events);
  }

  #limit(events: StreamEvent[]): void {
    if (this.#heldCharacters > heldCharactersMax) this.#decide('kept', this.#received, events);
  }

  #isUnchanged(isOver: boolean): boolean {
    if (this.#read.some(({ type }) => changes.has(type))) return false;
    const receivedText = textIn(this.#received);
    const readText = textIn(this.#read);
    return isOver ? receivedText === readText : receivedText.startsWith(readText);
  }

  #decide(frames: 'kept' | 'dropped', held: readonly StreamEvent[], events: StreamEvent[]): void {
    this.#frames = frames;
    append(events, held);
    this.#received = [];
    this.#read = [];
  }

  #readEvent(event: StreamEvent, events: StreamEvent[]): void {
    switch (event.type) {
      case 'verbatim':
        return;
      case 'text-delta':
      case 'reasoning-delta':
        return this.#readText(event, events);
      case 'reasoning-signature':
        // The signature follows the reasoning that it signs.
        append(events, this.#reader.push('', 'content'));
        if (!this.#options.markup.dropsReasoning) events.push(event);
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

  #readText({ type, text, logprobs }: TextEvent, events: StreamEvent[]): void {
    if (type === 'reasoning-delta') append(events, this.#reader.splitElsewhere());
    append(events, this.#reader.push(text, type === 'text-delta' ? 'content' : 'reasoning', logprobs));
  }

  /** Structured calls make calls in the text repetitions. If those came first, the structured ones are dropped. */
  #call(event: StreamEvent, events: StreamEvent[]): void {
    if (this.#reader.callCount > 0) {
      if (event.type === 'tool-call-start')
        events.push({ type: 'anomaly', what: 'tool calls both in the text and beside it' });
      return;
    }
    if (event.type === 'tool-call-start') append(events, this.#reader.mute());
    events.push(event);
  }

  #finish(event: FinishEvent, events: StreamEvent[]): void {
    append(events, this.#reader.end(event.reason));
    const hasCalled = this.#reader.callCount > 0 && event.reason === 'stop';
    const reason: FinishReason = hasCalled ? 'tool-calls' : event.reason;
    events.push({ ...event, reason });
  }
}

/** Types of events that text without markup never produces. */
const changes: ReadonlySet<StreamEvent['type']> = new Set(['reasoning-delta', 'tool-call-start']);

/** The text of the answer, without the blanks around it, which have no meaning. */
function textIn(events: readonly StreamEvent[]): string {
  return events
    .map((event) => (event.type === 'text-delta' ? event.text : ''))
    .join('')
    .trim();
}
