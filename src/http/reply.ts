import type { OutgoingHttpHeader, OutgoingHttpHeaders } from 'node:http';
import type { Exchange, Explanation } from './exchange.ts';
import { ServerResponse } from './node-http.ts';
import {
  headerLines,
  headerList,
  isReserved,
  permittedStatus,
  type ReplyMarks,
  statusLine,
  streamHeaders,
} from './reply-head.ts';
import type { ReplyWire } from './reply-wire.ts';

/** An exchange as its reply sees it. */
export interface ReplyingExchange extends Exchange, ReplyMarks {
  /** Whether the connection may serve another request after this one. */
  keepsConnection(): boolean;
  /** The reply is out, or will never be. */
  closed(): void;
}

/**
 * The reply of whatever comes through Node's server, whoever answers: our routes, Fastify or Node itself. Every reply
 * carries the version and the request id; 429 and the headers that go with it cannot leave the house.
 */
export class Reply extends ServerResponse implements ReplyWire {
  /** Set as soon as the request is admitted, before anyone could answer. */
  exchange: ReplyingExchange | undefined = undefined;
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

  get isChunked(): boolean {
    return this.req.httpVersion === '1.1';
  }

  writeStreamHead(contentType?: string): void {
    this.writeHead(200, [...streamHeaders(this.isChunked, contentType)]);
    this.chunkedEncoding = false;
  }
}

/** The reply to bytes that never became a request, ready for the socket. */
export function rawReply(reply: Explanation, about: ReplyMarks): string {
  const headers = headerList(['content-type', 'application/json', ...reply.headers], about);
  headers.push('content-length', String(Buffer.byteLength(reply.body)), 'connection', 'close');
  const date = `Date: ${new Date().toUTCString()}\r\n`;
  return `${statusLine(permittedStatus(reply.status))}${date}${headerLines(headers)}\r\n${reply.body}`;
}

/** All forms in which Node takes headers as one flat list. */
function flat(headers: OutgoingHttpHeaders | OutgoingHttpHeader[] | undefined): readonly string[] {
  if (headers === undefined) return [];
  if (Array.isArray(headers)) return headers as string[];
  return Object.entries(headers).flatMap(([name, value]) => {
    if (value === undefined) return [];
    return Array.isArray(value) ? value.flatMap((one) => [name, one]) : [name, String(value)];
  });
}
