import type { IncomingMessage } from 'node:http';
import { HttpFault } from '../fault.ts';
import { GrowingBytes } from './growing-bytes.ts';

/** The body of a request. Nothing is read before `read` is called. */
export class RequestBody {
  readonly #request: IncomingMessage;
  readonly #bytesMax: number;
  readonly #collected = new GrowingBytes();
  /** Released at the end of the body, because a promise keeps its result in memory. */
  #reader: PromiseWithResolvers<Buffer> | undefined;
  #reason: unknown;
  #isTaken = false;
  /** Set while pieces are awaited. */
  #wake = (): void => {};

  constructor(request: IncomingMessage, bytesMax: number) {
    this.#request = request;
    this.#bytesMax = bytesMax;
  }

  /** Whether the client announced a body that has not arrived completely. */
  get isPending(): boolean {
    if (this.#request.complete) return false;
    const { headers } = this.#request;
    return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
  }

  checkSize(): void {
    if (Number(this.#request.headers['content-length'] ?? 0) > this.#bytesMax) throw this.#tooLarge();
  }

  read(): Promise<Buffer> {
    if (this.#isTaken) throw new Error('A body can be read only once.');
    this.#isTaken = true;
    if (this.#request.destroyed) this.break(incomplete());
    if (this.#reason !== undefined) return Promise.reject(this.#reason);
    this.#reader = Promise.withResolvers();
    const { promise } = this.#reader;
    this.#request.on('data', (piece: Buffer) => this.#take(piece));
    this.#request.once('end', () => this.#end());
    this.#request.once('error', () => this.break(incomplete()));
    return promise;
  }

  /** Fails the current or next `read` with the reason, and discards further data. */
  break(reason: unknown): void {
    this.#reason ??= reason;
    if (this.#isTaken) this.#request.removeAllListeners('data').resume();
    this.#reader?.reject(this.#reason);
    this.#wake();
  }

  /** The body in pieces. If the reader stops early, the rest is discarded. */
  async *pieces({
    bytesMax,
    stallMs,
  }: {
    readonly bytesMax: number;
    readonly stallMs: number;
  }): AsyncGenerator<Buffer> {
    if (this.#isTaken) throw new Error('A body can be read only once.');
    this.#isTaken = true;
    const request = this.#request;
    const wake = (): void => this.#wake();
    const fail = (): void => this.break(incomplete());
    request.on('readable', wake).once('end', wake).once('error', fail).once('aborted', fail);
    if (request.destroyed && !request.readableEnded) fail();
    const timer = setTimeout(() => this.break(new HttpFault('request-timeout')), stallMs);
    let bytes = 0;
    try {
      for (;;) {
        if (this.#reason !== undefined) throw this.#reason;
        const piece = request.read() as Buffer | null;
        if (piece !== null) {
          bytes += piece.length;
          if (bytes > bytesMax) throw tooLarge(bytesMax);
          yield piece;
          timer.refresh();
        } else if (request.readableEnded) return;
        else await new Promise<void>((resolve) => (this.#wake = resolve));
      }
    } finally {
      clearTimeout(timer);
      request.off('readable', wake).resume();
    }
  }

  #take(piece: Buffer): void {
    if (this.#collected.size + piece.length > this.#bytesMax) this.break(this.#tooLarge());
    else this.#collected.add(piece);
  }

  #end(): void {
    this.#reader?.resolve(this.#collected.take());
    this.#reader = undefined;
  }

  #tooLarge(): HttpFault {
    return tooLarge(this.#bytesMax);
  }
}

function tooLarge(bytesMax: number): HttpFault {
  return new HttpFault('body-too-large', `The request body is larger than ${bytesMax} bytes. Send a smaller request.`);
}

function incomplete(): HttpFault {
  return new HttpFault('bad-request', 'The connection ended before the complete body arrived.');
}
