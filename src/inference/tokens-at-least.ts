/** No tokenizer joins more characters of prose into one token, and few as many. */
const charactersPerTokenMax = 8;

/**
 * How many characters of a text can begin a token, for a floor under its tokens: of a run of one character only the
 * first, since tokenizers join such runs however long they are.
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

/** The least tokens a text with so many changes can have. */
export function tokensAtLeast(changes: number): number {
  return Math.floor(changes / charactersPerTokenMax);
}
