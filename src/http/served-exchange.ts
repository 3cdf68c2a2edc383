import type { IncomingMessage } from 'node:http';
import { admissionFault, expectsContinue, originForm, pathOf } from './admission.ts';
import { bodyDigest } from './body-digest.ts';
import { clientAddress } from './client-address.ts';
import type { Connection, PipelinedRequest } from './connection.ts';
import { EventStream } from './event-stream.ts';
import type { EventStreamWriter, Exchange, JsonBody } from './exchange.ts';
import { HttpFault, type HttpFaultKind } from './fault.ts';
import type { Gate } from './gate.ts';
import { checkJsonHeaders, parseJson } from './json-body.ts';
import { preflightHeaders } from './preflight.ts';
import { countHeader } from './raw-headers.ts';
import type { Reply, ReplyingExchange } from './reply.ts';
import { type ReaderNews, ReaderWatch } from './reader-watch.ts';
import { RequestBody } from './request-body.ts';
import type { HttpServerOptions } from './server-options.ts';
import { hasUntaken, takenBytes } from './socket-progress.ts';

/** What all exchanges of a server share. */
export interface Floor {
  readonly options: HttpServerOptions;
  /** Whether connections are closed after their answer. */
  readonly endsConnections: boolean;
  /** Bodies wait here while there is no room for them. */
  readonly bodies: Gate;
  /** Finds the route of an admitted request and runs it. */
  dispatch(request: IncomingMessage, reply: Reply): void;
  finished(exchange: ServedExchange): void;
}

/** One request on its way through a connection: admitted, answered once, observed once. */
export class ServedExchange implements Exchange, ReplyingExchange, ReaderNews, PipelinedRequest {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly connection: Connection;
  readonly #floor: Floor;
  readonly #request: IncomingMessage;
  readonly #reply: Reply;
  readonly #body: RequestBody;
  readonly #startedMs: number;
  #address: string | undefined;
  #stream: EventStream | undefined;
  #watch: ReaderWatch | undefined;
  #leaving: AbortController | undefined;
  #error: unknown;
  #endsConnection = false;
  #isClosed = false;
  #isHeldUp = false;

  constructor(floor: Floor, connection: Connection, request: IncomingMessage, reply: Reply) {
    this.#floor = floor;
    this.connection = connection;
    this.#request = request;
    this.#reply = reply;
    this.#body = new RequestBody(request, floor.options.limits.bodyBytesMax);
    this.#startedMs = floor.options.clock.elapsed();
    this.id = floor.options.newId();
    this.method = request.method ?? '';
    this.path = pathOf(request.url ?? '');
    reply.exchange = this;
    reply.on('close', replyClosed);
  }

  get host(): string {
    return (this.#request.headers.host ?? '').replace(/:\d*$/, '').toLowerCase();
  }

  get address(): string {
    this.#address ??= clientAddress(
      {
        peer: this.connection.peer,
        forwardedFor: this.header('x-forwarded-for'),
        forwarded: this.header('forwarded'),
      },
      (address) => this.#floor.options.isTrustedProxy?.(address) ?? false,
    );
    return this.#address;
  }

  get query(): URLSearchParams {
    const target = this.#request.url ?? '';
    const start = target.indexOf('?');
    return new URLSearchParams(start === -1 ? '' : target.slice(start));
  }

  get gone(): AbortSignal {
    this.#leaving ??= new AbortController();
    if (this.#isClosed && !this.#reply.writableFinished) this.#leaving.abort();
    return this.#leaving.signal;
  }

  header(name: string): string | undefined {
    const key = name.toLowerCase();
    const value = this.#request.headers[key];
    if (value === undefined) return undefined;
    if (credentials.has(key) && countHeader(this.#request.rawHeaders, key) > 1) return undefined;
    return typeof value === 'string' ? value : value.join(', ');
  }

  async readJson({ party, withDigest = false }: { party?: string; withDigest?: boolean } = {}): Promise<JsonBody> {
    const { headers } = this.#request;
    checkJsonHeaders(headers['content-type'], headers['content-encoding']);
    this.#body.checkSize();
    if (this.#body.isPending && !this.#floor.bodies.isFree) await this.#bodyTurn(party);
    if (expectsContinue(this.#request)) this.#reply.writeContinue();
    const bytes = await this.#body.read();
    const { text, value } = await parseJson(bytes, this.#floor.options.limits);
    const digest = withDigest ? await bodyDigest(bytes) : undefined;
    return { text, value, bytes: bytes.length, digest };
  }

  json(status: number, value: unknown): void {
    this.send(status, 'application/json', JSON.stringify(value));
  }

  send(status: number, contentType: string, body: string | Buffer, headers: readonly string[] = []): void {
    const length = String(Buffer.byteLength(body));
    this.#respond(status, ['content-type', contentType, 'content-length', length, ...headers], body);
  }

  fail(error: unknown): void {
    this.#error ??= error;
    if (this.#reply.destroyed || this.#reply.writableEnded) return;
    if (this.#reply.headersSent) return this.#cut();
    if (error instanceof HttpFault && endingKinds.has(error.kind)) this.#endsConnection = true;
    try {
      const { status, headers, body } = this.#floor.options.explain(error, this);
      this.send(status, 'application/json', body, headers);
    } catch {
      this.#cut();
    }
  }

  openEventStream(): EventStreamWriter {
    this.#stream ??= new EventStream(this.#reply, this, (error) => {
      this.#error ??= error;
    });
    return this.#stream;
  }

  /** Something of the reply went out. Most replies are taken at once, and need no watch over their reader. */
  wrote(): void {
    const { socket } = this.#reply;
    if (!socket || !hasUntaken(socket)) return;
    const { clock, limits } = this.#floor.options;
    this.#watch ??= new ReaderWatch({
      clock,
      stallMs: limits.readerStallMs,
      taken: () => takenBytes(socket),
      // A reset also gives back what the system keeps for this reader, and cannot be taken for the end of a stream.
      stalled: () => socket.resetAndDestroy(),
    });
    this.#watch.wrote();
  }

  /** The reader has taken all of it, or there is no reader any more. */
  drained(): void {
    this.#watch?.drained();
  }

  get idHeader(): string | undefined {
    return this.#floor.options.idHeader?.(this.path);
  }

  stamp(): string {
    return this.#floor.options.stamp();
  }

  keepsConnection(): boolean {
    if (this.#endsConnection || this.#body.isPending) return false;
    return this.connection.isOwing || !(this.connection.hasClientFinished || this.#floor.endsConnections);
  }

  get isReceiving(): boolean {
    return this.#body.isPending;
  }

  begin(): void {
    const fault = admissionFault(this.#request, this.#floor.options.limits.headersMax);
    if (fault) return this.fail(fault);
    if (this.method === 'OPTIONS') {
      return this.#respond(204, preflightHeaders(this.header('access-control-request-headers')), '');
    }
    this.#request.url = originForm(this.#request.url ?? '');
    this.#floor.dispatch(this.#request, this.#reply);
  }

  breakBody(fault: HttpFault): void {
    this.#body.break(fault);
  }

  get isHeldUp(): boolean {
    return this.#isHeldUp;
  }

  giveUp(error: unknown): void {
    if (this.#reply.headersSent || this.#reply.destroyed) return;
    this.#body.break(error);
    this.fail(error);
  }

  probe(): boolean {
    const { socket } = this.#reply;
    if (!socket || this.#reply.destroyed || this.#reply.writableEnded) return false;
    if (this.#reply.headersSent) {
      this.#stream?.write(emptyComment);
      return this.#stream !== undefined;
    }
    const piece = statusLineStart[this.#reply.charactersAhead];
    if (piece === undefined) return false;
    this.#reply.charactersAhead += 1;
    socket.write(piece);
    return true;
  }

  closed(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.drained();
    const isFinished = this.#reply.writableFinished;
    if (!isFinished) this.#leaving?.abort();
    this.#floor.options.observe({
      id: this.id,
      method: this.method,
      path: this.path,
      address: this.address,
      status: this.#reply.headersSent ? this.#reply.statusCode : 0,
      durationMs: this.#floor.options.clock.elapsed() - this.#startedMs,
      error: this.#error,
      clientGone: !isFinished && !this.#stream?.isCut,
    });
    this.connection.leave(this);
    this.#floor.finished(this);
  }

  /** The time Node allows for a request passes meanwhile, so afterwards the body gets that time of its own. */
  async #bodyTurn(party: string | undefined): Promise<void> {
    const { socket } = this.#request;
    this.#isHeldUp = true;
    socket.pause();
    await new Promise<void>((resolve) => this.#floor.bodies.enter(resolve, party));
    socket.resume();
    const tooSlow = new HttpFault('request-timeout');
    const timer = setTimeout(() => this.#body.break(tooSlow), this.#floor.options.limits.requestTimeoutMs).unref();
    this.#reply.once('close', () => clearTimeout(timer));
  }

  #respond(status: number, headers: string[], body: string | Buffer): void {
    if (this.#reply.destroyed) return;
    this.#reply.writeHead(status, headers);
    this.#reply.end(body);
    this.wrote();
  }

  #cut(): void {
    if (this.#stream) this.#stream.destroy();
    else this.#reply.destroy();
  }
}

function replyClosed(this: Reply): void {
  this.exchange?.closed();
}

const credentials = new Set(['authorization', 'x-api-key']);

/** After these nobody can say where the next request would begin. */
const endingKinds: ReadonlySet<HttpFaultKind> = new Set([
  'bad-request',
  'headers-too-large',
  'request-timeout',
  'body-too-large',
]);

/** What every reply begins with, whatever its status. */
const statusLineStart = 'HTTP/1.1 ';

const emptyComment = ':\n\n';
