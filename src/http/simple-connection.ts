import type { Socket } from 'node:net';
import type { ClientConnection } from './client-connection.ts';
import { GrowingBytes } from './growing-bytes.ts';
import { type SimpleHead, simpleHead, type SimpleRoutes } from './simple-head.ts';
import { type SimpleLine, SocketExchange, type SocketFloor } from './socket-exchange.ts';

/** The parts that the connections of an acceptor share. */
export interface SimpleFloor extends SocketFloor {
  readonly routes: SimpleRoutes;
  /** Number of periodic checks so far. */
  readonly round: number;
  /** How many checks a connection may be idle after a reply. */
  readonly idleRoundsMax: number;
  /** The last header lines of a reply. */
  closingLines(isKept: boolean): string;
  /** A request has begun to arrive; it counts as in flight until `finished`. */
  begun(): void;
  /** Passes the connection to Node's server for good. */
  handOver(line: SimpleConnection): void;
}

/** The most bytes that are buffered for a request, or during an answer. Node's server reads as much ahead. */
const keptBytesMax = 64 * 1024;

/**
 * A connection that has only brought simple requests so far. Each request is handled once it has arrived completely,
 * and answered directly on the socket. For any other request, or one that arrives slowly, Node's server gets all
 * buffered bytes and the connection for good.
 */
export class SimpleConnection implements SimpleLine {
  readonly socket: Socket;
  readonly connection: ClientConnection;
  readonly #floor: SimpleFloor;
  /** Bytes that cannot be handled yet: the beginning of a request, or data after the request being answered. */
  #kept: GrowingBytes | undefined;
  /** The head of a request whose body is still arriving. */
  #head: SimpleHead | undefined;
  #exchange: SocketExchange | undefined;
  #hasAnswered = false;
  #waitsSince: number;

  constructor(floor: SimpleFloor, socket: Socket, connection: ClientConnection) {
    this.#floor = floor;
    this.socket = socket;
    this.connection = connection;
    this.#waitsSince = floor.round;
    socket.on('data', this.#arrived).on('end', this.#ended).on('close', this.#closed);
  }

  get hasMore(): boolean {
    return this.#kept !== undefined;
  }

  closingLines(isKept: boolean): string {
    return this.#floor.closingLines(isKept);
  }

  /** The reply has been sent: the connection handles the next request, or closes. */
  sent(isKept: boolean): void {
    const exchange = this.#exchange;
    this.#exchange = undefined;
    this.#hasAnswered = true;
    this.#waitsSince = this.#floor.round;
    if (!isKept) this.connection.close();
    else if (this.#kept) this.#look(this.#kept.bytes);
    else if (this.connection.hasClientFinished) this.connection.close();
    // Must be last: the drain checks whether the connection is idle, and the next request must be registered by then.
    exchange?.closed();
  }

  /** Called at every check: closes idle connections, and passes requests that arrive slowly to Node's server. */
  lookAfter(): void {
    if (this.#exchange || this.connection.isGivenUp) return;
    const rounds = this.#floor.round - this.#waitsSince;
    const isIdle = this.#hasAnswered && !this.#kept;
    if (isIdle && rounds > this.#floor.idleRoundsMax) this.connection.destroy();
    if (!isIdle && rounds > 1) this.#handOver(this.#kept?.bytes);
  }

  /** Passes a request that is still arriving to Node's server. */
  handOverBegun(): void {
    if (this.#head) this.#handOver(this.#kept?.bytes);
  }

  readonly #arrived = (piece: Buffer): void => {
    if (!this.#exchange && !this.#kept) return this.#look(piece);
    this.#keep(piece);
    if (!this.#exchange) this.#look(this.#kept?.bytes ?? piece);
    else if ((this.#kept?.size ?? 0) > keptBytesMax) this.socket.pause();
  };

  readonly #ended = (): void => {
    if (this.#exchange || this.connection.isGivenUp) return;
    if (this.#kept) this.#handOver(this.#kept.bytes);
    else this.connection.close();
  };

  readonly #closed = (): void => {
    // The client left after a part of a request.
    if (this.#head) new SocketExchange(this.#floor, this, this.#head, Buffer.alloc(0)).closed();
  };

  #keep(piece: Buffer): void {
    this.#kept ??= new GrowingBytes();
    this.#kept.add(piece);
  }

  /** Handles everything that has arrived. A request with another directly after it is not simple. */
  #look(bytes: Buffer): void {
    const head = this.#head ?? this.#newHead(bytes);
    if (!head) return this.#handOver(bytes);
    const requestBytes = head.bodyStart + head.bodyBytes;
    if (bytes.length === requestBytes) return this.#take(head, bytes);
    if (bytes.length > requestBytes || requestBytes > keptBytesMax) return this.#handOver(bytes);
    if (this.#head) return;
    if (!this.#kept) this.#keep(bytes);
    this.#head = head;
    this.#waitsSince = this.#floor.round;
    this.#floor.begun();
  }

  #newHead(bytes: Buffer): SimpleHead | undefined {
    if (this.#floor.endsConnections || this.connection.hasClientFinished) return undefined;
    return simpleHead(bytes, this.#floor.routes, this.#floor.options.limits);
  }

  #take(head: SimpleHead, bytes: Buffer): void {
    if (!this.#head) this.#floor.begun();
    this.#head = undefined;
    this.#kept = undefined;
    this.#exchange = new SocketExchange(this.#floor, this, head, bytes.subarray(head.bodyStart));
    this.connection.enter(this.#exchange);
    // The socket may be paused because the buffer was full.
    if (this.socket.isPaused()) this.socket.resume();
  }

  /** Removes this connection's listeners and replays the buffered data, in order, to Node's. */
  #handOver(bytes: Buffer | undefined): void {
    const { socket, connection } = this;
    const wasBegun = this.#head !== undefined;
    this.#head = undefined;
    socket.off('data', this.#arrived).off('end', this.#ended).off('close', this.#closed);
    this.#floor.handOver(this);
    if (bytes) socket.emit('data', bytes);
    if (connection.hasClientFinished && !socket.destroyed) socket.emit('end');
    if (socket.isPaused()) socket.resume();
    if (wasBegun) this.#floor.finished();
  }
}
