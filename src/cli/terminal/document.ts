import { decimalText } from '../../core/money.ts';

/**
 * Converts a record to the document that `--json` prints: names in snake_case, times in ISO 8601, money as decimal
 * text. `undefined` becomes `null`, so that all documents of a kind have the same fields.
 */
export function documentOf(record: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(record).map(([name, value]: [string, unknown]) => [snakeCased(name), documentValue(name, value)]),
  );
}

function documentValue(name: string, value: unknown): unknown {
  if (value === undefined) return null;
  if (typeof value === 'bigint') return decimalText(value);
  return name.endsWith('At') && typeof value === 'number' ? new Date(value).toISOString() : value;
}

function snakeCased(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
