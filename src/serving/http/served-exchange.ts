import type { IncomingMessage } from 'node:http';
import { admissionFault, countHeader, expectsContinue, hostName, pathOf } from './admission.ts';
import { AnsweringExchange, type ExchangeContext } from './answering-exchange.ts';
import { bodyDigest } from './body/body-digest.ts';
import type { ClientConnection } from './client-connection.ts';
import type { Exchange, JsonBody } from './exchange.ts';
import { HttpFault } from './fault.ts';
import type { Gate } from './load/gate.ts';
import { checkEncoding, checkJsonHeaders, parseJson } from './body/json-body.ts';
import type { Reply } from './reply.ts';
import { RequestBody } from './body/request-body.ts';

export interface ServedExchangeContext extends ExchangeContext {
  readonly bodyGate: Gate;
  /** Resolves when a request with a complete body may continue. Undefined if its route needs no scheduling. */
  awaitTurn(request: { readonly method: string; readonly path: string }): Promise<void> | undefined;
  /** The path of the route that serves a path at a host, or the path itself. */
  pathAt(host: string, path: string): string;
  dispatch(exchange: Exchange): void;
}

/** One request that Node's server read. Its body may still be arriving, and the request may be invalid. */
export class ServedExchange extends AnsweringExchange {
  protected readonly reply: Reply;
  readonly #context: ServedExchangeContext;
  readonly #request: IncomingMessage;
  readonly #body: RequestBody;
  isDelayedByGateway = false;
  uploadMs = 0;

  constructor(context: ServedExchangeContext, connection: ClientConnection, request: IncomingMessage, reply: Reply) {
    const path = context.pathAt(hostName(request.headers.host), pathOf(request.url ?? ''));
    super(context, connection, request.method ?? '', path);
    this.#context = context;
    this.#request = request;
    this.reply = reply;
    this.#body = new RequestBody(request, context.options.limits.bodyBytesMax);
    reply.exchange = this;
    reply.on('close', replyClosed);
  }

  get host(): string {
    return hostName(this.#request.headers.host);
  }

  get query(): URLSearchParams {
    const target = this.#request.url ?? '';
    const start = target.indexOf('?');
    return new URLSearchParams(start === -1 ? '' : target.slice(start));
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
    const bytes = await this.#bytes(party);
    const parsed = await parseJson(bytes, this.#context.options.limits);
    const digest = withDigest ? await bodyDigest(bytes) : undefined;
    return { ...parsed, bytes: bytes.length, digest };
  }

  async readBytes({ party }: { party?: string } = {}): Promise<Buffer> {
    checkEncoding(this.#request.headers['content-encoding']);
    return this.#bytes(party);
  }

  readPieces({ bytesMax }: { readonly bytesMax: number }): AsyncIterable<Buffer> {
    checkEncoding(this.#request.headers['content-encoding']);
    // Node's timeout is for the whole request. Here each piece has as long.
    this.isDelayedByGateway = true;
    if (expectsContinue(this.#request)) this.reply.writeContinue();
    return this.#body.pieces({ bytesMax, stallMs: this.#context.options.limits.requestTimeoutMs });
  }

  get isReceiving(): boolean {
    return this.#body.isPending;
  }

  protected get isFollowed(): boolean {
    return this.connection.hasPendingReply;
  }

  begin(): void {
    const fault = admissionFault(this.#request, this.#context.options.limits.headersMax);
    if (fault) return this.fail(fault);
    if (this.method === 'OPTIONS') {
      return this.respond(204, preflightHeaders(this.header('access-control-request-headers')), '');
    }
    this.#context.dispatch(this);
  }

  breakBody(reason: unknown): void {
    this.#body.break(reason);
  }

  async #bytes(party: string | undefined): Promise<Buffer> {
    this.#body.checkSize();
    if (this.#body.isPending && !this.#context.bodyGate.isFree) await this.#awaitBodyGate(party);
    if (expectsContinue(this.#request)) this.reply.writeContinue();
    const { elapsed } = this.#context.options.clock;
    const sinceMs = elapsed();
    const bytes = await this.#body.read();
    this.uploadMs = elapsed() - sinceMs;
    const turn = this.#context.awaitTurn(this);
    if (turn) await turn;
    this.bodyWatch?.received(bytes);
    return bytes;
  }

  /** Node's request timeout runs during the wait, so the body gets a new timeout of the same length afterwards. */
  async #awaitBodyGate(party: string | undefined): Promise<void> {
    const { socket } = this.#request;
    this.isDelayedByGateway = true;
    socket.pause();
    await new Promise<void>((resolve) => this.#context.bodyGate.enter(resolve, party));
    socket.resume();
    const tooSlow = new HttpFault('request-timeout');
    const timer = setTimeout(() => this.#body.break(tooSlow), this.#context.options.limits.requestTimeoutMs).unref();
    this.reply.once('close', () => clearTimeout(timer));
  }
}

function replyClosed(this: Reply): void {
  this.exchange?.closed();
}

/** Headers that may have a key. The site decides which of them count. */
const credentials = new Set(
  'authorization x-api-key api-key x-goog-api-key ocp-apim-subscription-key x-litellm-api-key x-bf-vk x-portkey-api-key'.split(
    ' ',
  ),
);

/** The reply to a CORS preflight: pages of other origins may call with any header, but without cookies. */
function preflightHeaders(requested: string | undefined): string[] {
  return [
    'access-control-allow-methods',
    'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS',
    'access-control-allow-headers',
    isNameList(requested) ? requested : defaultHeaders,
    'access-control-max-age',
    '86400',
  ];
}

const defaultHeaders = 'authorization, content-type, x-api-key';

/** The requested headers are echoed only if they are a valid list of header names. */
function isNameList(requested: string | undefined): requested is string {
  return requested !== undefined && requested.length <= 4096 && /^[\w-]+(?: *, *[\w-]+)*$/.test(requested);
}
