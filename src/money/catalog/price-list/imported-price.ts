import { isRecord } from '../../../platform/config/file/sections.ts';
import { scaled, unitsText } from '../../../core/money.ts';
import { pricePlaces } from './exact-price.ts';
import type { ListEntry } from './list-entry.ts';
import { isNeeded, type PriceKind, type Prices, priceKinds, usualPrice } from '../../../core/price-kinds.ts';

/** `price` of a catalog entry. */
export type StoredPrice = 'free' | Readonly<Record<string, unknown>>;

/**
 * The price of a catalog entry with the prices of the list. The list cannot price tools, units and service levels: these
 * stay, as do the kinds of tokens that its form does not have.
 */
export function importedPrice(
  stored: StoredPrice,
  { prices, tiers }: ListEntry,
  listed: ReadonlySet<PriceKind>,
): Readonly<Record<string, unknown>> {
  const old = stored === 'free' ? {} : stored;
  const base = fieldsOf(prices, old, listed);
  const oldTiers = tiersOf(old);
  const long = tiers.map(({ promptOver, prices: own }) => {
    const oldTier = oldTiers.find((tier) => isLongTier(tier, promptOver) && tier.factor === undefined);
    const carried = carriedPrices(pricesOf(base), (kind) => listed.has(kind) || !oldTier);
    return { when: { prompt_over: promptOver }, ...fieldsOf({ ...carried, ...own }, oldTier ?? {}, listed) };
  });
  const kept = oldTiers.filter((tier) => !isLongTier(tier));
  const first = oldTiers.findIndex((tier) => isLongTier(tier));
  const position = first === -1 ? kept.length : first;
  const all = [...kept.slice(0, position), ...long, ...kept.slice(position)];
  const others = Object.entries(old).filter(([field]) => field !== 'tiers' && !isKind(field));
  return { ...base, ...Object.fromEntries(others), ...(all.length > 0 && { tiers: all }) };
}

export function tiersOf(price: Readonly<Record<string, unknown>>): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(price.tiers) ? price.tiers.filter(isRecord) : [];
}

/** Whether the length of the prompt is the only condition of a tier. */
export function isLongTier({ when }: Readonly<Record<string, unknown>>, promptOver?: number): boolean {
  if (!isRecord(when) || Object.keys(when).join() !== 'prompt_over') return false;
  return promptOver === undefined || when.prompt_over === promptOver;
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
  const entries = Object.entries(base) as [PriceKind, bigint][];
  return Object.fromEntries(
    entries.filter(([kind, micro]) => isCarried(kind) && (isNeeded(kind) || micro !== usualPrice(kind, base))),
  );
}

function fieldsOf(
  prices: Prices,
  old: Readonly<Record<string, unknown>>,
  listed: ReadonlySet<PriceKind>,
): Readonly<Record<string, string>> {
  const stored = pricesOf(old);
  const entries = priceKinds.flatMap((kind): [PriceKind, string][] => {
    const micro = prices[kind] ?? (listed.has(kind) ? undefined : stored[kind]);
    if (micro === undefined) return [];
    // The same amount keeps its text: `10` does not become `10.00`.
    if (micro === stored[kind]) return [[kind, String(old[kind])]];
    const isUsual = !isNeeded(kind) && micro === usualPrice(kind, prices) && stored[kind] === undefined;
    return isUsual ? [] : [[kind, unitsText(micro, pricePlaces)]];
  });
  return Object.fromEntries(entries);
}

function isKind(field: string): boolean {
  return (priceKinds as readonly string[]).includes(field);
}
