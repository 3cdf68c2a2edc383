/** More than any honest client sends. It also bounds the cost of comparing all names. */
const headersMax = 64;

/**
 * The headers of a head whose syntax is valid. No string is created until a header is read, because most are never
 * read. Names are compared by a hash.
 */
export class SimpleHeaders {
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
      position = end + lineEndLength;
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
    return index <= 0 ? this.#start : (this.#ends[index - 1] ?? 0) + lineEndLength;
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
export function headerHash(name: string): number {
  return hashRange(name, 0, name.length);
}

function hashRange(text: string, start: number, end: number): number {
  let hash = end - start;
  for (let at = start; at < end; at += 1) hash = (hash * 31 + (text.charCodeAt(at) | caseBit)) | 0;
  return hash;
}

const lineEndLength = '\r\n'.length;
const colonCode = 0x3a;

/** Set in lower-case letters and not in capitals; also set in digits and hyphens. */
const caseBit = 0x20;

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09;
}
