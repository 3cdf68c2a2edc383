import type { Socket } from 'node:net';
import type { ExchangeFloor } from './answering-exchange.ts';
import type { ClientConnection } from './client-connection.ts';
import { HttpDate } from './http-date.ts';
import { checkEveryMs } from './limits.ts';
import { SimpleConnection, type SimpleFloor } from './simple-connection.ts';
import { simpleRoutes, type SimpleRoutes } from './simple-head.ts';
import type { HttpServerOptions } from './server-options.ts';
import { WorkScheduler } from './work-scheduler.ts';

/** The part of the server that the acceptor uses. */
export interface AcceptorServer extends ExchangeFloor {
  /** A request is arriving. */
  begun(): void;
  /** Passes the connection to Node's server for good. */
  serve(socket: Socket, connection: ClientConnection): void;
}

/**
 * Reads simple requests itself, in front of Node's HTTP server: half of the cost of a short request is the objects and
 * events that Node creates for it. One timer checks all connections.
 */
export class Acceptor implements SimpleFloor {
  readonly options: HttpServerOptions;
  readonly routes: SimpleRoutes;
  readonly entrance: WorkScheduler;
  readonly idleRoundsMax: number;
  round = 0;
  readonly #server: AcceptorServer;
  readonly #connections = new Set<SimpleConnection>();
  readonly #date = new HttpDate();
  readonly #keepLines: string;
  #timer: NodeJS.Timeout | undefined;

  constructor(server: AcceptorServer) {
    this.#server = server;
    this.options = server.options;
    this.routes = simpleRoutes(server.options.routes);
    const { limits, clock } = server.options;
    this.entrance = new WorkScheduler({ elapsed: clock.elapsed, nextTurn: setImmediate, onError: throwApart });
    this.idleRoundsMax = Math.ceil(limits.keepAliveTimeoutMs / checkEveryMs(limits));
    this.#keepLines = `Connection: keep-alive\r\n${keepAliveLine(limits.keepAliveTimeoutMs)}`;
  }

  get endsConnections(): boolean {
    return this.#server.endsConnections;
  }

  read(socket: Socket, connection: ClientConnection): void {
    if (this.routes.size === 0) return this.#server.serve(socket, connection);
    const line = new SimpleConnection(this, socket, connection);
    this.#connections.add(line);
    socket.on('close', () => this.#forget(line));
    this.#timer ??= setInterval(this.#lookAfterAll, checkEveryMs(this.options.limits)).unref();
  }

  /** Passes all requests that are still arriving to Node's server. */
  handOverBegun(): void {
    for (const line of this.#connections) line.handOverBegun();
  }

  handOver(line: SimpleConnection): void {
    this.#forget(line);
    this.#server.serve(line.socket, line.connection);
  }

  closingLines(isKept: boolean): string {
    return `Date: ${this.#date.text()}\r\n${isKept ? this.#keepLines : 'Connection: close\r\n'}`;
  }

  begun(): void {
    this.#server.begun();
  }

  finished(): void {
    this.#server.finished();
  }

  readonly #lookAfterAll = (): void => {
    this.round += 1;
    for (const line of this.#connections) line.lookAfter();
  };

  #forget(line: SimpleConnection): void {
    this.#connections.delete(line);
    if (this.#connections.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

/** In the same form as Node writes it. */
function keepAliveLine(keepAliveTimeoutMs: number): string {
  return keepAliveTimeoutMs > 0 ? `Keep-Alive: timeout=${Math.floor(keepAliveTimeoutMs / 1000)}\r\n` : '';
}

/**
 * Routes report their own errors to the client. Any other error is uncaught, as it would be without a work scheduler.
 */
function throwApart(error: unknown): void {
  queueMicrotask(() => {
    throw error;
  });
}
