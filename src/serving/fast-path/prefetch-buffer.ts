import type { StreamEvent } from 'chat-formats/chat/stream-event.ts';
import type { ResponseHandler } from '../upstreams/http1/provider-connection.ts';

/** More than any provider sends before its first content. */
const maxPrefetchBytes = 64 * 1024;

/** The part of an answer before its first content. The client has none of it, so the slow path may retry elsewhere. */
export class PrefetchBuffer {
  readonly events: StreamEvent[] = [];
  readonly #reads: Buffer[] = [];
  #bytes = 0;

  get isFull(): boolean {
    return this.#bytes > maxPrefetchBytes;
  }

  /** Copies the bytes, because the socket reuses its buffer. */
  keep(bytes: Buffer, events: readonly StreamEvent[]): void {
    this.#reads.push(Buffer.from(bytes));
    this.#bytes += bytes.length;
    this.events.push(...events);
  }

  replay(handler: ResponseHandler): void {
    for (const bytes of this.#reads) handler.data(bytes);
  }
}
