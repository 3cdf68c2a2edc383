import type { Socket } from 'node:net';
import type { ClientConnection } from './client-connection.ts';
import { GrowingBytes } from './growing-bytes.ts';
import { type SimpleHead, simpleHead, type SimpleRoutes } from './simple-head.ts';
import { type SimpleLine, SocketExchange, type SocketFloor } from './socket-exchange.ts';

/** What the connections of an acceptor share. */
export interface SimpleFloor extends SocketFloor {
  readonly routes: SimpleRoutes;
  /** Grows by one with every look after those who wait. */
  readonly round: number;
  /** How many rounds a connection may be idle after a reply. */
  readonly idleRoundsMax: number;
  /** The last lines of a head. */
  closingLines(isKept: boolean): string;
  /** A request is arriving; it counts as running until it is finished. */
  begun(): void;
  /** Has Node's server read the connection from now on. */
  handOver(line: SimpleConnection): void;
}

/** How much of a request is gathered, or kept while another is answered. Node's server reads as much ahead. */
const keptBytesMax = 64 * 1024;

/**
 * A connection as long as it brings simple requests. Each is taken when all of it is here, and answered straight on the
 * socket. Everything else, and what does not arrive soon, is handed to Node's server with all its bytes, and so is
 * whatever the connection brings from then on.
 */
export class SimpleConnection implements SimpleLine {
  readonly socket: Socket;
  readonly connection: ClientConnection;
  readonly #floor: SimpleFloor;
  /** What arrived while it could not be taken: the beginning of a request, or what follows the one being answered. */
  #kept: GrowingBytes | undefined;
  /** The head of a request whose body is on its way. */
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

  /** The reply is out: the connection is free for what comes next, or ends. */
  sent(isKept: boolean): void {
    const exchange = this.#exchange;
    this.#exchange = undefined;
    this.#hasAnswered = true;
    this.#waitsSince = this.#floor.round;
    if (!isKept) this.connection.close();
    else if (this.#kept) this.#look(this.#kept.bytes);
    else if (this.connection.hasClientFinished) this.connection.close();
    // Last, so that what follows is in its place when it is looked whether the connection is idle.
    exchange?.closed();
  }

  /** Called once a round: who is idle for too long is let go, who has not said all of a request is handed over. */
  lookAfter(): void {
    if (this.#exchange || this.connection.isGivenUp) return;
    const rounds = this.#floor.round - this.#waitsSince;
    const isIdle = this.#hasAnswered && !this.#kept;
    if (isIdle && rounds > this.#floor.idleRoundsMax) this.connection.destroy();
    if (!isIdle && rounds > 1) this.#handOver(this.#kept?.bytes);
  }

  /** Leaves a request that is still arriving to Node's server. */
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
    // Part of a request came, and then nobody was there any more.
    if (this.#head) new SocketExchange(this.#floor, this, this.#head, Buffer.alloc(0)).closed();
  };

  #keep(piece: Buffer): void {
    this.#kept ??= new GrowingBytes();
    this.#kept.add(piece);
  }

  /** Decides about everything that has arrived. A request with another right behind it is no plain one. */
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
    // There may have been so much of it that nothing more was read.
    if (this.socket.isPaused()) this.socket.resume();
  }

  /** What has arrived is told again, in the same order, to those who listen now. */
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
