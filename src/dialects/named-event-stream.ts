import { createParser } from 'eventsource-parser';
import type { StreamEvent } from '../core/stream-event.ts';
import { type EventStreamDecoder, eventCharactersMax } from './event-stream-decoder.ts';
import { sseFrames } from './sse-frames.ts';
import { Garbage, garbageNote } from './garbage.ts';
import { isObject, parsedJson, type WireObject, wordOf } from './wire-value.ts';

/** A model may think unseen for minutes, with pings as the only sign of it; one that does nothing else is dead. */
const pingsMax = 40;

/** More than ever comes before the content of an answer, or between its end and the word that it has ended. */
const heldCharactersMax = 64 * 1024;

/** Turns the named events of one answer into the words of core. Its finish and usage come last. */
export interface NamedEventDecoder {
  /** The provider has declared the answer complete. */
  readonly isStopped: boolean;
  /** Why the answer ends is known: nothing of it comes any more. */
  readonly isEnding: boolean;
  /** Throws when the event is an error instead of a part of the answer. */
  push(type: string | undefined, event: WireObject, events: StreamEvent[]): void;
  /** Keeps what the provider got wrong and was mended, for the request's record. */
  note(anomaly: string): void;
  /** Throws when the answer is cut short. */
  end(events: StreamEvent[]): void;
}

/** A format whose events have names, and whose clients may get them as they came. */
export interface NamedEventFormat {
  readonly answer: NamedEventDecoder;
  /** Whether the client speaks this format too and gets what came as it came. */
  readonly isVerbatim: boolean;
  /** Events that say no more than that the provider lives. */
  readonly pings: ReadonlySet<unknown>;
  /** Events that come before anything of the answer, which another provider may still give. */
  readonly openings: ReadonlySet<unknown>;
  decodeError(said: unknown): unknown;
  /** What a provider that left it out should have ended its answer with. */
  readonly stop: { readonly name: string; readonly frame: string };
}

/** Decodes a provider's stream of named events, and passes on what came as it came where that is wanted. */
export function namedEventStreamDecoder(format: NamedEventFormat): EventStreamDecoder {
  return new NamedEventStreamDecoder(format);
}

interface HeardEvent {
  readonly name: string | undefined;
  readonly data: string;
}

const nothing: readonly StreamEvent[] = [];

class NamedEventStreamDecoder implements EventStreamDecoder {
  readonly #format: NamedEventFormat;
  readonly #frames = sseFrames({ bufferMax: eventCharactersMax });
  readonly #fields = createParser({
    onEvent: ({ event, data }) => {
      this.#heard = { name: event, data };
    },
  });
  readonly #answer: NamedEventDecoder;
  #heard: HeardEvent | undefined;
  /** What came as it came and has not been passed on yet. */
  #text = '';
  /** The same from the stop reason on: an answer that fails must not have shown one. */
  #closing = '';
  #hasBegun = false;
  #pings = 0;
  readonly #garbage = new Garbage();
  #failure: unknown;
  isAlive = false;
  isDone = false;

  constructor(format: NamedEventFormat) {
    this.#format = format;
    this.#answer = format.answer;
  }

  push(text: string): readonly StreamEvent[] {
    if (this.#failure) throw this.#failure;
    const events: StreamEvent[] = [];
    this.isAlive = false;
    try {
      for (const frame of this.#frames.push(text)) if (!this.isDone) this.#read(frame, events);
    } catch (error) {
      this.isDone = true;
      this.#failure = error;
      const before = this.#batch(events);
      if (before.length === 0) throw error;
      return before;
    }
    return this.#batch(events);
  }

  end(): readonly StreamEvent[] {
    if (this.#failure) throw this.#failure;
    if (this.isDone) return nothing;
    const events: StreamEvent[] = [];
    this.#readRest(this.#frames.end(), events);
    if (!this.isDone) this.#complete(events);
    this.#tell(events, 0);
    return this.#batch(events);
  }

  #read(frame: string, events: StreamEvent[]): void {
    const from = events.length;
    const event = this.#eventIn(frame);
    if (event) this.#take(event, parsedJson(event.data), events);
    this.#pass(frame);
    if (this.#answer.isStopped || this.#closing.length > heldCharactersMax) this.#complete(events);
    this.#tell(events, from);
  }

  /** All that is missing of a last frame may be its blank line; if more is missing, it is no frame. */
  #readRest(rest: string, events: StreamEvent[]): void {
    const event = this.#eventIn(`${rest}\n\n`);
    const value = event && parsedJson(event.data);
    if (!event || !isObject(value)) return;
    this.#take(event, value, events);
    this.#pass(`${rest}\n\n`);
  }

  #eventIn(frame: string): HeardEvent | undefined {
    this.#heard = undefined;
    this.#fields.feed(frame);
    return this.#heard;
  }

  #take({ name, data }: HeardEvent, value: unknown, events: StreamEvent[]): void {
    if (name === 'error') throw this.#format.decodeError(value ?? data);
    if (!isObject(value)) return this.#drop(data);
    const type = wordOf(value.type) ?? name;
    const isPing = this.#format.pings.has(type);
    this.#pings = isPing ? this.#pings + 1 : 0;
    if (this.#pings <= pingsMax) this.isAlive = true;
    this.#answer.push(type, value, events);
    if (!isPing && !this.#format.openings.has(type)) this.#hasBegun = true;
  }

  #drop(data: string): void {
    if (data.trim() === '') return;
    this.#answer.note(garbageNote);
    this.#garbage.count();
  }

  #pass(frame: string): void {
    if (!this.#format.isVerbatim) return;
    if (this.#answer.isEnding) this.#closing += frame;
    else this.#text += frame;
    if (this.#text.length > heldCharactersMax) this.#hasBegun = true;
  }

  #complete(events: StreamEvent[]): void {
    this.isDone = true;
    const { stop, isVerbatim } = this.#format;
    if (!this.#answer.isStopped) this.#answer.note(`no ${stop.name}`);
    this.#answer.end(events);
    if (isVerbatim && !this.#answer.isStopped) this.#closing += stop.frame;
    this.#text += this.#closing;
    this.#hasBegun = true;
  }

  /** What came as it came goes before the events that say the same, so that an answer can be cut between two frames. */
  #tell(events: StreamEvent[], from: number): void {
    if (!this.#hasBegun || this.#text === '' || events.length === from) return;
    events.splice(from, 0, { type: 'verbatim', text: this.#text });
    this.#text = '';
  }

  /** What came as it came is content, so it is kept back until the content begins; what the prompt used is not. */
  #batch(events: readonly StreamEvent[]): readonly StreamEvent[] {
    if (!this.#hasBegun) return events;
    const text = this.#text;
    this.#text = '';
    return text === '' ? events : [...events, { type: 'verbatim', text }];
  }
}
