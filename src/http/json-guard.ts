/** What a look at the bytes of a JSON text says before anyone spends time on parsing it. */
export type JsonVerdict = 'fine' | 'too-deep' | 'too-many-tokens' | 'number-out-of-range';

/**
 * Looks for what makes parsing dangerous: nesting, sheer number of values and names, numbers no double can hold.
 * It takes time linear in the bytes and is not a parser: whatever else is wrong is left for `JSON.parse` to find.
 */
export function inspectJson(bytes: Buffer, limits: { depthMax: number; tokensMax: number }): JsonVerdict {
  let depth = 0;
  let tokens = 0;
  let position = 0;
  let verdict: JsonVerdict = 'fine';
  while (position < bytes.length) {
    switch (bytes[position]) {
      case space:
      case tab:
      case lineFeed:
      case carriageReturn:
      case comma:
      case colon:
        position += 1;
        continue;
      case closingBrace:
      case closingBracket:
        depth -= 1;
        position += 1;
        continue;
      case openingBrace:
      case openingBracket:
        depth += 1;
        if (depth > limits.depthMax) return 'too-deep';
        position += 1;
        break;
      case quote:
        position = endOfString(bytes, position + 1);
        break;
      default: {
        const start = position;
        position = endOfScalar(bytes, position);
        if (isOutOfRange(bytes, start, position)) verdict = 'number-out-of-range';
      }
    }
    tokens += 1;
    if (tokens > limits.tokensMax) return 'too-many-tokens';
  }
  return verdict;
}

const tab = 0x09;
const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const space = 0x20;
const quote = 0x22;
const comma = 0x2c;
const minus = 0x2d;
const zero = 0x30;
const nine = 0x39;
const colon = 0x3a;
const openingBracket = 0x5b;
const backslash = 0x5c;
const closingBracket = 0x5d;
const openingBrace = 0x7b;
const closingBrace = 0x7d;

/** A jump by `indexOf` costs as much as looking at this many bytes one by one. */
const jumpWorthBytes = 64;

/** Where the string ends whose content starts here. Long stretches are jumped over, dense escapes are walked through. */
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
  while (position < bytes.length && !isDelimiter(bytes[position])) position += 1;
  return position;
}

function isDelimiter(byte: number | undefined): boolean {
  switch (byte) {
    case space:
    case tab:
    case lineFeed:
    case carriageReturn:
    case comma:
    case colon:
    case quote:
    case openingBrace:
    case openingBracket:
    case closingBrace:
    case closingBracket:
      return true;
    default:
      return false;
  }
}

/** A number of fewer digits with an exponent of fewer digits than these is always finite, and need not be converted. */
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
