import { isJson } from '../../core/safe-json.ts';
import type { ValueTypes } from './offered-tools.ts';
import { pythonAsJson } from './python-literal.ts';

/** Writes what a model wrote as plain text as the JSON value its schema asks for; what does not fit stays a string. */
export function coerced(text: string, types: ValueTypes): string {
  const value = text.trim();
  for (const type of priority) {
    const json = types.has(type) ? readers[type](value) : undefined;
    if (json !== undefined) return json;
  }
  return JSON.stringify(text);
}

/** Writes a value that is said to be JSON, or else a string. */
export function jsonOrString(text: string): string {
  const value = text.trim();
  return isJson(value) ? value : (pythonAsJson(value) ?? JSON.stringify(text));
}

const priority = ['null', 'integer', 'number', 'boolean', 'object', 'array'] as const;

const readers: Readonly<Record<(typeof priority)[number], (value: string) => string | undefined>> = {
  null: (value) => (/^(null|none)$/i.test(value) ? 'null' : undefined),
  // Never by way of a number: an id of twenty digits must keep them all.
  integer: (value) => (/^[+-]?\d{1,1000}(\.0+)?$/.test(value) ? digits(value) : undefined),
  number: (value) => (decimal.test(value) ? numberText(value) : undefined),
  boolean: (value) => booleans.get(value.toLowerCase()),
  object: (value) => bracketed(value, '{'),
  array: (value) => bracketed(value, '['),
};

const decimal = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

const booleans: ReadonlyMap<string, string> = new Map([
  ['true', 'true'],
  ['false', 'false'],
  ['1', 'true'],
  ['0', 'false'],
]);

function digits(value: string): string {
  return BigInt(value.replace(/^\+/, '').replace(/\.0+$/, '')).toString();
}

function numberText(value: string): string | undefined {
  if (isJson(value)) return value;
  const number = Number(value);
  return Number.isFinite(number) ? JSON.stringify(number) : undefined;
}

function bracketed(value: string, bracket: '{' | '['): string | undefined {
  if (isJson(value)) return value.startsWith(bracket) ? value : undefined;
  const json = pythonAsJson(value);
  return json?.startsWith(bracket) ? json : undefined;
}
