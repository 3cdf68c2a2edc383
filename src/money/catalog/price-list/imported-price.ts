import { isRecord } from '../../../platform/config/file/sections.ts';
import { scaled, unitsText } from '../../../core/money.ts';
import { pricePlaces } from './exact-price.ts';
import { type ListEntry, type ListLevel, levelText } from './list-entry.ts';
import { type PriceKind, type Prices, priceKinds, withoutUsual } from '../../../core/price-kinds.ts';

/** `price` of a catalog entry. */
export type StoredPrice = 'free' | Readonly<Record<string, unknown>>;

/**
 * The price of a catalog entry with the prices of the list. The list cannot price tools and units: these stay, as do the
 * service levels that it does not have, and the kinds of tokens that its form does not have.
 */
export function importedPrice(
  stored: StoredPrice,
  { prices, tiers }: ListEntry,
  listed: ReadonlySet<PriceKind>,
): Readonly<Record<string, unknown>> {
  const old = stored === 'free' ? {} : stored;
  const base = fieldsOf(prices, old, listed);
  const oldTiers = tiersOf(old);
  const listedTiers = tiers.map(({ promptOver, level, prices: own }) => {
    const when = { ...(promptOver !== undefined && { prompt_over: promptOver }), ...level };
    const oldTier = oldTiers.find(
      (tier) => conditionName(tier) === conditionName({ when }) && tier.factor === undefined,
    );
    const carried = carriedPrices(pricesOf(base), (kind) => listed.has(kind) || !oldTier);
    return { when, ...fieldsOf({ ...carried, ...own }, oldTier ?? {}, listed) };
  });
  const levels = new Set(['', ...tiers.map(({ level }) => levelText(level))]);
  const isReplaced = (tier: Readonly<Record<string, unknown>>) => levels.has(conditionOf(tier)?.level ?? '-');
  const kept = oldTiers.filter((tier) => !isReplaced(tier));
  const first = oldTiers.findIndex(isReplaced);
  const position = first === -1 ? kept.length : first;
  const all = [...kept.slice(0, position), ...listedTiers, ...kept.slice(position)];
  const others = Object.entries(old).filter(([field]) => field !== 'tiers' && !isKind(field));
  return { ...base, ...Object.fromEntries(others), ...(all.length > 0 && { tiers: all }) };
}

export function tiersOf(price: Readonly<Record<string, unknown>>): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(price.tiers) ? price.tiers.filter(isRecord) : [];
}

/** The conditions that lists have too; `undefined` if the tier has others. */
export interface ListedCondition {
  /** 0: any length. */
  readonly promptOver: number;
  /** Such as `service_tier priority`; empty for no level. */
  readonly level: string;
}

export function conditionOf({ when }: Readonly<Record<string, unknown>>): ListedCondition | undefined {
  const { prompt_over: promptOver, service_tier, speed, ...others } = isRecord(when) ? when : {};
  if (Object.keys(others).length > 0) return undefined;
  const level = { ...(service_tier !== undefined && { service_tier }), ...(speed !== undefined && { speed }) };
  return { promptOver: typeof promptOver === 'number' ? promptOver : 0, level: levelText(level as ListLevel) };
}

function conditionName(tier: Readonly<Record<string, unknown>>): string {
  return JSON.stringify(conditionOf(tier));
}

/** The prices that a price or a tier of the catalog names. */
export function pricesOf(price: Readonly<Record<string, unknown>>): Prices {
  const entries = priceKinds.flatMap((kind) => {
    const text = price[kind];
    return typeof text === 'string' ? [[kind, scaled(text, pricePlaces)] as const] : [];
  });
  return Object.fromEntries(entries);
}

/** A kind that the list prices only once has the same price for long prompts. */
function carriedPrices(base: Prices, isCarried: (kind: PriceKind) => boolean): Prices {
  const entries = Object.entries(withoutUsual(base)) as [PriceKind, bigint][];
  return Object.fromEntries(entries.filter(([kind]) => isCarried(kind)));
}

function fieldsOf(
  prices: Prices,
  old: Readonly<Record<string, unknown>>,
  listed: ReadonlySet<PriceKind>,
): Readonly<Record<string, string>> {
  const stored = pricesOf(old);
  const unlisted = Object.entries(stored).filter(([kind]) => !listed.has(kind as PriceKind));
  const all: Prices = { ...Object.fromEntries(unlisted), ...prices };
  const needed = withoutUsual(all);
  const entries = priceKinds.flatMap((kind): [PriceKind, string][] => {
    const micro = all[kind];
    if (micro === undefined) return [];
    // The same amount keeps its text: `10` does not become `10.00`.
    if (micro === stored[kind]) return [[kind, String(old[kind])]];
    return kind in needed || kind in stored ? [[kind, unitsText(micro, pricePlaces)]] : [];
  });
  return Object.fromEntries(entries);
}

function isKind(field: string): boolean {
  return (priceKinds as readonly string[]).includes(field);
}
