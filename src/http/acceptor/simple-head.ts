import { isValidHost } from '../admission.ts';
import type { HttpLimits } from '../limits.ts';
import { headerHash, SimpleHeaders } from './simple-headers.ts';
import type { Route } from '../route.ts';

/** The parsed head of a simple request. */
export interface SimpleHead {
  readonly route: Route;
  readonly headers: SimpleHeaders;
  readonly bodyStart: number;
  readonly bodyBytes: number;
}

/** The routes that accept simple requests, by the only request line that matches each. */
export type SimpleRoutes = ReadonlyMap<string, Route>;

export function simpleRoutes(routes: readonly Route[]): SimpleRoutes {
  const simple = routes.filter((route) => route.takesSimpleRequests);
  return new Map(simple.map((route) => [`${route.method} ${route.path} HTTP/1.1`, route]));
}

/**
 * Parses the head of a simple request: complete, with strict syntax, for a simple route, and with one stated body
 * length. Returns undefined for any other head; Node's parser and admission then handle it. This parser must be
 * stricter than they are: it may accept only heads that they accept, with the same meaning.
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

/** All header lines: a name, a colon directly after it, and a value without control characters. No folded lines. */
const fields = /(?:[\w!#$%&'*+.^`|~-]+:[\t\x20-\x7e\x80-\xff]*\r\n)+$/y;

/** Headers that change how the connection is used. */
const decisive = ['transfer-encoding', 'expect', 'upgrade', 'proxy-connection'].map(headerHash);

/** Whether the headers state a host and a length, and nothing about the connection except keep-alive. */
function isOrdinary(headers: SimpleHeaders): boolean {
  if (!/^\d{1,15}$/.test(headers.get('content-length') ?? '') || !isValidHost(headers.get('host') ?? '')) return false;
  const connection = headers.get('connection');
  if (connection !== undefined && connection.toLowerCase() !== 'keep-alive') return false;
  return !headers.hasAny(decisive);
}
