import { isValidHost } from './admission.ts';
import type { HttpLimits } from './limits.ts';
import { headerMark, SimpleHeaders } from './simple-headers.ts';
import type { Route } from './route.ts';

/** The head of a request about which there is nothing to decide. */
export interface SimpleHead {
  readonly route: Route;
  readonly headers: SimpleHeaders;
  /** Where the body begins. */
  readonly bodyStart: number;
  readonly bodyBytes: number;
}

/** The routes that take simple requests, by the only request line that leads to each. */
export type SimpleRoutes = ReadonlyMap<string, Route>;

export function simpleRoutes(routes: readonly Route[]): SimpleRoutes {
  const plain = routes.filter((route) => route.plain);
  return new Map(plain.map((route) => [`${route.method} ${route.path} HTTP/1.1`, route]));
}

/**
 * Reads the head of a simple request: whole, of strict syntax, to a simple route, with one body of a length that is said
 * once. `undefined` means anything else, which is not refused here but left to Node's parser and to admission. So this
 * may only ever know less than they do: whatever it takes, they take, and understand in the same way.
 */
export function simpleHead(bytes: Buffer, routes: SimpleRoutes, limits: HttpLimits): SimpleHead | undefined {
  const end = bytes.indexOf(headEnd);
  const bodyStart = end + headEnd.length;
  if (end === -1 || bodyStart > limits.headerBytesMax) return undefined;
  const text = bytes.toString('latin1', 0, end + lineEnd.length);
  const firstEnd = text.indexOf(lineEnd);
  const route = routes.get(text.slice(0, firstEnd));
  if (!route) return undefined;
  fields.lastIndex = firstEnd + lineEnd.length;
  if (!fields.test(text)) return undefined;
  const headers = SimpleHeaders.read(text, firstEnd + lineEnd.length);
  if (!headers || headers.size > limits.headersMax || !isOrdinary(headers)) return undefined;
  const bodyBytes = Number(headers.get('content-length'));
  return bodyBytes > limits.bodyBytesMax ? undefined : { route, headers, bodyStart, bodyBytes };
}

const headEnd = Buffer.from('\r\n\r\n');

const lineEnd = '\r\n';

/** Header lines to the end: a name, a colon right behind it, a value without control characters, no folded lines. */
const fields = /(?:[\w!#$%&'*+.^`|~-]+:[\t\x20-\x7e\x80-\xff]*\r\n)+$/y;

/** Headers that change what happens on the connection. */
const decisive = ['transfer-encoding', 'expect', 'upgrade', 'proxy-connection'].map(headerMark);

/** Whether the headers say whom it is for and how long it is, and nothing about the connection but that it stays. */
function isOrdinary(headers: SimpleHeaders): boolean {
  if (!/^\d{1,15}$/.test(headers.get('content-length') ?? '') || !isValidHost(headers.get('host') ?? '')) return false;
  const connection = headers.get('connection');
  if (connection !== undefined && connection.toLowerCase() !== 'keep-alive') return false;
  return !headers.hasAny(decisive);
}
