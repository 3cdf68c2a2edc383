import { Connection, type ResponseHandler } from './connection.ts';
import type { HttpFault } from './http-fault.ts';
import type { IdleConnections } from './idle-connections.ts';
import type { ResponseHead } from './response-head.ts';

/**
 * A kept connection may have been closed by the server just as it was taken. That shows at once, and the request is
 * then sent anew, once; a connection that dies later has died of something else.
 */
const staleWindowMs = 5_000;

/** One request and its response, on a kept connection if there is one. */
export class PooledRequest implements ResponseHandler {
  readonly #idle: IdleConnections;
  readonly #request: string;
  readonly #handler: ResponseHandler;
  /** Let go of with the last byte: from then on the connection may serve someone else. */
  #connection: Connection | undefined;
  #mayBeStaleUntil: number;
  #isPaused = false;

  constructor(idle: IdleConnections, request: string, handler: ResponseHandler) {
    this.#idle = idle;
    this.#request = request;
    this.#handler = handler;
    const kept = idle.take();
    this.#mayBeStaleUntil = kept ? idle.now() + staleWindowMs : 0;
    this.#connection = kept ?? new Connection(idle);
    this.#connection.send(request, this);
  }

  pause(): void {
    this.#isPaused = true;
    this.#connection?.pause();
  }

  resume(): void {
    this.#isPaused = false;
    this.#connection?.resume();
  }

  destroy(): void {
    this.#connection?.destroy();
    this.#connection = undefined;
  }

  head(head: ResponseHead): void {
    this.#handler.head(head);
  }

  data(bytes: Buffer): void {
    this.#handler.data(bytes);
  }

  end(): void {
    this.#connection = undefined;
    this.#handler.end();
  }

  fail(fault: HttpFault): void {
    const isStale =
      fault.reason === 'closed' && !this.#connection?.hasAnswered && this.#idle.now() < this.#mayBeStaleUntil;
    this.#connection = undefined;
    if (!isStale) return this.#handler.fail(fault);
    this.#mayBeStaleUntil = 0;
    this.#connection = new Connection(this.#idle);
    if (this.#isPaused) this.#connection.pause();
    this.#connection.send(this.#request, this);
  }
}
