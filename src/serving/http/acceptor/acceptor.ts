import type { Socket } from 'node:net';
import type { ExchangeContext } from '../answering-exchange.ts';
import type { ClientConnection } from '../client-connection.ts';
import { checkEveryMs } from '../limits.ts';
import { SimpleConnection, type SimpleConnectionContext } from './simple-connection.ts';
import { simpleRoutes, type SimpleRoutes } from './simple-head.ts';
import type { HttpServerOptions } from '../server-options.ts';
import { WorkScheduler } from '../load/work-scheduler.ts';

export interface AcceptorServer extends ExchangeContext {
  begun(): void;
  /** Passes the connection to Node's server for good. */
  serve(socket: Socket, connection: ClientConnection): void;
}

/** Reads simple requests in front of Node's server: half the cost of a short one is Node's objects and events. */
export class Acceptor implements SimpleConnectionContext {
  readonly options: HttpServerOptions;
  readonly routes: SimpleRoutes;
  readonly workScheduler: WorkScheduler;
  readonly idleChecksMax: number;
  checkCount = 0;
  readonly #server: AcceptorServer;
  readonly #connections = new Set<SimpleConnection>();
  readonly #date = new HttpDate();
  readonly #keepAliveLines: string;
  #timer: NodeJS.Timeout | undefined;

  constructor(server: AcceptorServer) {
    this.#server = server;
    this.options = server.options;
    this.routes = simpleRoutes(server.options.routes);
    const { limits, clock } = server.options;
    this.workScheduler = new WorkScheduler({ elapsed: clock.elapsed, nextTurn: setImmediate, onError: throwUncaught });
    this.idleChecksMax = Math.ceil(limits.keepAliveTimeoutMs / checkEveryMs(limits));
    this.#keepAliveLines = `Connection: keep-alive\r\n${keepAliveHeader(limits.keepAliveTimeoutMs)}`;
  }

  get endsConnections(): boolean {
    return this.#server.endsConnections;
  }

  read(socket: Socket, connection: ClientConnection): void {
    if (this.routes.size === 0) return this.#server.serve(socket, connection);
    const simple = new SimpleConnection(this, socket, connection);
    this.#connections.add(simple);
    socket.on('close', () => this.#remove(simple));
    this.#timer ??= setInterval(this.#checkAll, checkEveryMs(this.options.limits)).unref();
  }

  passArrivingToNode(): void {
    for (const simple of this.#connections) simple.passArrivingToNode();
  }

  passToNode(simple: SimpleConnection): void {
    this.#remove(simple);
    this.#server.serve(simple.socket, simple.connection);
  }

  closingLines(isKept: boolean): string {
    return `Date: ${this.#date.text()}\r\n${isKept ? this.#keepAliveLines : 'Connection: close\r\n'}`;
  }

  begun(): void {
    this.#server.begun();
  }

  finished(): void {
    this.#server.finished();
  }

  readonly #checkAll = (): void => {
    this.checkCount += 1;
    for (const simple of this.#connections) simple.check();
  };

  #remove(simple: SimpleConnection): void {
    this.#connections.delete(simple);
    if (this.#connections.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

/** In the same form as Node writes it. */
function keepAliveHeader(keepAliveTimeoutMs: number): string {
  return keepAliveTimeoutMs > 0 ? `Keep-Alive: timeout=${Math.floor(keepAliveTimeoutMs / 1000)}\r\n` : '';
}

/** Routes report their own errors to the client. Any other error is uncaught, as without a work scheduler. */
function throwUncaught(error: unknown): void {
  queueMicrotask(() => {
    throw error;
  });
}

/** The value of the `Date` header, formatted at most once a second. */
class HttpDate {
  #second = -1;
  #text = '';

  text(): string {
    const now = Date.now();
    const second = Math.floor(now / 1000);
    if (second !== this.#second) {
      this.#second = second;
      this.#text = new Date(now).toUTCString();
    }
    return this.#text;
  }
}
