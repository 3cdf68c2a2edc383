import type { CappedAnswer } from 'chat-formats/chat/capped-answer.ts';
import type { SplicedText } from 'chat-formats/json/spliced-text.ts';
import type { TokenCap } from 'chat-formats/chat/token-cap.ts';

/**
 * Ends an answer whose next piece of text exceeds its cap. Returns `undefined` if the piece fits; then it counts
 * towards the cap. The piece is in JSON notation without its quotes: one character for each byte of valid UTF-8, with
 * short escapes only. It is decoded only if it is cut.
 */
export function cutLiteral(type: SplicedText['kind'], literal: string, capped: CappedAnswer) {
  const fittingLength = lengthThatFits(literal, capped.cap);
  if (fittingLength === undefined) return undefined;
  const text = String(JSON.parse(`"${Buffer.from(literal, 'latin1').toString('utf8')}"`));
  return capped.endAfter({ type, choice: 0, text }, fittingLength);
}

/** The number of UTF-16 code units that fit; `undefined` if all do. */
function lengthThatFits(literal: string, cap: TokenCap): number | undefined {
  let count = 0;
  for (let at = 0; at < literal.length; count++) {
    const byte = literal.charCodeAt(at);
    if (byte >= 0xf0) {
      const [high, low] = surrogates(literal, at);
      if (!cap.takes(high)) return count;
      count += 1;
      if (!cap.takes(low)) return count;
      at += 4;
    } else if (byte === backslash) {
      if (!cap.takes(escapes.get(literal.charAt(at + 1)) ?? byte)) return count;
      at += 2;
    } else {
      if (!cap.takes(codeAt(literal, at))) return count;
      at += byte < 0x80 ? 1 : byte < 0xe0 ? 2 : 3;
    }
  }
  return undefined;
}

const backslash = 0x5c;
const escapes: ReadonlyMap<string, number> = new Map(
  Object.entries({ '"': 0x22, b: 0x08, f: 0x0c, n: 0x0a, r: 0x0d, t: 0x09 }),
);

function codeAt(bytes: string, at: number): number {
  const first = bytes.charCodeAt(at);
  if (first < 0x80) return first;
  const second = bytes.charCodeAt(at + 1) & 0x3f;
  if (first < 0xe0) return ((first & 0x1f) << 6) | second;
  return ((first & 0x0f) << 12) | (second << 6) | (bytes.charCodeAt(at + 2) & 0x3f);
}

function surrogates(bytes: string, at: number): readonly [number, number] {
  const [first = 0, ...rest] = [0, 1, 2, 3].map((offset) => bytes.charCodeAt(at + offset));
  const beyond = rest.reduce((point, byte) => (point << 6) | (byte & 0x3f), first & 0x07) - 0x10000;
  return [0xd800 | (beyond >> 10), 0xdc00 | (beyond & 0x3ff)];
}
