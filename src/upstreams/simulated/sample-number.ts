import { numberIn, type SimulatedSchema } from './json-schema.ts';

/**
 * Returns the allowed number closest to 1. Higher values of `turn` return different numbers, for values that must
 * differ.
 */
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
