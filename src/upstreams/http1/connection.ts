import { connect as connectPlain, isIP, type LookupFunction, Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { Clock, Timer } from '../../core/clock.ts';
import { type EgressGuard, guardedLookup } from './egress-guard.ts';
import { HttpFault, type HttpFaultReason } from './http-fault.ts';
import { isLocalFailure } from './local-failure.ts';
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
  fail(fault: HttpFault): void;
}

/** Where a connection goes and what it owes its pool. */
export interface ConnectionHost {
  readonly origin: URL;
  readonly clock: Clock;
  readonly connectTimeoutMs: number;
  readonly lookup: LookupFunction;
  /** Where connections may go; anywhere if left out. */
  readonly guard: EgressGuard | undefined;
  /** The memory reads go to. */
  readBuffer(): Buffer;
  /** The exchange is over and the connection is fit for another. */
  released(connection: Connection, head: ResponseHead): void;
  closed(connection: Connection): void;
}

/** One socket and at most one exchange on it at a time. */
export class Connection {
  readonly #host: ConnectionHost;
  readonly #socket: Socket;
  #connectTimer: Timer | undefined;
  #handler: ResponseHandler | undefined;
  #reader = new ResponseReader();
  #isPaused = false;
  #error: Error | undefined;
  /** When the pool may no longer use it; the pool's own note. */
  expiresAt = 0;

  /** Begins to connect at once; a request may be sent before the connection stands. */
  constructor(host: ConnectionHost) {
    this.#host = host;
    this.#socket = openSocket(host, (bytes) => this.#read(bytes));
    this.#connectTimer = host.clock.after(host.connectTimeoutMs, () => this.#connectTimedOut());
    this.#socket.setNoDelay(true);
    this.#socket.once(host.origin.protocol === 'https:' ? 'secureConnect' : 'connect', () => this.#connected());
    this.#socket.on('error', (error) => {
      this.#error ??= error;
    });
    this.#socket.once('end', () => this.#ended());
    this.#socket.once('close', () => this.#closed());
  }

  /** Whether the connection ever stood. Before that the other side cannot have seen anything. */
  get hasStood(): boolean {
    return this.#connectTimer === undefined;
  }

  send(request: string | Buffer, handler: ResponseHandler): void {
    this.#handler = handler;
    this.#reader = new ResponseReader();
    // Most requests are ASCII, which is copied as it is; anything else has to be looked at character by character.
    this.#socket.write(request, Buffer.byteLength(request) === request.length ? 'latin1' : 'utf8');
    if (this.hasStood) handler.sent?.();
  }

  pause(): void {
    if (this.#isPaused) return;
    this.#isPaused = true;
    this.#socket.pause();
  }

  resume(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    this.#socket.resume();
  }

  /** Closes the socket; the handler hears nothing more. */
  destroy(): void {
    this.#handler = undefined;
    this.#socket.destroy();
  }

  #read(bytes: Buffer): void {
    const handler = this.#handler;
    if (!handler) return this.destroy();
    const reader = this.#reader;
    const isFirstLook = reader.head === undefined;
    try {
      reader.push(bytes);
      if (isFirstLook && reader.head) handler.head(reader.head);
      if (reader.body.length > 0 && this.#handler === handler) handler.data(reader.body);
      if (reader.isDone && this.#handler === handler) this.#finish(handler);
    } catch (error) {
      this.#broken(handler, error);
    }
  }

  /** The bytes were no response, or the handler threw: that is told to it alone, and the process goes on. */
  #broken(handler: ResponseHandler, error: unknown): void {
    if (this.#handler === handler) this.destroy();
    handler.fail(error instanceof HttpFault ? error : mistake(error));
  }

  #finish(handler: ResponseHandler): void {
    const { head, hasExcess } = this.#reader;
    this.#handler = undefined;
    this.resume();
    if (head?.keepsAlive && !hasExcess && this.#socket.writableLength === 0) this.#host.released(this, head);
    else this.#socket.destroy();
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
    this.#fail(new HttpFault(this.#reason(), message, { cause: this.#error }));
  }

  #reason(): HttpFaultReason {
    if (isLocalFailure(this.#error)) return 'local';
    return this.hasStood ? 'closed' : 'connect-failed';
  }

  #connected(): void {
    this.#host.clock.cancel(this.#connectTimer);
    this.#connectTimer = undefined;
    this.#handler?.sent?.();
  }

  #connectTimedOut(): void {
    this.#fail(new HttpFault('connect-timeout', `no connection within ${this.#host.connectTimeoutMs} ms`));
  }

  #fail(fault: HttpFault): void {
    const handler = this.#handler;
    this.destroy();
    handler?.fail(fault);
  }
}

/**
 * Reads go straight to a callback and a buffer that is used again, past the stream machinery: that machinery, and a
 * fresh buffer a read, cost more than all else this client does.
 */
function openSocket(host: ConnectionHost, read: (bytes: Buffer) => void): Socket {
  const { hostname, port, protocol } = host.origin;
  const address = hostname.replace(/^\[|\]$/g, '');
  const onread = {
    buffer: () => host.readBuffer(),
    callback: (size: number, buffer: Uint8Array) => {
      read((buffer as Buffer).subarray(0, size));
      return true;
    },
  };
  const lookup = host.guard ? guardedLookup(host.lookup, host.guard) : host.lookup;
  const endpoint = { host: address, lookup, keepAlive: true, keepAliveInitialDelay: 30_000, onread };
  const refusal = isIP(address) === 0 ? undefined : refusalOf(address, host.guard);
  if (refusal) return new Socket().destroy(refusal);
  if (protocol !== 'https:') return connectPlain({ ...endpoint, port: Number(port || 80) });
  const tlsOptions = {
    ...endpoint,
    port: Number(port || 443),
    servername: isIP(address) ? '' : address,
    ALPNProtocols: ['http/1.1'],
    rejectUnauthorized: true,
  };
  return connectTls(tlsOptions);
}

function mistake(cause: unknown): HttpFault {
  return new HttpFault('mistake', 'what came could not be taken', { cause });
}

/** An address needs no look-up, and so would get past the guard there. */
function refusalOf(address: string, guard: EgressGuard | undefined): Error | undefined {
  try {
    guard?.check(address, address);
    return undefined;
  } catch (error) {
    return error as Error;
  }
}
