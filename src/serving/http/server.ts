import type { IncomingMessage, Server } from 'node:http';
import { type AddressInfo, type Socket, Server as TcpServer } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { pathOf } from './admission.ts';
import { ClientConnection } from './client-connection.ts';
import { Draining } from './load/draining.ts';
import type { Exchange } from './exchange.ts';
import { HttpFault, type ParserError, parserFault, type RequestLine, requestLineOf } from './fault.ts';
import { Acceptor, type AcceptorServer } from './acceptor/acceptor.ts';
import { Gate } from './load/gate.ts';
import { checkEveryMs, type HttpLimits } from './limits.ts';
import { createServer } from './node-http.ts';
import type { ShedLevel } from './load/pressure.ts';
import { rawReply, Reply } from './reply.ts';
import { permittedStatus } from './reply-head.ts';
import { RouteTable } from './route.ts';
import { type ServedExchangeContext, ServedExchange } from './served-exchange.ts';
import type { HttpServerOptions } from './server-options.ts';
import { ConnectionRejector } from './connection-rejector.ts';

type ConnectionListener = (this: Server, socket: Socket) => void;

/** The HTTP server. It answers every input in the same way, whether it is a valid request or not. */
export class HttpServer implements ServedExchangeContext, AcceptorServer {
  readonly options: HttpServerOptions;
  /** Node's server, which reads all requests that are not simple. */
  readonly node: Server;
  readonly #routes: RouteTable;
  readonly #read: ConnectionListener | undefined;
  readonly #acceptor: Acceptor;
  readonly #connections = new Map<Socket, ClientConnection>();
  readonly #rejector = new ConnectionRejector((address) =>
    this.#rawRefusal(new HttpFault('overloaded'), address, undefined),
  );
  /** Connections that wait here are open but not read. */
  readonly #connectionGate = new Gate(() => this.#connectionsLeft());
  readonly bodyGate = new Gate(() => (this.#isGivingUp || !this.#isShedding('pause-bodies') ? 1 : 0));
  #inFlight = 0;
  #isGivingUp = false;
  #retiring: PromiseWithResolvers<void> | undefined;
  #draining: Draining | undefined;

  constructor(options: HttpServerOptions) {
    this.options = options;
    this.#routes = new RouteTable(options.routes);
    this.node = nodeServer(options.limits);
    this.#read = this.node.listeners('connection')[0] as ConnectionListener | undefined;
    this.#acceptor = new Acceptor(this);
    this.#listenTo(this.node);
    options.pressure?.onCheck(() => {
      this.#connectionGate.relieve();
      this.bodyGate.relieve();
    });
  }

  /** Exchanges that have begun or are queued. */
  get inFlight(): number {
    return this.#inFlight;
  }

  /** Open connections, including those that are not read yet. */
  get connected(): number {
    return this.#connections.size + this.#connectionGate.waiting;
  }

  get endsConnections(): boolean {
    return this.#draining !== undefined || this.#retiring !== undefined || this.#isShedding('close-connections');
  }

  async listen(host: string, port: number): Promise<{ host: string; port: number }> {
    await new Promise<void>((resolve, reject) => {
      this.node.once('error', reject);
      this.node.listen({ host, port, backlog: 4096 }, () => {
        // Accepting may fail later for lack of file descriptors: Node closes those connections and serves the others.
        this.node.off('error', reject).on('error', () => {});
        resolve();
      });
    });
    const address = this.node.address() as AddressInfo;
    return { host: address.address, port: address.port };
  }

  /**
   * Stops accepting connections. Resolves when all clients have left. Each client's next reply closes its connection;
   * idle connections close after the keep-alive timeout.
   */
  retire(): Promise<void> {
    if (!this.#retiring) {
      this.#retiring = Promise.withResolvers<void>();
      this.#stopAccepting();
      this.#resolveIfEmpty();
    }
    return this.#retiring.promise;
  }

  /**
   * Stops accepting connections. Resolves when all exchanges have ended, after a delay in which requests already sent
   * by clients are still answered. An open connection may send one more request: its reply closes the connection.
   */
  async drain(): Promise<void> {
    if (!this.#draining) {
      this.#draining = new Draining({
        clock: this.options.clock,
        running: () => this.#inFlight,
        hasKeptConnections: () => this.#hasKeptConnections(),
      });
      this.#stopAccepting();
      this.#connectionGate.admit(Number.POSITIVE_INFINITY);
      if (this.#isGivingUp) this.#draining.hurry();
      else this.#draining.check();
    }
    await this.#draining.over;
    for (const connection of this.#connections.values()) if (connection.isIdle) connection.destroy();
    // Connections from which Node has read part of a request, and its keep-alive connections.
    this.node.closeIdleConnections();
    // A server emits `close` one event-loop turn after its last connection closed. Only then may it listen again.
    await setImmediate();
  }

  /** Answers every exchange whose reply has not begun with the error. */
  giveUp(error: unknown): void {
    this.#isGivingUp = true;
    this.#acceptor.passArrivingToNode();
    for (const connection of this.#connections.values()) connection.giveUp(error);
    this.bodyGate.admit(Number.POSITIVE_INFINITY);
    this.#draining?.hurry();
  }

  noteReaders(): void {
    for (const connection of this.#connections.values()) connection.recordProgress();
  }

  /** Resets connections whose clients have read nothing since then although data is waiting. */
  cutStoppedReaders(): void {
    for (const connection of this.#connections.values()) connection.resetIfStalled();
  }

  destroy(): void {
    this.#isGivingUp = true;
    this.#stopAccepting();
    this.#connectionGate.admit(Number.POSITIVE_INFINITY);
    for (const connection of this.#connections.values()) connection.destroy();
    this.bodyGate.admit(Number.POSITIVE_INFINITY);
  }

  pathAt(host: string, path: string): string {
    const others = this.options.otherPaths?.(host, path) ?? [];
    if (others.length === 0 || this.#routes.hasPath(path)) return path;
    return others.find((other) => this.#routes.hasPath(other)) ?? path;
  }

  dispatch(exchange: Exchange): void {
    this.#routes.run(exchange);
  }

  awaitTurn({ method, path }: { readonly method: string; readonly path: string }): Promise<void> | undefined {
    if (!this.#routes.exact(method, path)?.takesSimpleRequests) return undefined;
    return new Promise((resolve) => this.#acceptor.workScheduler.pass(resolve));
  }

  begun(): void {
    this.#inFlight += 1;
    this.#draining?.begun();
  }

  finished(): void {
    this.#inFlight -= 1;
    this.#draining?.check();
  }

  #listenTo(server: Server): void {
    // Node reads a connection and starts its timeouts as soon as it sees it. So Node sees it after the gate.
    server.removeAllListeners('connection').on('connection', (socket: Socket) => {
      socket.on('error', () => {});
      if (this.connected >= this.options.limits.socketsMax) {
        this.options.onFull?.();
        return this.#rejector.send(socket);
      }
      this.#connectionGate.enter(() => {
        if (socket.destroyed) return;
        this.#acceptor.workScheduler.arrived();
        this.#acceptor.read(socket, this.#connected(socket));
        if (socket.isPaused()) socket.resume();
      });
    });
    Object.defineProperty(server, 'pauseOnConnect', { get: () => !this.#connectionGate.isFree });
    const admit = (request: IncomingMessage, reply: unknown): void => this.#admit(request, reply as Reply);
    server.on('request', admit);
    server.on('checkContinue', admit);
    server.on('checkExpectation', admit);
    server.on('clientError', (error: ParserError, socket) => this.#onParserError(error, socket as Socket));
    server.on('connect', (request, socket) => {
      this.#refuse(socket as Socket, this.#routes.fault('CONNECT', ''), {
        method: 'CONNECT',
        target: request.url ?? '',
      });
    });
  }

  serve(socket: Socket, connection: ClientConnection): void {
    this.#read?.call(this.node, socket);
    connection.listenLast();
  }

  #connected(socket: Socket): ClientConnection {
    const connection = new ClientConnection(socket, this.options.limits.headersTimeoutMs);
    this.#connections.set(socket, connection);
    socket.on('close', () => {
      this.#connections.delete(socket);
      this.#connectionGate.admit(1);
      this.#resolveIfEmpty();
      this.#draining?.check();
    });
    return connection;
  }

  #hasKeptConnections(): boolean {
    for (const { isIdle } of this.#connections.values()) if (isIdle) return true;
    return false;
  }

  #resolveIfEmpty(): void {
    if (this.connected === 0) this.#retiring?.resolve();
  }

  #connectionsLeft(): number {
    if (this.#draining || this.#isGivingUp) return Number.POSITIVE_INFINITY;
    return this.#isShedding('pause-connections') ? 0 : this.options.limits.connectionsMax - this.#connections.size;
  }

  #isShedding(level: ShedLevel): boolean {
    return this.options.pressure?.isAtLeast(level) ?? false;
  }

  #admit(request: IncomingMessage, reply: Reply): void {
    const connection = this.#connections.get(request.socket);
    if (!connection || connection.isGivenUp) return;
    this.begun();
    connection.enter(new ServedExchange(this, connection, request, reply));
  }

  /** Node's parser rejected the data, one of Node's timeouts passed, or the connection broke. */
  #onParserError(error: ParserError, socket: Socket): void {
    const fault = parserFault(error);
    if (!fault) {
      socket.destroy();
      return;
    }
    if (fault.kind === 'request-timeout' && this.#connections.get(socket)?.isDelayedByGateway) return;
    // If the packet also contains earlier requests, its first line is not the line that failed.
    const line = this.#connections.get(socket)?.isIdle ? requestLineOf(error) : undefined;
    const isUnknownMethod = error.code === 'HPE_INVALID_METHOD' && line !== undefined;
    this.#refuse(socket, isUnknownMethod ? this.#routes.fault(line.method, pathOf(line.target)) : fault, line);
  }

  #refuse(socket: Socket, fault: HttpFault, line: RequestLine | undefined): void {
    const connection = this.#connections.get(socket);
    if (!connection || connection.isGivenUp) return;
    connection.refuse(fault, () => this.#rawRefusal(fault, connection.peer, line));
  }

  #rawRefusal(error: HttpFault, address: string, line: RequestLine | undefined): string {
    const { options } = this;
    const id = options.newId();
    const path = line ? pathOf(line.target) : '';
    const explanation = options.explain(error, { id, path });
    const status = permittedStatus(explanation.status);
    const method = line?.method ?? '';
    options.observe({ id, method, path, address, status, durationMs: 0, error, clientGone: false });
    return rawReply(explanation, { id, idHeader: options.idHeader?.(path), stamp: () => options.stamp() });
  }

  /** Node's `close` comes last: it stops timeouts that running requests need, and aborts replies to slow clients. */
  #stopAccepting(): void {
    if (!this.node.listening) return;
    TcpServer.prototype.close.call(this.node, () => this.node.close(() => {}));
  }
}

function nodeServer(limits: HttpLimits): Server {
  const server = createServer({
    ServerResponse: Reply,
    maxHeaderSize: limits.headerBytesMax,
    // Node does not start if the headers timeout is longer than the request timeout.
    headersTimeout: Math.min(limits.headersTimeoutMs, limits.requestTimeoutMs),
    requestTimeout: limits.requestTimeoutMs,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    connectionsCheckingInterval: checkEveryMs(limits),
    requireHostHeader: false,
    insecureHTTPParser: false,
  }) as Server;
  // Node would silently drop headers beyond its limit. Their bytes are limited, and admission counts them.
  server.maxHeadersCount = 0;
  // Undocumented but needed: without it Node ends a reply when the client closes its sending side.
  Object.assign(server, { httpAllowHalfOpen: true });
  return server;
}
