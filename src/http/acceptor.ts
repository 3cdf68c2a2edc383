import type { Socket } from 'node:net';
import type { ExchangeFloor } from './answering-exchange.ts';
import type { ClientConnection } from './client-connection.ts';
import { HttpDate } from './http-date.ts';
import { checkEveryMs } from './limits.ts';
import { SimpleConnection, type SimpleFloor } from './simple-connection.ts';
import { simpleRoutes, type SimpleRoutes } from './simple-head.ts';
import type { HttpServerOptions } from './server-options.ts';
import { WorkScheduler } from './work-scheduler.ts';

/** The server behind an acceptor. */
export interface AcceptorServer extends ExchangeFloor {
  /** A request is arriving. */
  begun(): void;
  /** Has Node's server read the connection from now on. */
  serve(socket: Socket, connection: ClientConnection): void;
}

/**
 * Stands before Node's HTTP server and takes the simple requests itself: half of what a short request costs is Node's way
 * to make objects and events of it. One timer looks after all connections.
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

  /** Reads a fresh connection. */
  read(socket: Socket, connection: ClientConnection): void {
    if (this.routes.size === 0) return this.#server.serve(socket, connection);
    const line = new SimpleConnection(this, socket, connection);
    this.#connections.add(line);
    socket.on('close', () => this.#forget(line));
    this.#timer ??= setInterval(this.#lookAfterAll, checkEveryMs(this.options.limits)).unref();
  }

  /** Leaves all requests that are still arriving to Node's server. */
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

/** As Node writes it. */
function keepAliveLine(keepAliveTimeoutMs: number): string {
  return keepAliveTimeoutMs > 0 ? `Keep-Alive: timeout=${Math.floor(keepAliveTimeoutMs / 1000)}\r\n` : '';
}

/** Routes tell their clients what goes wrong. Whatever else does is uncaught, as it would be without a work scheduler. */
function throwApart(error: unknown): void {
  queueMicrotask(() => {
    throw error;
  });
}
