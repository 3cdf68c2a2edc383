import { numberIn, type SimulatedSchema } from './json-schema.ts';
import { samplePattern } from './sample-pattern.ts';

/** An allowed text, of the words of the hint if possible. Another `turn` gives another text. */
export function sampleText(schema: SimulatedSchema, hint: string, turn: number): string {
  const { format, pattern } = schema;
  const least = Math.min(numberIn(schema['minLength']) ?? 0, lengthMax);
  const most = Math.max(least, Math.min(numberIn(schema['maxLength']) ?? textMax, lengthMax));
  const fixed = typeof pattern === 'string' ? patterned(pattern, least) : formats.get(format);
  if (fixed !== undefined) return fixed;
  const words = turn === 0 ? hint : `${turn + 1} ${hint}`;
  const characters = Array.from(words.slice(0, 2 * most)).slice(0, Math.max(least, Math.min(most, textMax)));
  return characters.join('') + 'x'.repeat(Math.max(0, least - characters.length));
}

/** Long enough to distinguish one value from another. */
const textMax = 80;
const lengthMax = 10_000;

function patterned(pattern: string, least: number): string | undefined {
  const shortest = samplePattern(pattern);
  return shortest !== undefined && shortest.length < least ? (samplePattern(pattern, least) ?? shortest) : shortest;
}

const formats: ReadonlyMap<unknown, string> = new Map([
  ['date', '2026-01-01'],
  ['time', '12:00:00Z'],
  ['date-time', '2026-01-01T12:00:00Z'],
  ['duration', 'P1D'],
  ['email', 'someone@example.com'],
  ['idn-email', 'someone@example.com'],
  ['hostname', 'example.com'],
  ['ipv4', '192.0.2.1'],
  ['ipv6', '2001:db8::1'],
  ['uri', 'https://example.com/'],
  ['url', 'https://example.com/'],
  ['uri-reference', '/'],
  ['iri', 'https://example.com/'],
  ['json-pointer', '/a'],
  ['uuid', '00000000-0000-4000-8000-000000000000'],
  ['byte', 'aGk='],
]);

/** The allowed number closest to 1. Another `turn` gives another number. */
export function sampleNumber(schema: SimulatedSchema, isInteger: boolean, turn: number): number {
  const step = numberIn(schema['multipleOf']) ?? (isInteger ? 1 : undefined);
  const [low, high] = boundsOf(schema, step ?? fineStep);
  const wanted = Math.min(Math.max(1, low), high) + turn * (step ?? 1);
  if (step === undefined || step <= 0) return Math.min(wanted, high);
  const up = Math.ceil(rounded(wanted / step)) * step;
  const fitting = up > high ? Math.floor(rounded(high / step)) * step : up;
  return rounded(isInteger ? Math.round(fitting) : fitting);
}

/** Small enough for any realistic range. */
const fineStep = 0.01;

function boundsOf(schema: SimulatedSchema, step: number): readonly [low: number, high: number] {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
  const low = numberIn(minimum) ?? -Infinity;
  const high = numberIn(maximum) ?? Infinity;
  // In the older form an exclusive bound is a boolean next to the bound.
  const above = exclusiveMinimum === true ? low : numberIn(exclusiveMinimum);
  const below = exclusiveMaximum === true ? high : numberIn(exclusiveMaximum);
  return [Math.max(low, (above ?? -Infinity) + step), Math.min(high, (below ?? Infinity) - step)];
}

/** Removes rounding errors of binary fractions. */
function rounded(value: number): number {
  return Number(value.toPrecision(12));
}
