import type { EventStreamWriter } from './exchange.ts';
import type { ReaderNews } from './reader-watch.ts';
import type { Reply } from './reply.ts';

const headers = ['content-type', 'text/event-stream', 'cache-control', 'no-cache', 'x-accel-buffering', 'no'];

/**
 * Server-sent events over one reply. The chunks of the transfer encoding are put together here: Node would hand each of
 * them to the kernel in four pieces, this makes one write of one string.
 */
export class EventStream implements EventStreamWriter {
  readonly #reply: Reply;
  readonly #reader: ReaderNews;
  readonly #onBroken: (error: unknown) => void;
  readonly #isChunked: boolean;
  #onDrain: (() => void) | undefined;
  #isBehind = false;
  #isCut = false;

  constructor(reply: Reply, reader: ReaderNews, onBroken: (error: unknown) => void) {
    this.#reply = reply;
    this.#reader = reader;
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
    this.#reader.wrote();
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

  /** What the writer throws is its own affair: the socket that says it has room must not hear of it. */
  #goOn(): void {
    try {
      this.#onDrain?.();
    } catch (error) {
      this.#onBroken(error);
      this.destroy();
    }
  }

  #awaitReader(): void {
    if (this.#isBehind) return;
    this.#isBehind = true;
    this.#reader.wrote();
    this.#reply.once('drain', () => {
      this.#isBehind = false;
      this.#reader.drained();
      this.#goOn();
    });
  }
}

const chunkedHeaders = [...headers, 'transfer-encoding', 'chunked'];

function chunk(frames: string): string {
  return frames === '' ? '' : `${Buffer.byteLength(frames).toString(16)}\r\n${frames}\r\n`;
}
