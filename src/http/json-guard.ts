/** The result of scanning the bytes of a JSON text before parsing it. */
export type JsonVerdict =
  | 'fine'
  | 'long-number'
  | 'too-deep'
  | 'too-many-tokens'
  | 'number-out-of-range'
  | 'backslash-in-name';

/**
 * Scans for what makes parsing dangerous: deep nesting, too many values and names, numbers outside the range of a
 * double, and names with a backslash. After such a name, the engine's parser confuses it with names in later texts that
 * have an escape at the same position, even from other clients (https://github.com/nodejs/node/issues/63785). The scan
 * also reports integers with more digits than a double may hold: they are accepted, but cannot be serialised again. It
 * takes linear time and is no parser: `JSON.parse` finds all other errors.
 */
export function inspectJson(bytes: Buffer, limits: { depthMax: number; tokensMax: number }): JsonVerdict {
  let depth = 0;
  let tokens = 0;
  let position = 0;
  let verdict: JsonVerdict = 'fine';
  for (;;) {
    position = skipSeparators(bytes, position);
    const byte = bytes[position];
    if (byte === undefined) return verdict;
    if (byte === closingBrace || byte === closingBracket) {
      depth -= 1;
      position += 1;
      // More closed than opened: the parser will stop here, so the scan can stop too.
      if (depth < 0) return verdict;
      continue;
    }
    tokens += 1;
    if (tokens > limits.tokensMax) return 'too-many-tokens';
    if (byte === openingBrace || byte === openingBracket) {
      depth += 1;
      position += 1;
      if (depth > limits.depthMax) return 'too-deep';
    } else if (byte === quote) {
      const start = position + 1;
      position = endOfString(bytes, start);
      if (isName(bytes, position) && hasBackslash(bytes, start, position - 1)) return 'backslash-in-name';
    } else {
      const start = position;
      position = endOfScalar(bytes, position);
      if (isOutOfRange(bytes, start, position)) verdict = 'number-out-of-range';
      else if (verdict === 'fine' && isLong(bytes, start, position)) verdict = 'long-number';
    }
  }
}

const quote = 0x22;
const minus = 0x2d;
const zero = 0x30;
const nine = 0x39;
const colon = 0x3a;
const openingBracket = 0x5b;
const backslash = 0x5c;
const closingBracket = 0x5d;
const openingBrace = 0x7b;
const closingBrace = 0x7d;

/** Lookup tables by byte, for speed: bytes between tokens, blanks, and bytes that end a number or a word. */
const isSeparator = byteTable(' \t\n\r,:');
const isBlank = byteTable(' \t\n\r');
const isDelimiter = byteTable(' \t\n\r,:"[]{}');

function byteTable(members: string): Uint8Array {
  const table = new Uint8Array(256);
  for (const byte of Buffer.from(members)) table[byte] = 1;
  return table;
}

function skipSeparators(bytes: Buffer, start: number): number {
  let position = start;
  while (position < bytes.length && isSeparator[bytes[position] ?? 0] === 1) position += 1;
  return position;
}

/** Whether a colon follows the string, so that it is a member name. */
function isName(bytes: Buffer, end: number): boolean {
  let position = end;
  while (isBlank[bytes[position] ?? 0] === 1) position += 1;
  return bytes[position] === colon;
}

/** Whether a string contains an escaped backslash, as `\\` or `\u005c`. */
function hasBackslash(bytes: Buffer, start: number, end: number): boolean {
  for (let position = start; position < end; position += 1) {
    if (bytes[position] !== backslash) continue;
    if (bytes[position + 1] === backslash || writtenBackslash.test(bytes.toString('latin1', position, position + 6))) {
      return true;
    }
    position += 1;
  }
  return false;
}

const writtenBackslash = /^\\u005c$/i;

/** One `indexOf` call costs as much as comparing this many bytes one by one. */
const jumpWorthBytes = 64;

/** The end of the string whose content begins at `start`. `indexOf` skips long parts; a loop handles dense escapes. */
function endOfString(bytes: Buffer, start: number): number {
  let position = start;
  for (;;) {
    const walkEnd = Math.min(position + jumpWorthBytes, bytes.length);
    while (position < walkEnd) {
      const byte = bytes[position];
      if (byte === quote) return position + 1;
      position += byte === backslash ? 2 : 1;
    }
    const next = bytes.indexOf(quote, position);
    if (next === -1) return bytes.length;
    if (!isEscaped(bytes, position, next)) return next + 1;
    position = next + 1;
  }
}

/** Whether an odd number of backslashes precedes the quote; nothing before `from` belongs to it. */
function isEscaped(bytes: Buffer, from: number, at: number): boolean {
  let first = at;
  while (first > from && bytes[first - 1] === backslash) first -= 1;
  return (at - first) % 2 === 1;
}

function endOfScalar(bytes: Buffer, start: number): number {
  let position = start + 1;
  while (position < bytes.length && isDelimiter[bytes[position] ?? 0] === 0) position += 1;
  return position;
}

/** A double holds every integer with fewer digits exactly. */
const longDigits = 16;

function isLong(bytes: Buffer, start: number, end: number): boolean {
  const first = bytes[start] === minus ? start + 1 : start;
  if (end - first < longDigits) return false;
  for (let position = first; position < end; position += 1) {
    const byte = bytes[position] ?? 0;
    if (byte < zero || byte > nine) return false;
  }
  return true;
}

/** A shorter number with an exponent of at most `harmlessExponentDigits` digits is always finite. */
const harmlessDigits = 200;
const harmlessExponentDigits = 2;

function isOutOfRange(bytes: Buffer, start: number, end: number): boolean {
  const first = bytes[start];
  if (first === undefined || (first !== minus && (first < zero || first > nine))) return false;
  if (end - start < harmlessDigits && exponentDigits(bytes, start, end) <= harmlessExponentDigits) return false;
  return Math.abs(Number(bytes.toString('latin1', start, end))) === Number.POSITIVE_INFINITY;
}

function exponentDigits(bytes: Buffer, start: number, end: number): number {
  for (let position = end - 1; position > start; position -= 1) {
    const byte = bytes[position];
    if (byte === undefined || byte < zero || byte > nine) {
      return isExponentMark(byte) || isExponentMark(bytes[position - 1]) ? end - 1 - position : 0;
    }
  }
  return 0;
}

function isExponentMark(byte: number | undefined): boolean {
  return byte === 0x65 || byte === 0x45;
}
