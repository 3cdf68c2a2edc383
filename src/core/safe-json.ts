/**
 * Whether a member name contains a backslash. After the engine's parser has seen such a name, it confuses it with names
 * in later texts that have an escape at the same position (https://github.com/nodejs/node/issues/63785). So no foreign
 * text with such a name may be parsed. A search for a few characters clears nearly every text.
 */
export function hasBackslashInName(text: string): boolean {
  const first = text.indexOf('\\');
  if (first < 0 || (!text.includes('\\\\', first) && !text.includes('\\u005', first))) return false;
  for (const [token] of text.matchAll(stringTokens))
    if (token.endsWith(':') && backslashPattern.test(token)) return true;
  return false;
}

/** A string, and the colon that makes it a name. */
const stringTokens = /"[^"\\]*(?:\\.[^"\\]*)*"(?:\s*:)?/g;
/** A backslash in either notation. Pairs are matched as pairs: `\\n` is not a line break. */
const backslashPattern = /^(?:[^\\]|\\[^\\u]|\\u(?!005c))*(?:\\\\|\\u005c)/i;

/** Whether a text is JSON. Nothing of it is kept, so names may contain anything. */
export function isJson(text: string): boolean {
  try {
    JSON.parse(hasBackslashInName(text) ? text.replaceAll(escapedBackslash, '__') : text);
    return true;
  } catch {
    return false;
  }
}

const escapedBackslash = /\\\\|\\u005c/gi;

/** Whether a text is a JSON object, by the same rule. */
export function isJsonObject(text: string): boolean {
  return text.trimStart().startsWith('{') && isJson(text);
}
