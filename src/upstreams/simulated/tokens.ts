const exactCharactersMax = 100_000;
const piece = /\s*(?:[\p{L}\p{N}_]{1,10}|[^\s\p{L}\p{N}_])|\s+/gu;

/** The simulated models' own idea of tokens: short words with the space before them, and single marks. Joined, they are the text. */
export function tokensOf(text: string): readonly string[] {
  return text.match(piece) ?? [];
}

/** Counting a very long prompt exactly would hold up everyone else; there the length is good enough. */
export function countTokens(text: string): number {
  return text.length > exactCharactersMax ? Math.ceil(text.length / 4) : tokensOf(text).length;
}
