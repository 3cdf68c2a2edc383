import type { StreamEvent } from '../core/stream-event.ts';
import type { EventStreamDecoder } from '../dialects/event-stream-decoder.ts';
import { utf8Reader } from '../dialects/utf8.ts';

/** From the bytes of an event stream to events. What one read brought comes out as one batch. */
export class EventStreamBody {
  readonly #text = utf8Reader();
  readonly #decoder: EventStreamDecoder;

  constructor(decoder: EventStreamDecoder) {
    this.#decoder = decoder;
  }

  /** Whether the last piece showed that the answer goes on. */
  get isAlive(): boolean {
    return this.#decoder.isAlive;
  }

  /** The answer has begun, but its words are held back until it is known what they are. */
  get isHolding(): boolean {
    return this.#decoder.isHolding ?? false;
  }

  /** Nothing more of the answer will come, whatever bytes still do. */
  get isDone(): boolean {
    return this.#decoder.isDone;
  }

  push(bytes: Buffer): readonly StreamEvent[] {
    return this.#decoder.push(this.#text.push(bytes));
  }

  /** The stream has ended. Throws unless the answer is complete. */
  end(): readonly StreamEvent[] {
    const rest = this.#text.end();
    const events = rest === '' ? [] : this.#decoder.push(rest);
    return [...events, ...this.#decoder.end()];
  }
}
