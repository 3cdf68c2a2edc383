import type { AnsweredAs } from '../../chat/event-flow.ts';
import type { StreamEvent } from '../../chat/stream-event.ts';
import { MalformedEvents, malformedEventNote, upstreamFailed } from '../../provider-failure.ts';
import { isObject, parsedJson, type WireObject } from '../../wire-value.ts';
import { AnswerDecoder, type ChoiceFormat, textOnlyDelta } from './answer-decoder.ts';
import { type DeltaTemplate, learnTemplate, matchTemplate } from './delta-template.ts';

/** Enough for each kind of text of a few choices. */
const templatesMax = 8;

/** After this many templates in a row without a match, the chunks differ in more than their text: learning stops. */
const uselessTemplatesMax = 8;

const noTemplates: readonly DeltaTemplate[] = [];

export class StreamDecoder {
  /** This and the counter of malformed events are created on first use: most answers need neither. */
  #anomalies: Set<string> | undefined;
  #malformedEvents: MalformedEvents | undefined;
  readonly answer: AnswerDecoder;
  readonly #textOnlyChoice: ChoiceFormat['textOnlyChoice'];
  readonly #answeredAs: AnsweredAs | undefined;
  #templates = noTemplates;
  #uselessTemplates: number;
  /** The answer is complete or failed: close the source and call `end`. */
  isDone = false;
  #failure: unknown;

  constructor(
    format: ChoiceFormat,
    options: { readonly templates: boolean; readonly answeredAs?: AnsweredAs | undefined },
  ) {
    this.#textOnlyChoice = format.textOnlyChoice;
    this.answer = new AnswerDecoder(format, (what) => this.#note(what));
    this.#uselessTemplates = options.templates ? 0 : uselessTemplatesMax;
    this.#answeredAs = options.answeredAs;
  }

  get anomalies(): readonly string[] {
    return [...(this.#anomalies ?? [])];
  }

  get isHolding(): boolean {
    return this.answer.isHolding;
  }

  /** Throws if the provider failed. If the same read also has events, returns those; then the next call throws. */
  push(payloads: readonly string[]): readonly StreamEvent[] {
    if (this.#failure) throw this.#failure;
    const events: StreamEvent[] = [];
    try {
      for (const payload of payloads) if (!this.isDone) this.#read(payload, events);
    } catch (error) {
      this.isDone = true;
      this.#failure = error;
      if (events.length === 0) throw error;
    }
    return events;
  }

  end(): readonly StreamEvent[] {
    if (this.#failure) throw this.#failure;
    const events: StreamEvent[] = [];
    if (!this.isDone) this.#complete(events, false);
    return events;
  }

  #read(payload: string, events: StreamEvent[]): void {
    if (this.#fitsTemplate(payload, events)) return;
    const data = payload.trim();
    if (data === '') return;
    if (data === '[DONE]') return this.#complete(events, true);
    const chunk = parsedJson(data);
    if (!isObject(chunk)) return this.#dropMalformed();
    if (this.#answeredAs && typeof chunk.id === 'string') this.#answeredAs(chunk.id);
    this.answer.push(chunk, events);
    if (this.#uselessTemplates < uselessTemplatesMax) this.#learn(payload, chunk);
  }

  #fitsTemplate(payload: string, events: StreamEvent[]): boolean {
    for (const template of this.#templates) {
      const text = matchTemplate(template, payload);
      if (text === undefined) continue;
      if (text !== '') this.answer.pushText({ type: template.type, choice: template.choice, text }, events);
      this.#uselessTemplates = 0;
      return true;
    }
    return false;
  }

  #learn(payload: string, chunk: WireObject): void {
    const delta = textOnlyDelta(chunk, this.#textOnlyChoice);
    if (!delta) return;
    this.#uselessTemplates++;
    const learned = learnTemplate(payload, delta, (tried) => textOnlyDelta(tried, this.#textOnlyChoice));
    if (!learned) return;
    const others = this.#templates.filter(({ type, choice }) => type !== learned.type || choice !== learned.choice);
    this.#templates = [learned, ...others].slice(0, templatesMax);
  }

  #dropMalformed(): void {
    this.#note(malformedEventNote);
    this.#malformedEvents ??= new MalformedEvents();
    this.#malformedEvents.count();
  }

  #note(what: string): void {
    this.#anomalies ??= new Set();
    this.#anomalies.add(what);
  }

  #complete(events: StreamEvent[], isDeclared: boolean): void {
    this.isDone = true;
    this.answer.end(events, isDeclared);
    for (const what of this.#anomalies ?? []) events.push({ type: 'anomaly', what });
  }
}

/** Decodes a complete answer from a provider that sent one JSON body: a stream of one chunk followed by `[DONE]`. */
export function decodeJsonBody(text: string, decoder: StreamDecoder): readonly StreamEvent[] {
  if (!isObject(parsedJson(text))) throw upstreamFailed("The provider's answer is not a JSON object.");
  const events = decoder.push([text, '[DONE]']);
  return [...events, ...decoder.end()];
}
