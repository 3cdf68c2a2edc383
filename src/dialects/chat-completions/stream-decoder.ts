import type { AnsweredAs } from '../../core/request-trace.ts';
import type { StreamEvent } from '../../core/stream-event.ts';
import { Garbage, garbageNote } from '../garbage.ts';
import { isObject, parsedJson, type WireObject } from '../wire-value.ts';
import { AnswerDecoder, type ChoiceFormat, type StillChunk } from './answer-decoder.ts';
import { type DeltaTemplate, learnTemplate, matchTemplate, type PlainDelta } from './delta-template.ts';

/** One for each kind of text of a few choices. */
const templatesMax = 8;

/** Templates learned in a row that fitted nothing: this provider's chunks differ in more than their text. */
const uselessTemplatesMax = 8;

const noTemplates: readonly DeltaTemplate[] = [];

interface StreamDecoderOptions {
  readonly templates: boolean;
  readonly answeredAs?: AnsweredAs | undefined;
}

/** Turns the data of a provider's events into the words of core, one read at a time. */
export class StreamDecoder {
  /** Neither this nor the count of garbage is there before it is needed: most answers are as they should be. */
  #anomalies: Set<string> | undefined;
  #garbage: Garbage | undefined;
  readonly #answer: AnswerDecoder;
  readonly #answeredAs: AnsweredAs | undefined;
  #templates = noTemplates;
  #uselessTemplates: number;
  #isDone = false;
  #failure: unknown;

  constructor(format: ChoiceFormat, options: StreamDecoderOptions) {
    this.#answer = new AnswerDecoder(format, (what) => this.#note(what));
    this.#uselessTemplates = options.templates ? 0 : uselessTemplatesMax;
    this.#answeredAs = options.answeredAs;
  }

  /** What the provider got wrong and was mended, in words for the log. */
  get anomalies(): readonly string[] {
    return [...(this.#anomalies ?? [])];
  }

  /** The answer has begun, even if none of it has come out yet. */
  get isHolding(): boolean {
    return this.#answer.isHolding;
  }

  /** Nothing more will come of reading on: the source may be closed and `end` called. */
  get isDone(): boolean {
    return this.#isDone;
  }

  /**
   * Takes the data of all events of one read. Throws when the provider failed, but never swallows what came before: a
   * failure behind other events of the same read is thrown by the next call.
   */
  push(payloads: readonly string[]): readonly StreamEvent[] {
    if (this.#failure) throw this.#failure;
    const events: StreamEvent[] = [];
    try {
      for (const payload of payloads) if (!this.#isDone) this.#read(payload, events);
    } catch (error) {
      this.#isDone = true;
      this.#failure = error;
      if (events.length === 0) throw error;
    }
    return events;
  }

  /** Whether a piece of the first choice, as it stands in JSON, can be passed on as it is; it then counts as said. */
  passesLiteral(type: PlainDelta['type'], literal: string): boolean {
    return this.#answer.passesLiteral(type, literal);
  }

  /** Takes what a chunk says that need not be read again. */
  hearStill(chunk: StillChunk): void {
    this.#answer.hearStill(chunk);
  }

  /** The source is exhausted. Throws unless the answer was complete. */
  end(): readonly StreamEvent[] {
    if (this.#failure) throw this.#failure;
    const events: StreamEvent[] = [];
    if (!this.#isDone) this.#complete(events, false);
    return events;
  }

  #read(payload: string, events: StreamEvent[]): void {
    if (this.#fitsTemplate(payload, events)) return;
    const data = payload.trim();
    if (data === '') return;
    if (data === '[DONE]') return this.#complete(events, true);
    const chunk = parsedJson(data);
    if (!isObject(chunk)) return this.#drop();
    if (this.#answeredAs && typeof chunk.id === 'string') this.#answeredAs(chunk.id);
    this.#answer.push(chunk, events);
    if (this.#uselessTemplates < uselessTemplatesMax) this.#learn(payload, chunk);
  }

  #fitsTemplate(payload: string, events: StreamEvent[]): boolean {
    for (const template of this.#templates) {
      const text = matchTemplate(template, payload);
      if (text === undefined) continue;
      if (text !== '') this.#answer.say({ type: template.type, choice: template.choice, text }, events);
      this.#uselessTemplates = 0;
      return true;
    }
    return false;
  }

  #learn(payload: string, chunk: WireObject): void {
    const plain = this.#answer.plainDelta(chunk);
    if (!plain) return;
    this.#uselessTemplates++;
    const learned = learnTemplate(payload, plain, (tried) => this.#answer.plainDelta(tried));
    if (!learned) return;
    const others = this.#templates.filter(({ type, choice }) => type !== learned.type || choice !== learned.choice);
    this.#templates = [learned, ...others].slice(0, templatesMax);
  }

  #drop(): void {
    this.#note(garbageNote);
    this.#garbage ??= new Garbage();
    this.#garbage.count();
  }

  #note(what: string): void {
    this.#anomalies ??= new Set();
    this.#anomalies.add(what);
  }

  #complete(events: StreamEvent[], isDeclared: boolean): void {
    this.#isDone = true;
    this.#answer.end(events, isDeclared);
    for (const what of this.#anomalies ?? []) events.push({ type: 'anomaly', what });
  }
}
