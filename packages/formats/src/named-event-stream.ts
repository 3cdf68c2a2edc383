import type { AnsweredAs } from './chat/event-flow.ts';
import type { CacheLifetime } from './cache-lifetime.ts';
import type { StreamEvent } from './chat/stream-event.ts';
import { type EventStreamDecoder, eventCharactersMax } from './event-stream-decoder.ts';
import { eventReader, sseFrames } from './sse.ts';
import { MalformedEvents, malformedEventNote } from './provider-failure.ts';
import { isObject, parsedJson, type WireObject, nonEmptyString } from './wire-value.ts';

/** A model may reason for minutes while only pings come. After this many in a row, the stream is not alive. */
const pingsMax = 40;

/** More characters than come before the content of an answer, or between its stop reason and its last event. */
const heldCharactersMax = 64 * 1024;

export interface NamedEventDecoding {
  /** Creates the random part of the id of a tool call without one. */
  readonly newId: () => string;
  /** Whether the client uses this format too and gets the provider's frames unchanged. */
  readonly isVerbatim: boolean;
  /** Receives the provider's id of the answer. */
  readonly answeredAs?: AnsweredAs | undefined;
  /** The lifetime of cache writes for which the provider reports none. */
  readonly unsplit?: (() => CacheLifetime) | undefined;
}

/** For the decoder of one block or item of an answer. */
export interface PartDecoding extends Pick<NamedEventDecoding, 'newId' | 'isVerbatim'> {
  readonly nextCall: () => number;
  /** Called for an anomaly of the provider that the decoder corrected. */
  readonly onAnomaly: (what: string) => void;
  /** Called for content that core does not have, with its type. */
  readonly onUnsupported: (what: string, type: unknown) => void;
}

/** Decodes the named events of one answer into core events. The finish and usage come last. */
export abstract class NamedEventDecoder {
  protected readonly decoding: PartDecoding;
  protected readonly answeredAs: AnsweredAs | undefined;
  protected readonly unsplit: NamedEventDecoding['unsplit'];
  protected readonly anomalies = new Set<string>();
  protected calls = 0;

  constructor({ newId, isVerbatim, answeredAs, unsplit }: NamedEventDecoding) {
    this.answeredAs = answeredAs;
    this.unsplit = unsplit;
    this.decoding = {
      newId,
      isVerbatim,
      nextCall: () => this.calls++,
      onAnomaly: (what) => this.anomalies.add(what),
      onUnsupported: (what, type) => {
        if (!isVerbatim) this.anomalies.add(`${what} without an equal in other formats: ${shortType(type)}`);
      },
    };
  }

  note(anomaly: string): void {
    this.anomalies.add(anomaly);
  }

  /** The provider has sent the event that ends the answer. */
  abstract get isStopped(): boolean;
  /** The stop reason has arrived: no more content follows. */
  abstract get isEnding(): boolean;
  /** Throws if the event is an error. */
  abstract push(type: string | undefined, event: WireObject, events: StreamEvent[]): void;
  /** Throws if the answer is truncated. */
  abstract end(events: StreamEvent[]): void;
}

function shortType(type: unknown): string {
  return typeof type === 'string' && /^[\w.-]{1,64}$/.test(type) ? type : 'without a name';
}

interface NamedEventFormat {
  readonly answer: NamedEventDecoder;
  readonly isVerbatim: boolean;
  /** Events that only show that the provider is alive. */
  readonly pings: ReadonlySet<unknown>;
  /** Events before the content. After them, failover to another provider is still possible. */
  readonly openings: ReadonlySet<unknown>;
  decodeError(payload: unknown): unknown;
  /** The event that ends an answer, for providers that do not send it. */
  readonly stop: { readonly name: string; readonly frame: string };
}

interface ParsedEvent {
  readonly name: string | undefined;
  readonly data: string;
}

const nothing: readonly StreamEvent[] = [];

/** Decodes a provider's stream of named events. If `isVerbatim`, it also passes the original frames on. */
export class NamedEventStreamDecoder implements EventStreamDecoder {
  readonly #format: NamedEventFormat;
  readonly #frames = sseFrames({ bufferMax: eventCharactersMax });
  readonly #fields = eventReader(eventCharactersMax, (data, name) => {
    this.#parsed = { name, data };
  });
  readonly #answer: NamedEventDecoder;
  #parsed: ParsedEvent | undefined;
  #text = '';
  /** Original frames from the stop reason on. They are held back: an answer that fails must not show a stop reason. */
  #closing = '';
  #hasBegun = false;
  #pings = 0;
  readonly #malformedEvents = new MalformedEvents();
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
    this.#readRemainder(this.#frames.end(), events);
    if (!this.isDone) this.#complete(events);
    this.#insertVerbatim(events, 0);
    return this.#batch(events);
  }

  #read(frame: string, events: StreamEvent[]): void {
    const from = events.length;
    const event = this.#eventIn(frame);
    if (event) this.#decode(event, parsedJson(event.data), events);
    this.#keepFrame(frame);
    if (this.#answer.isStopped || this.#closing.length > heldCharactersMax) this.#complete(events);
    this.#insertVerbatim(events, from);
  }

  /** The last frame may lack only its blank line. Anything less complete is ignored. */
  #readRemainder(remainder: string, events: StreamEvent[]): void {
    const event = this.#eventIn(`${remainder}\n\n`);
    const value = event && parsedJson(event.data);
    if (!event || !isObject(value)) return;
    this.#decode(event, value, events);
    this.#keepFrame(`${remainder}\n\n`);
  }

  #eventIn(frame: string): ParsedEvent | undefined {
    this.#parsed = undefined;
    this.#fields.push(frame);
    return this.#parsed;
  }

  #decode({ name, data }: ParsedEvent, value: unknown, events: StreamEvent[]): void {
    if (name === 'error') throw this.#format.decodeError(value ?? data);
    if (!isObject(value)) return this.#drop(data);
    const type = nonEmptyString(value.type) ?? name;
    const isPing = this.#format.pings.has(type);
    this.#pings = isPing ? this.#pings + 1 : 0;
    if (this.#pings <= pingsMax) this.isAlive = true;
    this.#answer.push(type, value, events);
    if (!isPing && !this.#format.openings.has(type)) this.#hasBegun = true;
  }

  #drop(data: string): void {
    if (data.trim() === '') return;
    this.#answer.note(malformedEventNote);
    this.#malformedEvents.count();
  }

  #keepFrame(frame: string): void {
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

  /** Puts the original frames before the events decoded from them, so that an answer can be cut between two frames. */
  #insertVerbatim(events: StreamEvent[], from: number): void {
    if (!this.#hasBegun || this.#text === '' || events.length === from) return;
    events.splice(from, 0, { type: 'verbatim', text: this.#text });
    this.#text = '';
  }

  /** Original frames count as content, so they wait until the content begins. Usage of the prompt does not. */
  #batch(events: readonly StreamEvent[]): readonly StreamEvent[] {
    if (!this.#hasBegun) return events;
    const text = this.#text;
    this.#text = '';
    return text === '' ? events : [...events, { type: 'verbatim', text }];
  }
}
