import { isMemberName, tokenEnd } from './json-tokens.ts';

/**
 * Whether a member name contains a backslash. After the engine's parser has seen such a name, it confuses it with names
 * in later texts that have an escape at the same position, even from other clients
 * (https://github.com/nodejs/node/issues/63785). So no foreign text with such a name may be parsed.
 */
export function hasBackslashInName(text: string): boolean {
  if (!mayHaveBackslash(text)) return false;
  for (let start = text.indexOf('"'), end = 0; start >= 0; start = text.indexOf('"', end)) {
    end = tokenEnd(text, start);
    if (isMemberName(text, end) && hasBackslash(text.slice(start, end))) return true;
  }
  return false;
}

/** Whether a JSON string contains an escaped backslash, as `\\` or `\u005c`. */
export function hasBackslash(literal: string): boolean {
  return mayHaveBackslash(literal) && backslashPattern.test(literal);
}

/** Clears nearly every text by a search for a few characters. */
export function mayHaveBackslash(text: string): boolean {
  const first = text.indexOf('\\');
  return first >= 0 && (text.includes('\\\\', first) || text.includes('\\u005', first));
}

/** A backslash in either notation. Pairs are matched as pairs: `\\n` is not a line break. */
const backslashPattern = /^(?:[^\\]|\\[^\\u]|\\u(?!005c))*(?:\\\\|\\u005c)/i;

/**
 * Parses the text of a provider, whose reader limits its length. `undefined` if it is not JSON or has such a name. For
 * all other text from outside, use `foreign-json`.
 */
export function safeJson(text: string, parse: (text: string) => unknown = JSON.parse): unknown {
  if (hasBackslashInName(text)) return undefined;
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}

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
