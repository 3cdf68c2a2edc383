import type { Socket } from 'node:net';
import type { ClientConnection } from '../client-connection.ts';
import { GrowingBytes } from '../body/growing-bytes.ts';
import { type SimpleHead, simpleHead, type SimpleRoutes } from './simple-head.ts';
import { AnsweringExchange, type ExchangeContext } from '../answering-exchange.ts';
import { bodyDigestNow } from '../body/body-digest.ts';
import type { JsonBody, SimpleExchange } from '../exchange.ts';
import { hostName } from '../admission.ts';
import { checkEncoding, checkJsonHeaders, type ParsedJson, parseJsonNow } from '../body/json-body.ts';
import { type ReplyConnection, SimpleReply } from './simple-reply.ts';
import { runRoute } from '../route.ts';
import type { WorkScheduler } from '../load/work-scheduler.ts';

export interface SimpleConnectionContext extends ExchangeContext {
  readonly routes: SimpleRoutes;
  /** Spreads the start of their routes over event-loop turns. */
  readonly workScheduler: WorkScheduler;
  readonly checkCount: number;
  readonly idleChecksMax: number;
  closingLines(isKept: boolean): string;
  /** A request has begun to arrive; it counts as in flight until `finished`. */
  begun(): void;
  passToNode(connection: SimpleConnection): void;
}

/** The most bytes that are buffered for a request, or during an answer. Node's server reads as much ahead. */
const maxBufferedBytes = 64 * 1024;

/** Reads simple requests. For any other, or a slow one, Node's server gets all bytes and the connection for good. */
export class SimpleConnection implements ReplyConnection {
  readonly socket: Socket;
  readonly connection: ClientConnection;
  readonly #context: SimpleConnectionContext;
  /** Bytes that cannot be handled yet: the beginning of a request, or data after the request being answered. */
  #buffered: GrowingBytes | undefined;
  #head: SimpleHead | undefined;
  #exchange: SocketExchange | undefined;
  #hasAnswered = false;
  #waitingSinceCheck: number;

  constructor(context: SimpleConnectionContext, socket: Socket, connection: ClientConnection) {
    this.#context = context;
    this.socket = socket;
    this.connection = connection;
    this.#waitingSinceCheck = context.checkCount;
    socket.on('data', this.#onData).on('end', this.#onEnd).on('close', this.#onClose);
  }

  get hasMore(): boolean {
    return this.#buffered !== undefined;
  }

  closingLines(isKept: boolean): string {
    return this.#context.closingLines(isKept);
  }

  /** The reply has been sent: the connection handles the next request, or closes. */
  sent(isKept: boolean): void {
    const exchange = this.#exchange;
    this.#exchange = undefined;
    this.#hasAnswered = true;
    this.#waitingSinceCheck = this.#context.checkCount;
    if (!isKept) this.connection.close();
    else if (this.#buffered) this.#process(this.#buffered.bytes);
    else if (this.connection.hasClientFinished) this.connection.close();
    // Must be last: the drain checks whether the connection is idle, and the next request must be registered by then.
    exchange?.closed();
  }

  /** Called at every check: closes idle connections, and passes requests that arrive slowly to Node's server. */
  check(): void {
    if (this.#exchange || this.connection.isGivenUp) return;
    const checks = this.#context.checkCount - this.#waitingSinceCheck;
    const isIdle = this.#hasAnswered && !this.#buffered;
    if (isIdle && checks > this.#context.idleChecksMax) this.connection.destroy();
    if (!isIdle && checks > 1) this.#passToNode(this.#buffered?.bytes);
  }

  passArrivingToNode(): void {
    if (this.#head) this.#passToNode(this.#buffered?.bytes);
  }

  readonly #onData = (piece: Buffer): void => {
    if (!this.#exchange && !this.#buffered) return this.#process(piece);
    this.#buffer(piece);
    if (!this.#exchange) this.#process(this.#buffered?.bytes ?? piece);
    else if ((this.#buffered?.size ?? 0) > maxBufferedBytes) this.socket.pause();
  };

  readonly #onEnd = (): void => {
    if (this.#exchange || this.connection.isGivenUp) return;
    if (this.#buffered) this.#passToNode(this.#buffered.bytes);
    else this.connection.close();
  };

  readonly #onClose = (): void => {
    // The client left after a part of a request.
    if (this.#head) new SocketExchange(this.#context, this, this.#head, Buffer.alloc(0)).closed();
  };

  #buffer(piece: Buffer): void {
    this.#buffered ??= new GrowingBytes();
    this.#buffered.add(piece);
  }

  /** Handles everything that has arrived. A request with another directly after it is not simple. */
  #process(bytes: Buffer): void {
    const head = this.#head ?? this.#parseHead(bytes);
    if (!head) return this.#passToNode(bytes);
    const requestBytes = head.bodyStart + head.bodyBytes;
    if (bytes.length === requestBytes) return this.#take(head, bytes);
    if (bytes.length > requestBytes || requestBytes > maxBufferedBytes) return this.#passToNode(bytes);
    if (this.#head) return;
    if (!this.#buffered) this.#buffer(bytes);
    this.#head = head;
    this.#waitingSinceCheck = this.#context.checkCount;
    this.#context.begun();
  }

  #parseHead(bytes: Buffer): SimpleHead | undefined {
    if (this.#context.endsConnections || this.connection.hasClientFinished) return undefined;
    return simpleHead(bytes, this.#context.routes, this.#context.options.limits);
  }

  #take(head: SimpleHead, bytes: Buffer): void {
    if (!this.#head) this.#context.begun();
    this.#head = undefined;
    this.#buffered = undefined;
    this.#exchange = new SocketExchange(this.#context, this, head, bytes.subarray(head.bodyStart));
    this.connection.enter(this.#exchange);
    // The socket may be paused because the buffer was full.
    if (this.socket.isPaused()) this.socket.resume();
  }

  /** Removes this connection's listeners and replays the buffered data, in order, to Node's. */
  #passToNode(bytes: Buffer | undefined): void {
    const { socket, connection } = this;
    const wasBegun = this.#head !== undefined;
    this.#head = undefined;
    socket.off('data', this.#onData).off('end', this.#onEnd).off('close', this.#onClose);
    this.#context.passToNode(this);
    if (bytes) socket.emit('data', bytes);
    if (connection.hasClientFinished && !socket.destroyed) socket.emit('end');
    if (socket.isPaused()) socket.resume();
    if (wasBegun) this.#context.finished();
  }
}

/** One request that was read completely from the socket; its reply is written directly to the socket. */
class SocketExchange extends AnsweringExchange implements SimpleExchange {
  readonly isSimpleExchange = true;
  readonly isReceiving = false;
  readonly isDelayedByGateway = false;
  protected readonly reply: SimpleReply;
  readonly #context: SimpleConnectionContext;
  readonly #simpleConnection: SimpleConnection;
  readonly #head: SimpleHead;
  #body: Buffer | undefined;
  #parsed: ParsedJson | undefined;

  constructor(context: SimpleConnectionContext, connection: SimpleConnection, head: SimpleHead, body: Buffer) {
    super(context, connection.connection, head.route.method, head.route.path);
    this.#context = context;
    this.#simpleConnection = connection;
    this.#head = head;
    this.#body = body;
    this.reply = new SimpleReply(connection, this);
  }

  get host(): string {
    return hostName(this.#head.headers.get('host'));
  }

  get query(): URLSearchParams {
    return new URLSearchParams();
  }

  header(name: string): string | undefined {
    return this.#head.headers.get(name.toLowerCase());
  }

  jsonNow({ withDigest }: { readonly withDigest: boolean }): JsonBody | undefined {
    const { headers } = this.#head;
    const bytes = this.#body;
    if (!bytes) return undefined;
    checkJsonHeaders(headers.get('content-type'), headers.get('content-encoding'));
    this.#parsed ??= parseJsonNow(bytes, this.#context.options.limits);
    const { text, value, hasLongNumbers = false } = this.#parsed;
    const digest = withDigest ? bodyDigestNow(bytes) : undefined;
    return { text, value, hasLongNumbers, bytes: bytes.length, digest };
  }

  async readJson({ withDigest = false }: { party?: string; withDigest?: boolean } = {}): Promise<JsonBody> {
    if (this.#body) this.bodyWatch?.received(this.#body);
    const body = this.jsonNow({ withDigest });
    if (!body) throw new Error('A body can be read only once.');
    this.releaseBody();
    return body;
  }

  async readBytes(): Promise<Buffer> {
    const bytes = this.#body;
    if (!bytes) throw new Error('A body can be read only once.');
    this.bodyWatch?.received(bytes);
    checkEncoding(this.#head.headers.get('content-encoding'));
    this.releaseBody();
    return bytes;
  }

  async *readPieces(): AsyncIterable<Buffer> {
    yield await this.readBytes();
  }

  releaseBody(): void {
    this.#body = undefined;
    this.#parsed = undefined;
  }

  begin(): void {
    this.#context.workScheduler.pass(() => {
      // The client may have left in the meantime, or the exchange may have been rejected.
      if (!this.isOver) runRoute(this.#head.route, this, {});
    });
  }

  /** Nothing to do: the complete body has arrived. */
  breakBody(): void {}

  protected get isFollowed(): boolean {
    return this.#simpleConnection.hasMore;
  }
}
