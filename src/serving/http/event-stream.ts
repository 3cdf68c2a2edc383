import type { BodyWatch, SimpleStreamWriter } from './exchange.ts';
import type { WriteObserver } from './slow-client-timeout.ts';
import type { ReplyWire } from './reply-head.ts';

/** Formats chunks itself: Node would pass each to the kernel in four pieces, this makes one write of one string. */
export class EventStream implements SimpleStreamWriter {
  readonly #reply: ReplyWire;
  readonly #reader: WriteObserver;
  readonly #onError: (error: unknown) => void;
  readonly #isChunked: boolean;
  readonly #contentType: string | undefined;
  #onDrain: (() => void) | undefined;
  watch: BodyWatch | undefined;
  #isBehind = false;
  isDestroyed = false;

  /** With a content type it is a stream of that type, with one byte per character. */
  constructor(reply: ReplyWire, reader: WriteObserver, onError: (error: unknown) => void, contentType?: string) {
    this.#reply = reply;
    this.#contentType = contentType;
    this.#reader = reader;
    this.#onError = onError;
    this.#isChunked = reply.isChunked;
  }

  write(frames: string): boolean {
    return this.#send(frames, this.#encoding);
  }

  writeLatin1(frames: string): boolean {
    return this.#send(frames, 'latin1');
  }

  onDrain(callback: () => void): void {
    this.#onDrain = callback;
  }

  end(lastFrames = ''): void {
    this.#finish(lastFrames, this.#encoding);
  }

  endLatin1(lastFrames: string): void {
    this.#finish(lastFrames, 'latin1');
  }

  breakOff(lastFrames: string, error: unknown): void {
    // Before the last bytes are written, because the exchange is observed at that moment.
    if (!this.#isOver) this.#onError(error);
    this.end(lastFrames);
  }

  destroy(): void {
    this.isDestroyed = true;
    // Without chunks the end of the connection looks like the end of the stream, unless it is a reset.
    if (!this.#isChunked) this.#reply.socket?.resetAndDestroy();
    this.#reply.destroy();
  }

  /** Sends bytes without effect, to detect whether the client still reads. */
  probe(): boolean {
    if (this.#contentType === undefined) this.write(emptyComment);
    // A byte stream has no comments, but the size of the next chunk may begin with any number of zeros.
    else if (this.#isChunked && !this.#isOver) this.#reply.write('0', 'latin1');
    else return false;
    return true;
  }

  get #encoding(): BufferEncoding {
    return this.#contentType === undefined ? 'utf8' : 'latin1';
  }

  get #isOver(): boolean {
    return this.#reply.destroyed || this.#reply.writableEnded;
  }

  #send(frames: string, encoding: BufferEncoding): boolean {
    if (this.#isOver) return false;
    if (frames === '') return true;
    if (!this.#reply.headersSent) this.#reply.writeStreamHead(this.#contentType);
    this.watch?.sent(frames, encoding);
    const isFlowing = this.#reply.write(this.#isChunked ? chunk(frames, encoding) : frames, encoding);
    if (!isFlowing) this.#awaitDrain();
    return isFlowing;
  }

  #finish(frames: string, encoding: BufferEncoding): void {
    if (this.#isOver) return;
    if (!this.#reply.headersSent) this.#reply.writeStreamHead(this.#contentType);
    this.watch?.sent(frames, encoding);
    this.#reply.end(this.#isChunked ? `${chunk(frames, encoding)}0\r\n\r\n` : frames, encoding);
    this.#reader.wrote();
  }

  /** An error of the writer must not reach the socket's `drain` event. */
  #drained(): void {
    try {
      this.#onDrain?.();
    } catch (error) {
      this.#onError(error);
      this.destroy();
    }
  }

  #awaitDrain(): void {
    if (this.#isBehind) return;
    this.#isBehind = true;
    this.#reader.wrote();
    this.#reply.once('drain', () => {
      this.#isBehind = false;
      this.#reader.drained();
      this.#drained();
    });
  }
}

const emptyComment = ':\n\n';

function chunk(frames: string, encoding: BufferEncoding): string {
  if (frames === '') return '';
  const bytes = encoding === 'latin1' ? frames.length : Buffer.byteLength(frames);
  return `${bytes.toString(16)}\r\n${frames}\r\n`;
}
