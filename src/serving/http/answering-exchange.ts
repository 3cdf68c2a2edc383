import { clientAddress } from './client-address.ts';
import type { ClientConnection, PipelinedRequest } from './client-connection.ts';
import { EventStream } from './event-stream.ts';
import type { BodyWatch, SimpleStreamWriter, Exchange, JsonBody } from './exchange.ts';
import { HttpFault, type HttpFaultKind } from './fault.ts';
import type { ReplyingExchange } from './reply.ts';
import type { ReplyWire } from './reply-head.ts';
import { acceptedBytes, hasUnacceptedBytes, ReaderWatch, type WriteObserver } from './slow-client-timeout.ts';
import type { HttpServerOptions } from './server-options.ts';

export interface ExchangeContext {
  readonly options: HttpServerOptions;
  readonly endsConnections: boolean;
  /** Called once when an exchange has ended and its connection is free for the next. */
  finished(): void;
}

/** The reply half of an exchange, independent of how its request was read. It is answered once and observed once. */
export abstract class AnsweringExchange implements Exchange, ReplyingExchange, WriteObserver, PipelinedRequest {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly startedMs: number;
  readonly connection: ClientConnection;
  readonly #context: ExchangeContext;
  #address: string | undefined;
  #stream: EventStream | undefined;
  #readerWatch: ReaderWatch | undefined;
  #goneController: AbortController | undefined;
  #onGone: (() => void) | undefined;
  protected bodyWatch: BodyWatch | undefined;
  #error: unknown;
  #endsConnection = false;
  #isClosed = false;

  constructor(context: ExchangeContext, connection: ClientConnection, method: string, path: string) {
    this.#context = context;
    this.connection = connection;
    this.startedMs = context.options.clock.elapsed();
    this.id = context.options.newId();
    this.method = method;
    this.path = path;
  }

  protected abstract readonly reply: ReplyWire;
  abstract readonly host: string;
  abstract readonly query: URLSearchParams;
  abstract readonly isReceiving: boolean;
  abstract readonly isDelayedByGateway: boolean;
  /** Whether another request or reply follows on this connection. */
  protected abstract readonly isFollowed: boolean;
  abstract header(name: string): string | undefined;
  abstract readJson(options?: { readonly party?: string; readonly withDigest?: boolean }): Promise<JsonBody>;
  abstract readBytes(options?: { readonly party?: string }): Promise<Buffer>;
  abstract readPieces(options: { readonly bytesMax: number }): AsyncIterable<Buffer>;
  abstract begin(): void;
  abstract breakBody(reason: unknown): void;

  get address(): string {
    this.#address ??= clientAddress(
      { peer: this.connection.peer, forwardedFor: this.header('x-forwarded-for'), forwarded: this.header('forwarded') },
      (address) => this.#isTrusted(address),
    );
    return this.#address;
  }

  get isSecure(): boolean {
    const [scheme] = this.header('x-forwarded-proto')?.split(',') ?? [];
    return scheme?.trim().toLowerCase() === 'https' && this.#isTrusted(this.connection.peer);
  }

  get gone(): AbortSignal {
    this.#goneController ??= new AbortController();
    if (this.isGone) this.#goneController.abort();
    return this.#goneController.signal;
  }

  get isGone(): boolean {
    return this.#isClosed && !this.reply.writableFinished;
  }

  protected get isOver(): boolean {
    return this.reply.destroyed || this.reply.writableEnded;
  }

  onGone(callback: () => void): void {
    this.#onGone = callback;
  }

  json(status: number, value: unknown): void {
    this.send(status, 'application/json', JSON.stringify(value));
  }

  send(status: number, contentType: string, body: string | Buffer, headers: readonly string[] = []): void {
    const length = String(Buffer.byteLength(body));
    this.respond(status, ['content-type', contentType, 'content-length', length, ...headers], body);
  }

  fail(error: unknown): void {
    this.#error ??= error;
    if (this.isOver) return;
    if (this.reply.headersSent) return this.#abort();
    if (error instanceof HttpFault && endingKinds.has(error.kind)) this.#endsConnection = true;
    try {
      const { status, headers, body } = this.#context.options.explain(error, this);
      this.send(status, 'application/json', body, headers);
    } catch {
      this.#abort();
    }
  }

  openEventStream(contentType?: string): SimpleStreamWriter {
    const onError = (error: unknown): void => {
      this.#error ??= error;
    };
    this.#stream ??= new EventStream(this.reply, this, onError, contentType);
    this.#stream.watch = this.bodyWatch;
    return this.#stream;
  }

  watchBodies(watch: BodyWatch): void {
    this.bodyWatch = watch;
  }

  /** Called after each write. The kernel accepts most replies at once; only the others need a slow-client timeout. */
  wrote(): void {
    const { socket } = this.reply;
    if (!socket || !hasUnacceptedBytes(socket)) return;
    const { clock, limits } = this.#context.options;
    this.#readerWatch ??= new ReaderWatch({
      clock,
      stallMs: limits.readerStallMs,
      taken: () => acceptedBytes(socket),
      // A reset also frees the kernel's buffers for this client, and does not look like the end of a stream.
      stalled: () => socket.resetAndDestroy(),
    });
    this.#readerWatch.wrote();
  }

  drained(): void {
    this.#readerWatch?.drained();
  }

  get idHeader(): string | undefined {
    return this.#context.options.idHeader?.(this.path);
  }

  stamp(): string {
    return this.#context.options.stamp();
  }

  keepsConnection(): boolean {
    if (this.#endsConnection || this.isReceiving) return false;
    return this.isFollowed || !(this.connection.hasClientFinished || this.#context.endsConnections);
  }

  giveUp(error: unknown): void {
    if (this.reply.headersSent || this.reply.destroyed) return;
    this.breakBody(error);
    this.fail(error);
  }

  probe(): boolean {
    const { reply } = this;
    if (!reply.socket || reply.destroyed || reply.writableEnded) return false;
    if (reply.headersSent) {
      return this.#stream?.probe() ?? false;
    }
    const piece = statusLineStart[reply.probedCharacters];
    if (piece === undefined) return false;
    reply.probedCharacters += 1;
    reply.socket.write(piece);
    return true;
  }

  closed(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.drained();
    const isFinished = this.reply.writableFinished;
    if (!isFinished) this.#notifyGone();
    this.#context.options.observe({
      id: this.id,
      method: this.method,
      path: this.path,
      address: this.address,
      status: this.reply.headersSent ? this.reply.statusCode : 0,
      durationMs: this.#context.options.clock.elapsed() - this.startedMs,
      error: this.#error,
      clientGone: !isFinished && !this.#stream?.isDestroyed,
    });
    this.connection.leave(this);
    this.#context.finished();
  }

  protected respond(status: number, headers: string[], body: string | Buffer): void {
    if (this.reply.destroyed) return;
    this.reply.writeHead(status, headers);
    this.bodyWatch?.sent(body, 'utf8');
    this.reply.end(body, 'utf8');
    this.wrote();
  }

  #isTrusted(address: string): boolean {
    return this.#context.options.isTrustedProxy?.(address) ?? false;
  }

  /** If the listener throws, the exchange still ends and is observed. */
  #notifyGone(): void {
    this.#goneController?.abort();
    try {
      this.#onGone?.();
    } catch (error) {
      this.#error ??= error;
    }
  }

  #abort(): void {
    if (this.#stream) this.#stream.destroy();
    else this.reply.destroy();
  }
}

/** After these faults it is unknown where the next request begins. */
const endingKinds: ReadonlySet<HttpFaultKind> = new Set([
  'bad-request',
  'headers-too-large',
  'request-timeout',
  'body-too-large',
  'upgrade-refused',
]);

/** Every reply begins with this, whatever its status. */
const statusLineStart = 'HTTP/1.1 ';
