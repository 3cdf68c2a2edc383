import { decimalText } from '../core/money.ts';

/**
 * A record as `--json` prints it: names in snake_case like the rest of our JSON, moments in ISO 8601, money as a decimal in quotes, and `null` where
 * something is not said, so that every document of a kind has the same fields.
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
