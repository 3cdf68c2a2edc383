import { JsonReader } from 'chat-formats/json/json-reader.ts';

/** The first syntax error of a text. Positions count from 1, columns in characters. */
interface JsonFlaw {
  readonly line: number;
  readonly column: number;
  /** The text ends before the JSON is complete. */
  readonly isTruncated: boolean;
}

/** The request body has passed the limits of `inspectJson` before. */
const noLimits = { depthMax: Number.POSITIVE_INFINITY, blanksMax: Number.POSITIVE_INFINITY };

/** The first syntax error, if any: messages of `JSON.parse` quote the content and often lack the position. */
export function findJsonFlaw(text: string): JsonFlaw | undefined {
  const reader = new JsonReader(noLimits);
  const end = reader.push(text);
  if (!reader.end()) return flawAt(text, reader.validLength);
  const rest = text.slice(end).search(/[^ \t\n\r]/);
  return rest < 0 ? undefined : flawAt(text, end + rest);
}

function flawAt(text: string, position: number): JsonFlaw {
  const before = text.slice(0, position);
  const line = before.split('\n').length;
  return { line, column: position - before.lastIndexOf('\n'), isTruncated: position >= text.length };
}
