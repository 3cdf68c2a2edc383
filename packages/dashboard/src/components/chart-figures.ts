import { decimalText, nanoFrom } from 'chat-gateway-figures/money.ts';

/** The number of points that a chart shows at least, so that a single bar does not look like a whole period. */
export const pointsMin = 4;

/** The index of the first point with data in one of the series. Earlier points are empty, so that a chart can leave them out. */
export function firstShown(series: readonly (readonly (number | null)[])[], count: number): number {
  const isEmpty = (index: number) => series.every((values) => !values[index]);
  let first = 0;
  while (first < count && isEmpty(first)) first += 1;
  if (first === count) return 0;
  return Math.max(0, Math.min(first, count - pointsMin));
}

/** How a figure changed since the period before. `share` is the size of the change, relative to that period. */
export type FigureChange =
  | { readonly kind: 'none' }
  | { readonly kind: 'new' }
  | { readonly kind: 'same' }
  | { readonly kind: 'more' | 'less'; readonly share: number };

/** Changes below half a tenth of a percent would be written as 0. */
const shareMin = 0.0005;

/** Compares a figure with the period before. Null: unknown. */
export function changeOf(now: number | string | null, before: number | string | null): FigureChange {
  if (now === null || before === null) return { kind: 'none' };
  const [current, earlier] = [Number(now), Number(before)];
  if (earlier <= 0) return { kind: current > 0 && earlier === 0 ? 'new' : 'none' };
  const share = (current - earlier) / earlier;
  if (Math.abs(share) < shareMin) return { kind: 'same' };
  return share > 0 ? { kind: 'more', share } : { kind: 'less', share: -share };
}

/** The part of an amount that is left after other amounts, exactly. Decimal strings. */
export function amountLeft(total: string, parts: readonly string[]): string {
  return decimalText(parts.reduce((left, part) => left - nanoFrom(part), nanoFrom(total)));
}

/** Each series on top of the ones before it: the values at which its bars end. */
export function stacked(series: readonly (readonly (number | null)[])[]): readonly (readonly number[])[] {
  const tops: number[][] = [];
  for (const values of series) {
    const below = tops.at(-1);
    tops.push(values.map((value, index) => (below?.[index] ?? 0) + (value ?? 0)));
  }
  return tops;
}

/** Distances between labels, by the length of a point. */
const labelSteps = {
  hour: [1, 2, 3, 4, 6, 12, 24, 48, 96, 168],
  day: [1, 2, 3, 5, 7, 14, 30, 60, 90],
  month: [1, 2, 3, 6, 12],
} as const;

/** The points that get a label: as many as fit, with the last one among them. */
export function labelled(count: number, fitting: number, interval: keyof typeof labelSteps): readonly number[] {
  const least = count / Math.max(1, fitting);
  const step = labelSteps[interval].find((each) => each >= least) ?? Math.ceil(least);
  return Array.from({ length: count }, (_, index) => index).filter((index) => (count - 1 - index) % step === 0);
}
