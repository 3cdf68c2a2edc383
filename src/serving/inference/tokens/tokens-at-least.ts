/** No tokenizer joins more characters of prose into one token. */
const charactersPerTokenMax = 8;

/**
 * How many characters of a text can start a token, for a lower bound of its tokens. In a run of the same character only
 * the first counts, because tokenizers join runs of any length.
 */
export function changesIn(text: string): number {
  let changes = 0;
  let before = -1;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code !== before) changes += 1;
    before = code;
  }
  return changes;
}

/** The minimum number of tokens of a text with this many changes. */
export function tokensAtLeast(changes: number): number {
  return Math.floor(changes / charactersPerTokenMax);
}
