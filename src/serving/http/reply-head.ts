import type { Socket } from 'node:net';
import { STATUS_CODES } from './node-http.ts';

export interface ReplyIdentity {
  readonly id: string;
  /** A second header that carries the request id, if any. */
  readonly idHeader: string | undefined;
  stamp(): string;
}

/** The API contract has no 429: a status of 429 means that there is no capacity, and becomes 503. */
export function permittedStatus(status: number): number {
  return status === 429 ? 503 : status;
}

export function statusLine(status: number): string {
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'unknown'}\r\n`;
}

/** Headers that only this file may write. Most of them must never be sent. */
const reserved = /^(?:retry-after|(?:x-)?rate-?limit.*|x-gateway-(?:version|request-id))$/i;

/** A flat list of the permitted headers of `given`, and the headers of every reply. */
export function headerList(given: readonly string[], identity: ReplyIdentity | undefined): string[] {
  const list: string[] = [];
  for (let index = 0; index + 1 < given.length; index += 2) {
    const name = given[index];
    const value = given[index + 1];
    if (name !== undefined && value !== undefined && !reserved.test(name)) list.push(name, value);
  }
  return addCommonHeaders(list, identity);
}

export function addCommonHeaders(list: string[], identity: ReplyIdentity | undefined): string[] {
  const id = identity?.id ?? '';
  const idHeader = identity?.idHeader;
  list.push(
    'access-control-allow-origin',
    '*',
    'access-control-expose-headers',
    idHeader === undefined ? exposed : `${exposed}, ${idHeader}`,
    'x-gateway-version',
    identity?.stamp() ?? '',
    'x-gateway-request-id',
    id,
  );
  if (idHeader !== undefined) list.push(idHeader, id);
  return list;
}

/** The headers that scripts of other origins may read. */
const exposed = 'x-gateway-version, x-gateway-request-id, x-gateway-cost';

export function headerLines(list: readonly string[]): string {
  let text = '';
  for (let index = 0; index < list.length; index += 2) text += `${list[index]}: ${list[index + 1]}\r\n`;
  return text;
}

export function streamHeaders(isChunked: boolean, contentType = 'text/event-stream'): readonly string[] {
  const headers = ['content-type', contentType, 'cache-control', 'no-cache', 'x-accel-buffering', 'no'];
  return isChunked ? [...headers, 'transfer-encoding', 'chunked'] : headers;
}

/** The reply that an exchange writes: Node's own, or one written directly to the socket. */
export interface ReplyWire {
  /** Null once the connection is closed or serves another request. */
  readonly socket: Socket | null;
  /** Whether status and headers are fixed. They may still wait for the first bytes of the body. */
  readonly headersSent: boolean;
  readonly writableEnded: boolean;
  readonly writableFinished: boolean;
  readonly destroyed: boolean;
  readonly statusCode: number;
  /** How many characters of the status line were sent early, as disconnect probes. */
  probedCharacters: number;
  readonly isChunked: boolean;
  /** `headers` is a flat list that includes the length of the body. */
  writeHead(status: number, headers: string[]): unknown;
  /** If `isChunked`, the writer of the body formats the chunks. */
  writeStreamHead(contentType?: string): void;
  /** `false`: the client is behind. */
  write(text: string, encoding: BufferEncoding): boolean;
  end(last: string | Buffer, encoding: BufferEncoding): unknown;
  once(event: 'drain', listener: () => void): unknown;
  destroy(): unknown;
}
