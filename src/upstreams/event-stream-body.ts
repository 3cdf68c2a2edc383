import type { StreamEvent } from '../core/stream-event.ts';
import type { StreamDecoder } from '../dialects/chat-completions/stream-decoder.ts';
import { sseReader } from '../dialects/sse.ts';
import { utf8Reader } from '../dialects/utf8.ts';

const eventCharactersMax = 8 * 1024 * 1024;
const nothing: readonly StreamEvent[] = [];

/** From the bytes of an event stream to events. What one read brought comes out as one batch. */
export class EventStreamBody {
  readonly #text = utf8Reader();
  readonly #frames = sseReader({ bufferMax: eventCharactersMax });
  readonly #decoder: StreamDecoder;
  /** Whether the last piece completed an event with data; comments and parts of events are no sign of life. */
  isAlive = false;

  constructor(decoder: StreamDecoder) {
    this.#decoder = decoder;
  }

  /** Nothing more of the answer will come, whatever bytes still do. */
  get isDone(): boolean {
    return this.#decoder.isDone;
  }

  push(bytes: Buffer): readonly StreamEvent[] {
    return this.#decode(this.#frames.push(this.#text.push(bytes)));
  }

  /** The stream has ended. Throws unless the answer is complete. */
  end(): readonly StreamEvent[] {
    const last = [...this.#frames.push(this.#text.end()), ...this.#frames.end()];
    const events = this.#decode(last);
    return [...events, ...this.#decoder.end()];
  }

  #decode(frames: readonly string[]): readonly StreamEvent[] {
    this.isAlive = frames.length > 0;
    return this.isAlive ? this.#decoder.push(frames) : nothing;
  }
}
