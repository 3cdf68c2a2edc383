import { foreignJson } from 'chat-formats/json/foreign-json.ts';

/** The value at a path inside parsed JSON; `undefined` if the path does not exist. */
export function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  let inner = value;
  for (const step of path) {
    if (typeof inner !== 'object' || inner === null || !Object.hasOwn(inner, step)) return undefined;
    inner = (inner as Record<string | number, unknown>)[step];
  }
  return inner;
}

/** The list at a path; empty if there is no list. */
export function listAt(value: unknown, ...path: readonly (string | number)[]): readonly unknown[] {
  const inner = at(value, ...path);
  return Array.isArray(inner) ? inner : [];
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** Parses JSON; returns `undefined`, which is not a JSON value, if the text is invalid. */
export function parsed(text: string): unknown {
  return foreignJson(text);
}
