/**
 * Whether a member's name holds a backslash. Once the engine's parser has seen one, it takes names of later texts for it
 * that are escaped at the same place (https://github.com/nodejs/node/issues/63785), so that no text of others that has
 * one may be parsed. Nearly every text is cleared by a look for a few characters.
 */
export function hasBackslashInName(text: string): boolean {
  const first = text.indexOf('\\');
  if (first < 0 || (!text.includes('\\\\', first) && !text.includes('\\u005', first))) return false;
  for (const [token] of text.matchAll(stringTokens)) if (token.endsWith(':') && written.test(token)) return true;
  return false;
}

/** A string, and the colon that makes it a name. */
const stringTokens = /"[^"\\]*(?:\\.[^"\\]*)*"(?:\s*:)?/g;
/** A backslash, in either way to write one. Pairs are read as pairs: `\\n` is no line break. */
const written = /^(?:[^\\]|\\[^\\u]|\\u(?!005c))*(?:\\\\|\\u005c)/i;

/** Whether a text is JSON; nothing of it is kept, so that names may hold whatever they like. */
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
