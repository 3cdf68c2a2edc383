import { isJson } from '../json/safe-json.ts';
import type { ValueTypes } from './offered-tools.ts';
import { pythonAsJson } from './python-literal.ts';

/** Converts a model's plain text to the JSON type that its schema requires. Text that does not fit becomes a string. */
export function coerce(text: string, types: ValueTypes): string {
  const value = text.trim();
  for (const type of priority) {
    const json = types.has(type) ? readers[type](value) : undefined;
    if (json !== undefined) return json;
  }
  return JSON.stringify(text);
}

/** A value that its tag declares as JSON. If it is neither JSON nor a Python literal, it becomes a string. */
export function jsonOrString(text: string): string {
  const value = text.trim();
  return isJson(value) ? value : (pythonAsJson(value) ?? JSON.stringify(text));
}

const priority = ['null', 'integer', 'number', 'boolean', 'object', 'array'] as const;

const readers: Readonly<Record<(typeof priority)[number], (value: string) => string | undefined>> = {
  null: (value) => (/^(null|none)$/i.test(value) ? 'null' : undefined),
  // Not converted through a number: an id of 20 digits must keep all of them.
  integer: (value) => (/^[+-]?\d{1,1000}(\.0+)?$/.test(value) ? normalizeInteger(value) : undefined),
  number: (value) => (decimal.test(value) ? normalizeNumber(value) : undefined),
  boolean: (value) => booleans.get(value.toLowerCase()),
  object: (value) => convertStructure(value, '{'),
  array: (value) => convertStructure(value, '['),
};

const decimal = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

const booleans: ReadonlyMap<string, string> = new Map(
  Object.entries({ true: 'true', false: 'false', 1: 'true', 0: 'false' }),
);

function normalizeInteger(value: string): string {
  return BigInt(value.replace(/^\+/, '').replace(/\.0+$/, '')).toString();
}

function normalizeNumber(value: string): string | undefined {
  if (isJson(value)) return value;
  const number = Number(value);
  return Number.isFinite(number) ? JSON.stringify(number) : undefined;
}

function convertStructure(value: string, bracket: '{' | '['): string | undefined {
  if (isJson(value)) return value.startsWith(bracket) ? value : undefined;
  const json = pythonAsJson(value);
  return json?.startsWith(bracket) ? json : undefined;
}
