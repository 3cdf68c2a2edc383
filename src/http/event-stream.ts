import type { EventStreamWriter } from './exchange.ts';
import type { Reply } from './reply.ts';
import { watchReader } from './stalled-reader.ts';

const headers = ['content-type', 'text/event-stream', 'cache-control', 'no-cache', 'x-accel-buffering', 'no'];

/**
 * Server-sent events over one reply. The chunks of the transfer encoding are put together here: Node would hand each of
 * them to the kernel in four pieces, this makes one write of one string.
 */
export class EventStream implements EventStreamWriter {
  readonly #reply: Reply;
  readonly #readerStallMs: number;
  readonly #onBroken: (error: unknown) => void;
  readonly #isChunked: boolean;
  #onDrain: (() => void) | undefined;
  #isWatchingDrain = false;
  #isCut = false;

  constructor(reply: Reply, readerStallMs: number, onBroken: (error: unknown) => void) {
    this.#reply = reply;
    this.#readerStallMs = readerStallMs;
    this.#onBroken = onBroken;
    this.#isChunked = reply.req.httpVersion === '1.1';
  }

  write(frames: string): boolean {
    if (this.#isOver) return false;
    if (frames === '') return true;
    if (!this.#reply.headersSent) this.#commit();
    const isFlowing = this.#reply.write(this.#isChunked ? chunk(frames) : frames);
    if (!isFlowing) this.#awaitReader();
    return isFlowing;
  }

  onDrain(callback: () => void): void {
    this.#onDrain = callback;
  }

  end(lastFrames = ''): void {
    if (this.#isOver) return;
    if (!this.#reply.headersSent) this.#commit();
    const last = this.#isChunked ? `${chunk(lastFrames)}0\r\n\r\n` : lastFrames;
    this.#reply.end(last);
    watchReader(this.#reply, this.#readerStallMs);
  }

  breakOff(lastFrames: string, error: unknown): void {
    // Before the last bytes are out: what is observed of an exchange is observed then.
    if (!this.#isOver) this.#onBroken(error);
    this.end(lastFrames);
  }

  destroy(): void {
    this.#isCut = true;
    // Without chunks a client takes the end of the connection for the end of the stream, unless it is a reset.
    if (!this.#isChunked) this.#reply.socket?.resetAndDestroy();
    this.#reply.destroy();
  }

  /** Whether it was us who ended the stream before its end. */
  get isCut(): boolean {
    return this.#isCut;
  }

  get #isOver(): boolean {
    return this.#reply.destroyed || this.#reply.writableEnded;
  }

  #commit(): void {
    this.#reply.writeHead(200, this.#isChunked ? chunkedHeaders : headers);
    if (this.#isChunked) this.#reply.chunkedEncoding = false;
  }

  #awaitReader(): void {
    watchReader(this.#reply, this.#readerStallMs);
    if (this.#isWatchingDrain) return;
    this.#isWatchingDrain = true;
    this.#reply.on('drain', () => {
      this.#reply.socket?.setTimeout(0);
      this.#onDrain?.();
    });
  }
}

const chunkedHeaders = [...headers, 'transfer-encoding', 'chunked'];

function chunk(frames: string): string {
  return frames === '' ? '' : `${Buffer.byteLength(frames).toString(16)}\r\n${frames}\r\n`;
}
