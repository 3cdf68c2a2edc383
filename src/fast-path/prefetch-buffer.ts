import type { StreamEvent } from '../core/stream-event.ts';
import type { ResponseHandler } from '../upstreams/http1/provider-connection.ts';

/** More than any provider says before it says something. */
const earlyBytesMax = 64 * 1024;

/** What came of an answer before its first content. Nobody has seen any of it, so that another upstream may still be asked. */
export class PrefetchBuffer {
  readonly events: StreamEvent[] = [];
  readonly #reads: Buffer[] = [];
  #bytes = 0;

  get isTooLong(): boolean {
    return this.#bytes > earlyBytesMax;
  }

  /** Keeps a copy: the bytes are those of a socket's buffer, which will be used again. */
  keep(bytes: Buffer, events: readonly StreamEvent[]): void {
    this.#reads.push(Buffer.from(bytes));
    this.#bytes += bytes.length;
    this.events.push(...events);
  }

  retell(handler: ResponseHandler): void {
    for (const bytes of this.#reads) handler.data(bytes);
  }
}
