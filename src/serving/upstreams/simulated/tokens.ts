const exactCharactersMax = 100_000;
const piece = /\s*(?:[\p{L}\p{N}_]{1,10}|[^\s\p{L}\p{N}_])|\s+/gu;

/** Short words with the space before them, and single punctuation marks. The joined tokens are the text. */
export function tokensOf(text: string): readonly string[] {
  return text.match(piece) ?? [];
}

/** Very long texts are estimated by length, because an exact count would block the event loop. */
export function countTokens(text: string): number {
  return text.length > exactCharactersMax ? Math.ceil(text.length / 4) : tokensOf(text).length;
}
