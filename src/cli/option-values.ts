import { CliError } from './output.ts';

/** Parses a whole number from 1 to `max`. */
export function countOf(option: string, value: string, max: number): number {
  const count = Number(value);
  if (Number.isInteger(count) && count >= 1 && count <= max) return count;
  throw new CliError('invalid_number', { option, value, min: 1, max }, { exitCode: 2 });
}

/** Returns text that is not a number unchanged: the schema has a better error message. */
export function numeric(value: string): number | string {
  return /^\d{1,15}$/.test(value) ? Number(value) : value;
}
