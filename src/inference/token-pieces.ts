/**
 * A tokenizer joins the bytes of one word pair by pair, each time looking at all of them: what it takes grows with the
 * square of the longest word. In pieces of this size it grows with the text.
 */
export const pieceCharactersMax = 512;

/** The text in pieces that are counted one by one: cut before a space where there is one, so that few words are cut. */
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

/** The second half of a character that takes two. */
function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}
