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
  /** Other prices for service levels and long prompts: those with the most conditions and the longest prompts first. */
  readonly tiers: readonly ListTier[];
  readonly contextWindow?: number;
  readonly maxOutputTokens?: number;
  /** Fields of the list that are not prices. Such an entry is never imported. */
  readonly invalid: readonly InvalidField[];
  /** Fields with more digits than the catalog stores. */
  readonly rounded: readonly string[];
  /** Fields that look like prices of tokens and are not understood. */
  readonly unread?: readonly string[];
}

export interface ListTier {
  readonly promptOver?: number;
  readonly level?: ListLevel;
  readonly prices: Prices;
}

/** A service level, with the names of the catalog. */
export type ListLevel = Readonly<Partial<Record<'service_tier' | 'speed', string>>>;

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

export interface ReadTier extends ReadPrices, Pick<ListTier, 'promptOver' | 'level'> {
  /** Where its fields are in the model. */
  readonly path: string;
}

/** Joins the parts of an entry. `tiers` may be in any order. */
export function listEntry(
  names: Pick<ListEntry, 'provider' | 'name'>,
  base: ReadPrices,
  tiers: readonly ReadTier[],
): ListEntry {
  return {
    ...names,
    prices: named(base.prices),
    tiers: combined(tiers.filter(({ prices }) => Object.keys(prices).length > 0)).map((tier) => {
      return { ...tier, prices: named(tier.prices) };
    }),
    invalid: [
      ...base.invalid,
      ...tiers.flatMap(({ path, invalid }) => invalid.map((each) => ({ ...each, field: path + each.field }))),
    ],
    rounded: [...base.rounded, ...tiers.flatMap(({ path, rounded }) => rounded.map((field) => path + field))],
  };

  /** Lists have one name for the shorter lifetime of caches, which is 30 minutes at OpenAI and 5 minutes elsewhere. */
  function named(prices: Prices): Prices {
    const { cache_write_5m: written, ...others } = prices;
    const is30m = /^(?:openai|azure)$/.test(names.provider) && base.prices.cache_write_1h === undefined;
    return is30m && written !== undefined ? { ...others, cache_write_30m: written } : prices;
  }
}

/**
 * The first tier that holds decides, so a service level also needs prices for each length of the prompt. A kind
 * that the list does not price for both has the dearer of the two prices.
 */
function combined(tiers: readonly ListTier[]): readonly ListTier[] {
  const levels = new Map(tiers.map(({ level }) => [levelText(level), level]));
  const thresholds = new Set(tiers.map(({ promptOver = 0 }) => promptOver));
  const at = (level: string, over: number) =>
    tiers.find((tier) => levelText(tier.level) === level && (tier.promptOver ?? 0) === over)?.prices;
  const longestFirst = [...thresholds].sort((one, other) => other - one);
  return [...levels]
    .sort(([one], [other]) => Number(one === '') - Number(other === ''))
    .flatMap(([name, level]) =>
      longestFirst.flatMap((over): readonly ListTier[] => {
        const usual = name === '' ? {} : dearest(at(name, 0), at('', over));
        const prices = { ...usual, ...at(name, over) };
        if (Object.keys(prices).length === 0) return [];
        return [{ ...(over > 0 && { promptOver: over }), ...(level && { level }), prices }];
      }),
    );
}

/** Such as `service_tier priority`; empty for no level. */
export function levelText(level: ListLevel = {}): string {
  return Object.entries(level).flat().join(' ');
}

function dearest(one: Prices = {}, other: Prices = {}): Prices {
  const larger = Object.entries(other).filter(([kind, micro]) => micro > (one[kind as PriceKind] ?? -1n));
  return { ...one, ...Object.fromEntries(larger) };
}
