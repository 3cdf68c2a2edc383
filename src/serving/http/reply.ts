import type { OutgoingHttpHeader, OutgoingHttpHeaders } from 'node:http';
import type { Exchange, Explanation } from './exchange.ts';
import { ServerResponse } from './node-http.ts';
import {
  headerLines,
  headerList,
  permittedStatus,
  type ReplyIdentity,
  type ReplyWire,
  statusLine,
  streamHeaders,
} from './reply-head.ts';

export interface ReplyingExchange extends Exchange, ReplyIdentity {
  /** Whether the connection may serve another request after this one. */
  keepsConnection(): boolean;
  /** The reply has been sent, or never will be. */
  closed(): void;
}

/** The reply of Node's server, whether a route or Node itself answers. It never sends status 429 or its headers. */
export class Reply extends ServerResponse implements ReplyWire {
  /** Set as soon as the request is admitted, before any code can answer it. */
  exchange: ReplyingExchange | undefined = undefined;
  probedCharacters = 0;
  /** Node's text of status line and headers, ready to be sent. */
  declare _header: string;

  /** `headers` is a flat list. Node itself passes none. */
  override writeHead(status: number, headers: string | OutgoingHttpHeaders | OutgoingHttpHeader[] = []): this {
    if (!Array.isArray(headers)) throw new TypeError('The headers of a reply must be a flat list.');
    if (this.exchange && !this.exchange.keepsConnection()) this.shouldKeepAlive = false;
    this.statusMessage = '';
    super.writeHead(permittedStatus(status), headerList(headers as string[], this.exchange));
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
