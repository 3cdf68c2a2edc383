import { exactPrice } from './exact-price.ts';
import { NumberText } from 'chat-formats/json/number-text.ts';
import type { PriceKind, Prices } from '../../../core/price-kinds.ts';

/** The prices of one model at one provider. */
export interface ListEntry {
  readonly provider: string;
  /** The name of the model in the list, with the prefixes that it has there. */
  readonly name: string;
  /** The day of the entry, if it has one. */
  readonly date?: string;
  readonly prices: Prices;
  /** Other prices for long prompts, the longest first. */
  readonly tiers: readonly ListTier[];
  readonly contextWindow?: number;
  readonly maxOutputTokens?: number;
  /** Fields of the list that are not prices. Such an entry is never imported. */
  readonly invalid: readonly InvalidField[];
  /** Fields with more digits than the catalog stores. */
  readonly rounded: readonly string[];
}

export interface ListTier {
  readonly promptOver: number;
  readonly prices: Prices;
}

export interface InvalidField {
  readonly field: string;
  readonly problem: 'negative' | 'not_a_number' | 'too_large' | 'missing';
}

/** The fields of a form: their names, the kinds that they price, and the power of ten to a million tokens. */
export interface FormFields {
  readonly kinds: Readonly<Record<string, PriceKind>>;
  readonly shift: number;
}

export interface ReadPrices {
  readonly prices: Prices;
  readonly invalid: readonly InvalidField[];
  readonly rounded: readonly string[];
}

/** The catalog stores at most six digits before the point. */
const microMax = 10n ** 12n - 1n;

/** Reads the prices of one object of the list. Fields that are left out or null have no price. */
export function readPrices(from: Readonly<Record<string, unknown>>, { kinds, shift }: FormFields): ReadPrices {
  const prices: Partial<Record<PriceKind, bigint>> = {};
  const invalid: InvalidField[] = [];
  const rounded: string[] = [];
  for (const [field, kind] of Object.entries(kinds)) {
    const value = from[field];
    if (value === undefined || value === null) continue;
    const price = value instanceof NumberText ? exactPrice(value.text, shift) : undefined;
    if (!price) invalid.push({ field, problem: 'not_a_number' });
    else if (price.micro < 0n) invalid.push({ field, problem: 'negative' });
    else if (price.micro > microMax) invalid.push({ field, problem: 'too_large' });
    else {
      prices[kind] = price.micro;
      if (price.isRounded) rounded.push(field);
    }
  }
  return { prices, invalid, rounded };
}

/** Input and output must have a price. */
export function missingFields({ prices, invalid }: ReadPrices, { kinds }: FormFields): readonly InvalidField[] {
  return Object.entries(kinds)
    .filter(([, kind]) => (kind === 'input' || kind === 'output') && prices[kind] === undefined)
    .filter(([field]) => !invalid.some((each) => each.field === field))
    .map(([field]) => ({ field, problem: 'missing' }));
}

/** More than any model has. The catalog refuses larger thresholds. */
const tokensMax = 1_000_000_000;

/** A number of tokens, or `undefined` for any other value. */
export function tokenCount(value: unknown): number | undefined {
  const count = value instanceof NumberText ? Number(value.text) : NaN;
  return Number.isInteger(count) && count > 0 && count <= tokensMax ? count : undefined;
}

/** Joins the parts of an entry. `tiers` may be in any order. */
export function listEntry(
  names: Pick<ListEntry, 'provider' | 'name'>,
  base: ReadPrices,
  tiers: readonly (ReadPrices & { readonly promptOver: number; readonly path: string })[],
): ListEntry {
  return {
    ...names,
    prices: base.prices,
    tiers: tiers
      .filter(({ prices }) => Object.keys(prices).length > 0)
      .map(({ promptOver, prices }) => ({ promptOver, prices }))
      .sort((one, other) => other.promptOver - one.promptOver),
    invalid: [
      ...base.invalid,
      ...tiers.flatMap(({ path, invalid }) => invalid.map((each) => ({ ...each, field: path + each.field }))),
    ],
    rounded: [...base.rounded, ...tiers.flatMap(({ path, rounded }) => rounded.map((field) => path + field))],
  };
}
