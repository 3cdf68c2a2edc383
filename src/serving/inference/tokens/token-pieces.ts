/**
 * A tokenizer merges the bytes of a word pair by pair and scans all of them each time, so its time is quadratic in the
 * longest word. With pieces of this size the time is linear in the text.
 */
export const pieceCharactersMax = 512;

/**
 * Splits a text into pieces that are counted separately. It splits before a space if possible, so few words are split.
 */
export function* tokenPieces(text: string): Generator<string> {
  for (let start = 0; start < text.length; ) {
    const end = pieceEnd(text, start);
    yield text.slice(start, end);
    start = end;
  }
}

function pieceEnd(text: string, start: number): number {
  const furthest = start + pieceCharactersMax;
  if (furthest >= text.length) return text.length;
  for (let at = furthest; at > start; at--) {
    if (text.charCodeAt(at) === space && text.charCodeAt(at - 1) !== space) return at;
  }
  return isLowSurrogate(text.charCodeAt(furthest)) ? furthest - 1 : furthest;
}

const space = 0x20;

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}
