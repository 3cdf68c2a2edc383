import type { JsonSchema } from './component-schemas.ts';

/** The limits of a schema as text. */
export function limitsOf(schema: JsonSchema): readonly string[] {
  const limits = [
    'const' in schema ? `always ${word(schema.const)}` : undefined,
    schema.enum?.map(word).join(', '),
    range(schema.minimum, schema.maximum, ''),
    range(schema.minLength, schema.maxLength, ' characters'),
    range(schema.minItems, schema.maxItems, ' entries'),
    schema.pattern === undefined ? undefined : word(schema.pattern),
  ];
  return limits.filter((limit) => limit !== undefined);
}

function word(value: unknown): string {
  return `\`${String(value)}\``;
}

/** A maximum of this size only marks a 32-bit integer. */
const endless = 2 ** 31 - 1;

/** Omits lower bounds of 0 and 1 without an upper bound, except that a list must not be empty. */
function range(min = 0, max = endless, unit: string): string | undefined {
  if (max < endless) return min > 0 || unit === '' ? `${min} to ${max}${unit}` : `at most ${max}${unit}`;
  if (min > 1) return `at least ${min}${unit}`;
  return min === 1 && unit === ' entries' ? 'at least 1 entry' : undefined;
}
