import { createParser } from 'eventsource-parser';
import { GatewayError } from '../../core/gateway-error.ts';
import type { StreamEvent } from '../../core/stream-event.ts';
import { type EventStreamDecoder, eventCharactersMax } from '../event-stream-decoder.ts';
import { sseFrames } from '../sse-frames.ts';
import { isObject, wordOf } from '../wire-value.ts';
import { decodeMessagesError } from './decode-error.ts';
import { MessageDecoder, type MessagesDecoding } from './message-decoder.ts';
import { messageStopFrame } from './message-frames.ts';

/** A provider may stutter; one that sends more than this is not speaking the format. */
const garbageMax = 10;

/** A model may think unseen for minutes, with pings as the only sign of it; one that does nothing else is dead. */
const pingsMax = 40;

/** More than ever comes before the content of a message, or between its end and the word that it has ended. */
const heldCharactersMax = 64 * 1024;

/** Decodes a provider's stream of a message. */
export function messagesStreamDecoder(options: MessagesDecoding): EventStreamDecoder {
  return new MessagesStreamDecoder(options);
}

interface HeardEvent {
  readonly name: string | undefined;
  readonly data: string;
}

const nothing: readonly StreamEvent[] = [];

class MessagesStreamDecoder implements EventStreamDecoder {
  readonly #isVerbatim: boolean;
  readonly #frames = sseFrames({ bufferMax: eventCharactersMax });
  readonly #fields = createParser({
    onEvent: ({ event, data }) => {
      this.#heard = { name: event, data };
    },
  });
  readonly #message: MessageDecoder;
  #heard: HeardEvent | undefined;
  /** What came as it came and has not been passed on yet. */
  #text = '';
  /** The same from the stop reason on: an answer that fails must not have shown one. */
  #closing = '';
  #hasBegun = false;
  #pings = 0;
  #garbage = 0;
  #failure: unknown;
  isAlive = false;
  isDone = false;

  constructor(decoding: MessagesDecoding) {
    this.#isVerbatim = decoding.isVerbatim;
    this.#message = new MessageDecoder(decoding);
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
    return this.#batch(events);
  }

  #read(frame: string, events: StreamEvent[]): void {
    const event = this.#eventIn(frame);
    if (event) this.#take(event, parsed(event.data), events);
    this.#pass(frame);
    if (this.#message.isStopped || this.#closing.length > heldCharactersMax) this.#complete(events);
  }

  /** All that is missing of a last frame may be its blank line; if more is missing, it is no frame. */
  #readRest(rest: string, events: StreamEvent[]): void {
    const event = this.#eventIn(`${rest}\n\n`);
    const value = event && parsed(event.data);
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
    if (name === 'error') throw decodeMessagesError(value ?? data);
    if (!isObject(value)) return this.#drop(data);
    const type = wordOf(value.type) ?? name;
    this.#pings = type === 'ping' ? this.#pings + 1 : 0;
    if (this.#pings <= pingsMax) this.isAlive = true;
    this.#message.push(type, value, events);
    if (type !== 'message_start' && type !== 'ping') this.#hasBegun = true;
  }

  #drop(data: string): void {
    if (data.trim() === '') return;
    this.#message.note('an event that is not a JSON object');
    this.#garbage++;
    if (this.#garbage > garbageMax) throw notTheFormat();
  }

  #pass(frame: string): void {
    if (!this.#isVerbatim) return;
    if (this.#message.isEnding) this.#closing += frame;
    else this.#text += frame;
    if (this.#text.length > heldCharactersMax) this.#hasBegun = true;
  }

  #complete(events: StreamEvent[]): void {
    this.isDone = true;
    if (!this.#message.isStopped) this.#message.note('no message_stop');
    this.#message.end(events);
    if (this.#isVerbatim && !this.#message.isStopped) this.#closing += messageStopFrame;
    this.#text += this.#closing;
    this.#hasBegun = true;
  }

  /** What came as it came is content, so it is kept back until the content begins; what the prompt used is not. */
  #batch(events: readonly StreamEvent[]): readonly StreamEvent[] {
    if (!this.#hasBegun) return events;
    const text = this.#text;
    this.#text = '';
    return text === '' ? events : [{ type: 'verbatim', text }, ...events];
  }
}

function parsed(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    return undefined;
  }
}

function notTheFormat(): GatewayError {
  return new GatewayError('upstream-failed', {
    cause: new Error(`More than ${garbageMax} events of the provider's stream are not JSON objects.`),
  });
}
