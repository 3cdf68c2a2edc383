import { isMemberName, tokenEnd, tokenStart } from './json-tokens.ts';
import { hasBackslash, mayHaveBackslash } from './safe-json.ts';

export type JsonVerdict =
  | 'fine'
  | 'long-number'
  | 'too-deep'
  | 'too-many-tokens'
  | 'number-out-of-range'
  | 'backslash-in-name';

/**
 * Scans for what makes parsing dangerous: deep nesting, too many values and names, numbers outside the range of a
 * double, and names with a backslash (`core/safe-json`). The scan also reports integers with more digits than a double
 * may hold: they are accepted, but cannot be serialised again. It takes linear time and is no parser: `JSON.parse`
 * finds all other errors.
 */
export function inspectJson(text: string, limits: { depthMax: number; tokensMax: number }): JsonVerdict {
  let depth = 0;
  let tokens = 0;
  let verdict: JsonVerdict = 'fine';
  const checksNames = mayHaveBackslash(text);
  for (let start = tokenStart(text, 0), end = 0; start < text.length; start = tokenStart(text, end)) {
    end = tokenEnd(text, start);
    const first = text.charCodeAt(start);
    if (first === closingBrace || first === closingBracket) {
      depth -= 1;
      // More closed than opened: the parser will stop here, so the scan can stop too.
      if (depth < 0) return verdict;
      continue;
    }
    tokens += 1;
    if (tokens > limits.tokensMax) return 'too-many-tokens';
    if (first === openingBrace || first === openingBracket) {
      depth += 1;
      if (depth > limits.depthMax) return 'too-deep';
    } else if (first === quote) {
      if (checksNames && isMemberName(text, end) && hasBackslash(text.slice(start, end))) return 'backslash-in-name';
    } else if (isSuspect(text, start, end)) {
      const scalar = text.slice(start, end);
      if (isOutOfRange(scalar)) verdict = 'number-out-of-range';
      else if (verdict === 'fine' && longInteger.test(scalar)) verdict = 'long-number';
    }
  }
  return verdict;
}

const quote = 0x22;
const openingBracket = 0x5b;
const closingBracket = 0x5d;
const openingBrace = 0x7b;
const closingBrace = 0x7d;

/** A double holds every integer with fewer digits exactly, and every shorter number without exponent is finite. */
const longDigits = 16;
const longInteger = /^-?\d{16,}$/;

/** Whether a number is long or has an exponent. Most have neither and need no copy. */
function isSuspect(text: string, start: number, end: number): boolean {
  if (end - start >= longDigits) return true;
  // The shortest number outside the range is `1e309`: its exponent has three digits.
  for (let at = start + 1; at < end - 3; at++) if ((text.charCodeAt(at) | 0x20) === 0x65) return true;
  return false;
}

function isOutOfRange(scalar: string): boolean {
  return /^-?\d/.test(scalar) && Math.abs(Number(scalar)) === Number.POSITIVE_INFINITY;
}
