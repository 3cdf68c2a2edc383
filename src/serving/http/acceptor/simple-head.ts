import { isValidHost } from '../admission.ts';
import type { HttpLimits } from '../limits.ts';
import type { Route } from '../route.ts';

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
const colonCode = 0x3a;

/** Set in lower-case letters and not in capitals; also set in digits and hyphens. */
const caseBit = 0x20;

/** All header lines: a name, a colon directly after it, and a value without control characters. No folded lines. */
const fields = /(?:[\w!#$%&'*+.^`|~-]+:[\t\x20-\x7e\x80-\xff]*\r\n)+$/y;

const decisive = ['transfer-encoding', 'expect', 'upgrade', 'proxy-connection'].map(headerHash);

/** Whether the headers state a host and a length, and nothing about the connection except keep-alive. */
function isOrdinary(headers: SimpleHeaders): boolean {
  if (!/^\d{1,15}$/.test(headers.get('content-length') ?? '') || !isValidHost(headers.get('host') ?? '')) return false;
  const connection = headers.get('connection');
  if (connection !== undefined && connection.toLowerCase() !== 'keep-alive') return false;
  return !headers.hasAny(decisive);
}

/** More than any honest client sends. It also bounds the cost of comparing all names. */
const headersMax = 64;

/** Creates no string until a header is read, because most are never read. Names are compared by a hash. */
class SimpleHeaders {
  readonly #text: string;
  readonly #start: number;
  readonly #hashes: number[] = [];
  /** The end of each line. The next line begins after the line feed, and its name ends at its first colon. */
  readonly #ends: number[] = [];

  private constructor(text: string, start: number) {
    this.#text = text;
    this.#start = start;
  }

  /** Reads the lines from `start`. Undefined if two names have the same hash: servers treat duplicates differently. */
  static read(text: string, start: number): SimpleHeaders | undefined {
    const headers = new SimpleHeaders(text, start);
    for (let position = start; position < text.length; ) {
      const colon = text.indexOf(':', position);
      const end = text.indexOf('\r', colon);
      if (!headers.#add(position, colon, end)) return undefined;
      position = end + lineEnd.length;
    }
    return headers;
  }

  get size(): number {
    return this.#hashes.length;
  }

  /** Whether a header has one of these hashes, and so probably that name. */
  hasAny(hashes: readonly number[]): boolean {
    return hashes.some((hash) => this.#hashes.includes(hash));
  }

  /** The value without surrounding spaces and tabs. `name` must consist of letters, digits and hyphens. */
  get(name: string): string | undefined {
    const index = this.#find(name);
    if (index === -1) return undefined;
    let start = this.#startOf(index) + name.length + 1;
    let end = this.#ends[index] ?? 0;
    while (start < end && isBlank(this.#text.charCodeAt(start))) start += 1;
    while (end > start && isBlank(this.#text.charCodeAt(end - 1))) end -= 1;
    return this.#text.slice(start, end);
  }

  #add(start: number, colon: number, end: number): boolean {
    const hash = hashRange(this.#text, start, colon);
    if (this.#hashes.length === headersMax || this.#hashes.includes(hash)) return false;
    this.#hashes.push(hash);
    this.#ends.push(end);
    return true;
  }

  #startOf(index: number): number {
    return index <= 0 ? this.#start : (this.#ends[index - 1] ?? 0) + lineEnd.length;
  }

  #find(name: string): number {
    const index = this.#hashes.indexOf(headerHash(name));
    const start = this.#startOf(index);
    if (index === -1 || this.#text.charCodeAt(start + name.length) !== colonCode) return -1;
    for (let at = 0; at < name.length; at += 1) {
      if ((this.#text.charCodeAt(start + at) | caseBit) !== (name.charCodeAt(at) | caseBit)) return -1;
    }
    return index;
  }
}

/** A case-insensitive hash of a header name. Different names rarely share one. */
function headerHash(name: string): number {
  return hashRange(name, 0, name.length);
}

function hashRange(text: string, start: number, end: number): number {
  let hash = end - start;
  for (let at = start; at < end; at += 1) hash = (hash * 31 + (text.charCodeAt(at) | caseBit)) | 0;
  return hash;
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09;
}
