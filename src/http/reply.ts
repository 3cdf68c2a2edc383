import type { OutgoingHttpHeader, OutgoingHttpHeaders } from 'node:http';
import type { Exchange, Explanation } from './exchange.ts';
import { ServerResponse } from './node-http.ts';
import {
  headerLines,
  headerList,
  isReserved,
  permittedStatus,
  type ReplyIdentity,
  statusLine,
  streamHeaders,
} from './reply-head.ts';
import type { ReplyWire } from './reply-wire.ts';

/** The part of an exchange that its reply uses. */
export interface ReplyingExchange extends Exchange, ReplyIdentity {
  /** Whether the connection may serve another request after this one. */
  keepsConnection(): boolean;
  /** The reply has been sent, or never will be. */
  closed(): void;
}

/**
 * The reply to every request that Node's server reads, whether a route, Fastify or Node itself answers. Every reply
 * carries the version and the request id. It never sends status 429 or its headers.
 */
export class Reply extends ServerResponse implements ReplyWire {
  /** Set as soon as the request is admitted, before any code can answer it. */
  exchange: ReplyingExchange | undefined = undefined;
  probedCharacters = 0;
  /** Node's text of status line and headers, ready to be sent. */
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
    if (this.probedCharacters > 0) this._header = this._header.slice(this.probedCharacters);
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

/** Formats the reply to bytes that are not a request, ready for the socket. */
export function rawReply(reply: Explanation, about: ReplyIdentity): string {
  const headers = headerList(['content-type', 'application/json', ...reply.headers], about);
  headers.push('content-length', String(Buffer.byteLength(reply.body)), 'connection', 'close');
  const date = `Date: ${new Date().toUTCString()}\r\n`;
  return `${statusLine(permittedStatus(reply.status))}${date}${headerLines(headers)}\r\n${reply.body}`;
}

/** Converts all forms of headers that Node accepts into one flat list. */
function flat(headers: OutgoingHttpHeaders | OutgoingHttpHeader[] | undefined): readonly string[] {
  if (headers === undefined) return [];
  if (Array.isArray(headers)) return headers as string[];
  return Object.entries(headers).flatMap(([name, value]) => {
    if (value === undefined) return [];
    return Array.isArray(value) ? value.flatMap((one) => [name, one]) : [name, String(value)];
  });
}
