/**
 * What a JSON text says, to be written out again: a whole number that a double cannot hold keeps its digits. It is written
 * as it stood, and is no number to anybody who looks at it.
 */
export function exactJson(text: string): unknown {
  return longNumber.test(text) ? JSON.parse(text, exactly) : JSON.parse(text);
}

/** The same value for whoever looks at its numbers. */
export function plainJson(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

/** No shorter number is beyond a double's digits. */
const longNumber = /\d{16}/;
const wholeNumber = /^-?\d+$/;

/** The language's library does not know it yet. */
const { rawJSON } = JSON as unknown as { readonly rawJSON: (text: string) => unknown };

function exactly(_name: string, value: unknown, context?: { readonly source?: string }): unknown {
  const { source = '' } = context ?? {};
  if (typeof value !== 'number' || Number.isSafeInteger(value) || !wholeNumber.test(source)) return value;
  return rawJSON(source);
}
