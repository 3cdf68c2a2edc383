import { ProviderConnection, type ResponseHandler } from './provider-connection.ts';
import { IdleConnections, type IdleOptions } from './idle-connections.ts';
import type { Timer } from '../../../core/time/clock.ts';
import type { TransportFault } from './transport-fault.ts';
import type { ResponseHead } from './response-head.ts';

/** Connections to one origin, kept open between requests. */
export interface HttpPool {
  /** For a request of `requestText` or `requestBytes`. Before it returns, the handler may receive only `sent`. */
  send(request: string | Buffer, handler: ResponseHandler): SentRequest;
  /** Closes idle connections and keeps no new ones. Running requests continue. */
  close(): void;
}

export interface SentRequest {
  /** Stops reading from the socket, so that backpressure reaches the other side. */
  pause(): void;
  resume(): void;
  /** Closes the connection. The handler is not called again. */
  destroy(): void;
}

/** The pools of one provider. The same address always has the same pool. */
export class HttpPools {
  readonly #options: Omit<IdleOptions, 'origin'>;
  readonly #pools = new Map<string, HttpPool>();
  #isClosed = false;

  constructor(options: Omit<IdleOptions, 'origin'>) {
    this.#options = options;
  }

  at(origin: URL): HttpPool {
    const pool = this.#pools.get(origin.origin) ?? httpPool({ ...this.#options, origin });
    this.#pools.set(origin.origin, pool);
    if (this.#isClosed) pool.close();
    return pool;
  }

  close(): void {
    this.#isClosed = true;
    for (const pool of this.#pools.values()) pool.close();
  }
}

export function httpPool(options: IdleOptions): HttpPool {
  const idle = new IdleConnections(options);
  return {
    send: (request, handler) => new PooledRequest(idle, request, handler),
    close: () => idle.close(),
  };
}

/** Time between two connection attempts while this machine lacks a resource for a connection. */
const shortageRetryMs = 250;

/**
 * One request and its response, on a kept connection if there is one. The other side may have closed that connection
 * before the request reached it. If the close comes within the resend window and without any response byte, the request
 * is sent once more, on a new connection. On a new connection, after any byte or after the window, the provider may
 * have begun: the caller must decide whether to retry, because it can judge the cost.
 */
class PooledRequest implements ResponseHandler {
  readonly #idle: IdleConnections;
  /** Released once it cannot be sent again: a long conversation must not stay in memory during its answer. */
  #request: string | Buffer;
  readonly #handler: ResponseHandler;
  /** Until when to retry after a shortage of this machine: the connect timeout. */
  readonly #retryUntil: number;
  /** Released with the last byte: from then on the connection may serve another request. */
  #connection: ProviderConnection | undefined;
  #retry: Timer | undefined;
  #isPaused = false;
  #isSent = false;
  /** Whether it was sent on a kept connection within the resend window. */
  #isResendable = false;

  constructor(idle: IdleConnections, request: string | Buffer, handler: ResponseHandler) {
    this.#idle = idle;
    this.#request = request;
    this.#handler = handler;
    this.#retryUntil = idle.now() + idle.connectTimeoutMs;
    this.#send();
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
    this.#idle.clock.cancel(this.#retry);
    this.release();
    this.#connection?.destroy();
    this.#connection = undefined;
  }

  sent(): void {
    if (!this.#isResendable) this.#request = '';
    if (this.#isSent) return;
    this.#isSent = true;
    this.#handler.sent?.();
  }

  release(): void {
    if (!this.#isResendable) return;
    this.#isResendable = false;
    this.#idle.resendable.delete(this);
    this.#request = '';
  }

  head(head: ResponseHead): void {
    this.release();
    this.#handler.head(head);
  }

  data(bytes: Buffer): void {
    this.#handler.data(bytes);
  }

  end(): void {
    this.#connection = undefined;
    this.#handler.end();
  }

  fail(fault: TransportFault): void {
    const connection = this.#connection;
    this.#connection = undefined;
    if (this.#isResendable && fault.reason === 'closed' && connection?.isUnanswered) return this.#sendAgain();
    this.release();
    if (fault.reason === 'local') this.#idle.onShortage(fault.message);
    const isUnsent = fault.reason === 'local' && connection?.wasConnected === false;
    if (!isUnsent || this.#idle.now() >= this.#retryUntil) return this.#handler.fail(fault);
    this.#retry = this.#idle.clock.after(shortageRetryMs, () => this.#send());
  }

  #send(): void {
    const kept = this.#isSent ? undefined : this.#idle.take();
    if (kept) {
      this.#isResendable = true;
      this.#idle.resendable.add(this);
    }
    this.#sendOn(kept ?? new ProviderConnection(this.#idle));
  }

  /** Not on another kept connection: an event that closes one often closes all of them. */
  #sendAgain(): void {
    this.#isResendable = false;
    this.#idle.resendable.delete(this);
    this.#sendOn(new ProviderConnection(this.#idle));
  }

  #sendOn(connection: ProviderConnection): void {
    this.#connection = connection;
    if (this.#isPaused) connection.pause();
    connection.send(this.#request, this);
  }
}
