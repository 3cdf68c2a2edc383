import type { Socket } from 'node:net';
import type { Clock, Timer } from '../../core/clock.ts';
import { TransportFault, type TransportFaultReason } from './transport-fault.ts';
import { isLocalFailure } from './local-failure.ts';
import { openSocket, openSocketByProxy, type SocketPlace } from './open-socket.ts';
import { forwarded } from './proxy.ts';
import { refusalWords } from './proxy-tunnel.ts';
import type { ResponseHead } from './response-head.ts';
import { ResponseReader } from './response-reader.ts';

/** Who hears of a response. After `end` or `fail` nothing more is said. */
export interface ResponseHandler {
  /** The connection stands and the request is on it: from now on the other side may have seen it. */
  sent?(): void;
  head(head: ResponseHead): void;
  /** The bytes are a view of a shared buffer: they must be used up before the call returns. */
  data(bytes: Buffer): void;
  end(): void;
  fail(fault: TransportFault): void;
}

/** Where a connection goes and what it owes its pool. */
export interface ConnectionHost extends SocketPlace {
  readonly clock: Clock;
  readonly connectTimeoutMs: number;
  /** The exchange is over and the connection is fit for another. */
  released(connection: ProviderConnection, head: ResponseHead): void;
  closed(connection: ProviderConnection): void;
}

/** One socket and at most one exchange on it at a time. */
export class ProviderConnection {
  readonly #host: ConnectionHost;
  /** There is none yet while a proxy is asked for it. */
  #socket: Socket | undefined;
  readonly #opening: { destroy(): void } | undefined;
  /** What is to be sent on a socket that is still to come. */
  #unsent: string | Buffer | undefined;
  #connectTimer: Timer | undefined;
  #handler: ResponseHandler | undefined;
  #reader = new ResponseReader();
  #isPaused = false;
  #isUnanswered = true;
  #error: Error | undefined;
  /** When the pool may no longer use it; the pool's own note. */
  expiresAt = 0;

  /** Begins to connect at once; a request may be sent before the connection stands. */
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

  /** Whether a proxy reads the requests and passes them on, as it does with plain HTTP. */
  get #isForwarded(): boolean {
    return this.#host.proxy !== undefined && this.#host.origin.protocol === 'http:';
  }

  /** Whether the connection ever stood. Before that the other side cannot have seen anything. */
  get hasStood(): boolean {
    return this.#connectTimer === undefined;
  }

  /** Whether the other side has closed it, or we have: that is known a moment before the socket is gone. */
  get isOver(): boolean {
    return this.#socket?.destroyed ?? false;
  }

  /** Whether not a byte has come since the last request was sent. */
  get isUnanswered(): boolean {
    return this.#isUnanswered;
  }

  send(request: string | Buffer, handler: ResponseHandler): void {
    this.#handler = handler;
    this.#isUnanswered = true;
    this.#reader = new ResponseReader();
    if (this.#socket) this.#write(this.#socket, request);
    else this.#unsent = request;
    if (this.hasStood) handler.sent?.();
  }

  #write(socket: Socket, request: string | Buffer): void {
    const { proxy, origin } = this.#host;
    const sent = proxy && this.#isForwarded ? forwarded(request, origin, proxy) : request;
    // Most requests are ASCII, which is copied as it is; anything else has to be looked at character by character.
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

  /** Closes the socket; the handler hears nothing more. */
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
    this.#isUnanswered = false;
    const reader = this.#reader;
    const isFirstLook = reader.head === undefined;
    try {
      reader.push(bytes);
      if (isFirstLook && reader.head) {
        this.#refusedOnTheWay(reader.head);
        handler.head(reader.head);
      }
      if (reader.body.length > 0 && this.#handler === handler) handler.data(reader.body);
      if (reader.isDone && this.#handler === handler) this.#finish(handler);
    } catch (error) {
      this.#broken(handler, error);
    }
  }

  /**
   * Only a proxy asks for a proxy's credentials, and only a proxy forbids something with a page for people: providers say
   * it in JSON. The provider has not seen the request then, and our key is none the worse for it.
   */
  #refusedOnTheWay(head: ResponseHead): void {
    const { status } = head;
    const { proxy } = this.#host;
    if (!proxy || !this.#isForwarded) return;
    const isProxys = status === 407 || (status === 403 && !head.header('content-type')?.toLowerCase().includes('json'));
    if (isProxys) throw new TransportFault('connect-failed', refusalWords(proxy, status));
  }

  /** The bytes were no response, or the handler threw: that is told to it alone, and the process goes on. */
  #broken(handler: ResponseHandler, error: unknown): void {
    if (this.#handler === handler) this.destroy();
    handler.fail(error instanceof TransportFault ? error : mistake(error));
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
    return this.hasStood ? 'closed' : 'connect-failed';
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

function mistake(cause: unknown): TransportFault {
  return new TransportFault('mistake', 'what came could not be taken', { cause });
}
