/** A JSON object whose fields nobody has looked at yet. */
export type WireObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is WireObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The object, or `undefined` for anything else: providers put `null`, strings and lists where objects belong. */
export function objectOf(value: unknown): WireObject | undefined {
  return isObject(value) ? value : undefined;
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The text, or `undefined` when there is none: an empty string says as little as no field at all. */
export function wordOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** What a JSON text says, or `undefined` for anything else: providers answer with pages and sentences where JSON belongs. */
export function parsedJson(text: string): unknown {
  if (hasBackslashInName(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

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
