import { exactJson } from '../core/exact-json.ts';
import { hasBackslashInName } from '../core/safe-json.ts';

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
  return parsedBy(JSON.parse, text);
}

/** The object of a JSON text that is only written out again, whose whole numbers keep their digits. */
export function exactObject(text: string): WireObject | undefined {
  return objectOf(parsedBy(exactJson, text));
}

function parsedBy(parse: (text: string) => unknown, text: string): unknown {
  if (hasBackslashInName(text)) return undefined;
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}
