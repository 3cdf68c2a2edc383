import type { Quantiles } from './load-order.ts';

/** The median; NaN without values. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/** The medians of the lower and of the upper half: half of the values lie between them. */
export function quartiles(values: readonly number[]): { readonly lower: number; readonly upper: number } {
  const sorted = values.toSorted((a, b) => a - b);
  const half = Math.ceil(sorted.length / 2);
  return { lower: median(sorted.slice(0, half)), upper: median(sorted.slice(-half)) };
}

/** The p50 and the p99. */
export function quantiles(values: readonly number[]): Quantiles {
  const sorted = Float64Array.from(values).sort();
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
  return { p50: at(0.5), p99: at(0.99) };
}
