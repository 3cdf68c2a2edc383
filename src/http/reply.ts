import type { OutgoingHttpHeader, OutgoingHttpHeaders } from 'node:http';
import type { Exchange, Explanation } from './exchange.ts';
import { ServerResponse, STATUS_CODES } from './node-http.ts';

/** What every reply says of its request. */
interface ReplyMarks {
  readonly id: string;
  /** Where else the reply carries the request id. */
  readonly idHeader: string | undefined;
  /** The value of `x-gateway-version` right now. */
  stamp(): string;
}

/** An exchange as its reply sees it. */
export interface ReplyingExchange extends Exchange, ReplyMarks {
  /** Whether the connection may serve another request after this one. */
  keepsConnection(): boolean;
  /** The reply is out, or will never be. */
  closed(): void;
}

/**
 * The only writer of statuses and headers, whoever answers: our routes, Fastify or Node itself. Every reply carries the
 * version and the request id; 429 and the headers that go with it cannot leave the house.
 */
export class Reply extends ServerResponse {
  /** Set as soon as the request is admitted, before anyone could answer. */
  exchange: ReplyingExchange | undefined = undefined;
  /** How many characters of the status line went out ahead, to see whether anyone is still there. */
  charactersAhead = 0;
  /** Node's own text of status line and headers, ready to be sent. */
  declare _header: string;

  override writeHead(
    status: number,
    reasonOrHeaders?: string | OutgoingHttpHeaders | OutgoingHttpHeader[],
    headers?: OutgoingHttpHeaders | OutgoingHttpHeader[],
  ): this {
    for (const name of this.getHeaderNames()) if (isReserved(name)) this.removeHeader(name);
    const given = flat(typeof reasonOrHeaders === 'string' ? headers : reasonOrHeaders);
    if (this.exchange && !this.exchange.keepsConnection()) this.shouldKeepAlive = false;
    this.statusMessage = '';
    super.writeHead(permittedStatus(status), headerList(given, this.exchange));
    if (this.charactersAhead > 0) this._header = this._header.slice(this.charactersAhead);
    return this;
  }
}

/** The reply to bytes that never became a request, ready for the socket. */
export function rawReply(reply: Explanation, about: ReplyMarks): string {
  const status = permittedStatus(reply.status);
  const given = ['content-type', 'application/json', ...reply.headers];
  const headers = headerList(given, about);
  headers.push('content-length', String(Buffer.byteLength(reply.body)), 'connection', 'close');
  let text = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\nDate: ${new Date().toUTCString()}\r\n`;
  for (let index = 0; index < headers.length; index += 2) text += `${headers[index]}: ${headers[index + 1]}\r\n`;
  return `${text}\r\n${reply.body}`;
}

/** The contract knows no 429; whoever means it means that there is no room now. */
export function permittedStatus(status: number): number {
  return status === 429 ? 503 : status;
}

const reserved = /^(?:retry-after|(?:x-)?rate-?limit.*|x-gateway-(?:version|request-id))$/i;

/** Headers nobody but this file may write, most of them because nobody may write them at all. */
function isReserved(name: string): boolean {
  return reserved.test(name);
}

function headerList(given: readonly string[], about: ReplyMarks | undefined): string[] {
  const id = about?.id ?? '';
  const list: string[] = [];
  for (let index = 0; index + 1 < given.length; index += 2) {
    const name = given[index];
    const value = given[index + 1];
    if (name !== undefined && value !== undefined && !isReserved(name)) list.push(name, value);
  }
  list.push(
    'access-control-allow-origin',
    '*',
    'access-control-expose-headers',
    about?.idHeader === undefined ? exposed : `${exposed}, ${about.idHeader}`,
    'x-gateway-version',
    about?.stamp() ?? '',
    'x-gateway-request-id',
    id,
  );
  if (about?.idHeader !== undefined) list.push(about.idHeader, id);
  return list;
}

/** What scripts of other sites may read. */
const exposed = 'x-gateway-version, x-gateway-request-id';

/** All forms in which Node takes headers as one flat list. */
function flat(headers: OutgoingHttpHeaders | OutgoingHttpHeader[] | undefined): readonly string[] {
  if (headers === undefined) return [];
  if (Array.isArray(headers)) return headers as string[];
  return Object.entries(headers).flatMap(([name, value]) => {
    if (value === undefined) return [];
    return Array.isArray(value) ? value.flatMap((one) => [name, one]) : [name, String(value)];
  });
}
