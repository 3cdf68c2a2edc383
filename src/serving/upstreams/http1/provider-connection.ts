import type { Socket } from 'node:net';
import type { Clock, Timer } from '../../../core/time/clock.ts';
import { TransportFault, type TransportFaultReason } from './transport-fault.ts';
import { isLocalFailure } from './local-failure.ts';
import { openSocket, openSocketByProxy, type SocketTarget } from './open-socket.ts';
import { forwarded, refusalWords } from './proxy.ts';
import type { ResponseHead } from './response-head.ts';
import { ResponseReader } from './response-reader.ts';

/** Receives a response. No method is called after `end` or `fail`. */
export interface ResponseHandler {
  /** The connection is open and the request was written: from now on the other side may have received it. */
  sent?(): void;
  head(head: ResponseHead): void;
  /** The bytes are a view of a shared buffer: use or copy them before the call returns. */
  data(bytes: Buffer): void;
  end(): void;
  fail(fault: TransportFault): void;
}

export interface ConnectionHost extends SocketTarget {
  readonly clock: Clock;
  readonly connectTimeoutMs: number;
  /** The exchange has ended and the connection can be reused. */
  released(connection: ProviderConnection, head: ResponseHead): void;
  closed(connection: ProviderConnection): void;
}

/** One socket with at most one exchange at a time. */
export class ProviderConnection {
  readonly #host: ConnectionHost;
  /** Undefined while a proxy sets up the connection. */
  #socket: Socket | undefined;
  readonly #opening: { destroy(): void } | undefined;
  #unsent: string | Buffer | undefined;
  #connectTimer: Timer | undefined;
  #handler: ResponseHandler | undefined;
  #reader = new ResponseReader();
  #isPaused = false;
  isUnanswered = true;
  #error: Error | undefined;
  /** When the connection expires. Set by the pool. */
  expiresAt = 0;

  /** Starts to connect immediately. A request may be sent before the connection is open. */
  constructor(host: ConnectionHost) {
    this.#host = host;
    const read = (bytes: Buffer): void => this.#read(bytes);
    this.#connectTimer = host.clock.after(host.connectTimeoutMs, () => this.#connectTimedOut());
    if (!host.proxy) {
      this.#use(openSocket(host, read));
      return;
    }
    const done = (error: Error | undefined, socket?: Socket): void => {
      this.#error ??= error;
      if (socket) this.#use(socket);
      else this.#closed();
    };
    this.#opening = openSocketByProxy(host, host.proxy, { read, done });
  }

  #use(socket: Socket): void {
    const { protocol } = (this.#isForwarded && this.#host.proxy?.url) || this.#host.origin;
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.once(protocol === 'https:' ? 'secureConnect' : 'connect', () => this.#connected());
    socket.on('error', (error) => {
      this.#error ??= error;
    });
    socket.once('end', () => this.#ended());
    socket.once('close', () => this.#closed());
    if (this.#isPaused) socket.pause();
    if (this.#unsent !== undefined) this.#write(socket, this.#unsent);
    this.#unsent = undefined;
  }

  /** Whether a proxy reads the requests and forwards them, as it does with plain HTTP. */
  get #isForwarded(): boolean {
    return this.#host.proxy !== undefined && this.#host.origin.protocol === 'http:';
  }

  /** Whether the connection was ever open. Before that the other side cannot have received anything. */
  get wasConnected(): boolean {
    return this.#connectTimer === undefined;
  }

  /** Whether either side has closed it. This is known shortly before the socket is removed. */
  get isOver(): boolean {
    return this.#socket?.destroyed ?? false;
  }

  send(request: string | Buffer, handler: ResponseHandler): void {
    this.#handler = handler;
    this.isUnanswered = true;
    this.#reader = new ResponseReader();
    if (this.#socket) this.#write(this.#socket, request);
    else this.#unsent = request;
    if (this.wasConnected) handler.sent?.();
  }

  #write(socket: Socket, request: string | Buffer): void {
    const { proxy, origin } = this.#host;
    const sent = proxy && this.#isForwarded ? forwarded(request, origin, proxy) : request;
    // Most requests are ASCII and can be copied as bytes. Others must be encoded character by character.
    socket.write(sent, Buffer.byteLength(sent) === sent.length ? 'latin1' : 'utf8');
  }

  pause(): void {
    if (this.#isPaused) return;
    this.#isPaused = true;
    this.#socket?.pause();
  }

  resume(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    this.#socket?.resume();
  }

  destroy(): void {
    this.#handler = undefined;
    if (this.#socket) this.#socket.destroy();
    else this.#giveUpOpening();
  }

  #giveUpOpening(): void {
    this.#opening?.destroy();
    this.#host.clock.cancel(this.#connectTimer);
  }

  #read(bytes: Buffer): void {
    const handler = this.#handler;
    if (!handler) return this.destroy();
    this.isUnanswered = false;
    const reader = this.#reader;
    const isHeadPending = reader.head === undefined;
    try {
      reader.push(bytes);
      if (isHeadPending && reader.head) {
        this.#checkProxyRefusal(reader.head);
        handler.head(reader.head);
      }
      if (reader.body.length > 0 && this.#handler === handler) handler.data(reader.body);
      if (reader.isDone && this.#handler === handler) this.#finish(handler);
    } catch (error) {
      this.#broken(handler, error);
    }
  }

  /** Only a proxy returns 407, or 403 without JSON: the provider has not received the request or its key. */
  #checkProxyRefusal(head: ResponseHead): void {
    const { status } = head;
    const { proxy } = this.#host;
    if (!proxy || !this.#isForwarded) return;
    const isFromProxy =
      status === 407 || (status === 403 && !head.header('content-type')?.toLowerCase().includes('json'));
    if (isFromProxy) throw new TransportFault('connect-failed', refusalWords(proxy, status));
  }

  /** An invalid response, or an error of the handler. Only this handler receives it, and the process continues. */
  #broken(handler: ResponseHandler, error: unknown): void {
    if (this.#handler === handler) this.destroy();
    handler.fail(error instanceof TransportFault ? error : handlerFault(error));
  }

  #finish(handler: ResponseHandler): void {
    const { head, hasExcess } = this.#reader;
    this.#handler = undefined;
    this.resume();
    if (head?.keepsAlive && !hasExcess && this.#socket?.writableLength === 0) this.#host.released(this, head);
    else this.#socket?.destroy();
    handler.end();
  }

  #ended(): void {
    const handler = this.#handler;
    if (!handler) return this.destroy();
    try {
      this.#reader.close();
      this.#finish(handler);
    } catch (error) {
      this.#broken(handler, error);
    }
  }

  #closed(): void {
    this.#host.clock.cancel(this.#connectTimer);
    this.#host.closed(this);
    const message = this.#error?.message || 'the connection closed before the response was complete';
    this.#fail(new TransportFault(this.#reason(), message, { cause: this.#error }));
  }

  #reason(): TransportFaultReason {
    if (isLocalFailure(this.#error) || isLocalFailure(this.#error?.cause)) return 'local';
    return this.wasConnected ? 'closed' : 'connect-failed';
  }

  #connected(): void {
    this.#host.clock.cancel(this.#connectTimer);
    this.#connectTimer = undefined;
    this.#handler?.sent?.();
  }

  #connectTimedOut(): void {
    this.#fail(new TransportFault('connect-timeout', `no connection within ${this.#host.connectTimeoutMs} ms`));
  }

  #fail(fault: TransportFault): void {
    const handler = this.#handler;
    this.destroy();
    handler?.fail(fault);
  }
}

function handlerFault(cause: unknown): TransportFault {
  return new TransportFault('handler-error', 'the response handler threw an error', { cause });
}
