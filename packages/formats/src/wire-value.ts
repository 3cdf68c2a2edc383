import { exactJson } from './json/exact-json.ts';
import { safeJson } from './json/safe-json.ts';

/** A JSON object whose fields are not validated yet. */
export type WireObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is WireObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The object, or `undefined` for any other value: providers send `null`, strings and lists instead of objects. */
export function objectOf(value: unknown): WireObject | undefined {
  return isObject(value) ? value : undefined;
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The objects of a list, each with its index in the list. */
export function* objectEntries(value: unknown): Generator<readonly [index: number, object: WireObject]> {
  for (const [index, each] of listOf(value).entries()) if (isObject(each)) yield [index, each];
}

/** The text, or `undefined` if there is none: an empty string counts as a missing field. */
export function nonEmptyString(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export function stringOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** The integer, or `undefined` if it is smaller than `min` or no exact integer. */
export function integerFrom(min: number, value: unknown): number | undefined {
  return Number.isSafeInteger(value) && Number(value) >= min ? Number(value) : undefined;
}

export function wordSet(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/));
}

/** `undefined` if the text is not JSON: providers send HTML pages and sentences instead. */
export function parsedJson(text: string): unknown {
  return safeJson(text);
}

/** The object of a JSON text that is only written out again. Its integers keep all their digits. */
export function exactObject(text: string): WireObject | undefined {
  return objectOf(safeJson(text, exactJson));
}
