import type { StreamEvent } from '../../core/chat/stream-event.ts';
import type { EventStreamDecoder } from '../../dialects/event-stream-decoder.ts';
import { utf8Reader } from '../../dialects/utf8.ts';

/** Decodes the bytes of an event stream into events. The events of one read are one batch. */
export class EventStreamBody {
  readonly #text = utf8Reader();
  readonly #decoder: EventStreamDecoder;

  constructor(decoder: EventStreamDecoder) {
    this.#decoder = decoder;
  }

  /** Whether the last piece contained a sign that the answer continues. */
  get isAlive(): boolean {
    return this.#decoder.isAlive;
  }

  /** Whether the answer has begun but its text is held back until its kind is known. */
  get isHolding(): boolean {
    return this.#decoder.isHolding ?? false;
  }

  /** Whether the answer is complete, even if more bytes arrive. */
  get isDone(): boolean {
    return this.#decoder.isDone;
  }

  push(bytes: Buffer): readonly StreamEvent[] {
    return this.#decoder.push(this.#text.push(bytes));
  }

  /** Call it when the stream has ended. Throws unless the answer is complete. */
  end(): readonly StreamEvent[] {
    const rest = this.#text.end();
    const events = rest === '' ? [] : this.#decoder.push(rest);
    return [...events, ...this.#decoder.end()];
  }
}
