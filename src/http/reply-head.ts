import { STATUS_CODES } from './node-http.ts';

/** Values in the headers of every reply. */
export interface ReplyIdentity {
  readonly id: string;
  /** A second header that carries the request id, if any. */
  readonly idHeader: string | undefined;
  /** The current value of `x-gateway-version`. */
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

/** Adds the headers of every reply to a flat list. */
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
const exposed = 'x-gateway-version, x-gateway-request-id';

/** Formats a flat list of headers for the wire. */
export function headerLines(list: readonly string[]): string {
  let text = '';
  for (let index = 0; index < list.length; index += 2) text += `${list[index]}: ${list[index + 1]}\r\n`;
  return text;
}

/** The headers that describe the body of a stream. */
export function streamHeaders(isChunked: boolean, contentType = 'text/event-stream'): readonly string[] {
  const headers = ['content-type', contentType, 'cache-control', 'no-cache', 'x-accel-buffering', 'no'];
  return isChunked ? [...headers, 'transfer-encoding', 'chunked'] : headers;
}
