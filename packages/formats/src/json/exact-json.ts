/** Parses JSON that will be serialised again: an integer that a double cannot hold becomes a raw JSON value. */
export function exactJson(text: string): unknown {
  return longNumber.test(text) ? JSON.parse(text, reviveExactly) : JSON.parse(text);
}

/** The same value with ordinary numbers. */
export function ordinaryJson(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

/** A shorter number always fits a double. */
const longNumber = /\d{16}/;
const wholeNumber = /^-?\d+$/;

/** TypeScript's library does not declare it yet. */
const { rawJSON } = JSON as unknown as { readonly rawJSON: (text: string) => unknown };

function reviveExactly(_name: string, value: unknown, context?: { readonly source?: string }): unknown {
  const { source = '' } = context ?? {};
  if (typeof value !== 'number' || Number.isSafeInteger(value) || !wholeNumber.test(source)) return value;
  return rawJSON(source);
}
