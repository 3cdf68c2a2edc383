import { STATUS_CODES } from './node-http.ts';

/** What every reply says of its request. */
export interface ReplyMarks {
  readonly id: string;
  /** Where else the reply carries the request id. */
  readonly idHeader: string | undefined;
  /** The value of `x-gateway-version` right now. */
  stamp(): string;
}

/** The contract knows no 429; whoever means it means that there is no room now. */
export function permittedStatus(status: number): number {
  return status === 429 ? 503 : status;
}

export function statusLine(status: number): string {
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'unknown'}\r\n`;
}

/** Headers nobody but this file may write, most of them because nobody may write them at all. */
export function isReserved(name: string): boolean {
  return reserved.test(name);
}

const reserved = /^(?:retry-after|(?:x-)?rate-?limit.*|x-gateway-(?:version|request-id))$/i;

/** The headers that may be sent of those given, as a flat list, and those that every reply carries. */
export function headerList(given: readonly string[], about: ReplyMarks | undefined): string[] {
  const list: string[] = [];
  for (let index = 0; index + 1 < given.length; index += 2) {
    const name = given[index];
    const value = given[index + 1];
    if (name !== undefined && value !== undefined && !isReserved(name)) list.push(name, value);
  }
  return addMarks(list, about);
}

/** Adds to a flat list what every reply carries. */
export function addMarks(list: string[], about: ReplyMarks | undefined): string[] {
  const id = about?.id ?? '';
  const idHeader = about?.idHeader;
  list.push(
    'access-control-allow-origin',
    '*',
    'access-control-expose-headers',
    idHeader === undefined ? exposed : `${exposed}, ${idHeader}`,
    'x-gateway-version',
    about?.stamp() ?? '',
    'x-gateway-request-id',
    id,
  );
  if (idHeader !== undefined) list.push(idHeader, id);
  return list;
}

/** What scripts of other sites may read. */
const exposed = 'x-gateway-version, x-gateway-request-id';

/** A flat list of headers as it is sent. */
export function headerLines(list: readonly string[]): string {
  let text = '';
  for (let index = 0; index < list.length; index += 2) text += `${list[index]}: ${list[index + 1]}\r\n`;
  return text;
}

/** What the head of a stream says of its body. */
export function streamHeaders(isChunked: boolean, contentType = 'text/event-stream'): readonly string[] {
  const headers = ['content-type', contentType, 'cache-control', 'no-cache', 'x-accel-buffering', 'no'];
  return isChunked ? [...headers, 'transfer-encoding', 'chunked'] : headers;
}
