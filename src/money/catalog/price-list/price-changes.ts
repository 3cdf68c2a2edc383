import { scaled, unitsText } from '../../../core/money.ts';
import { pricePlaces } from './exact-price.ts';
import { conditionOf, type ListedCondition, pricesOf, type StoredPrice, tiersOf } from './imported-price.ts';
import { type PriceKind, type Prices, priceKinds, usualPrice } from '../../../core/price-kinds.ts';

/** One changed price of a million tokens. */
export interface PriceChange {
  readonly kind: PriceKind;
  /** Set for prompts of more tokens than this. */
  readonly promptOver: number | undefined;
  /** Set for a service level, such as `service_tier priority`. */
  readonly level?: string;
  readonly before: string;
  readonly after: string;
  /** Such as `+25.0 %`. `undefined`: the price was 0. */
  readonly percent: string | undefined;
  /** Set if an operator must confirm the change. */
  readonly hold: ChangeHold | undefined;
}

/** `vanished`: the list no longer has this price. */
export type ChangeHold = 'tenfold' | 'vanished' | 'zero';

const suspiciousFactor = 10n;

/** The differences between two prices, for short prompts and just above each threshold, at each service level. */
export function priceChanges(before: StoredPrice, after: StoredPrice): readonly PriceChange[] {
  const old = scheduleOf(before);
  const next = scheduleOf(after);
  const changed = [...old.tiers, ...next.tiers].filter(({ level }) => level === '' || !isKept(level));
  const conditions = [shortPrompts, ...changed.sort(shortestFirst)];
  const named = new Map(conditions.map(({ level, promptOver }) => [`${level} ${promptOver}`, { level, promptOver }]));
  return [...named.values()].flatMap((at) => changesAt(pricesAt(old, at), pricesAt(next, at), at));

  /** The tiers of a level that the list does not have. Factors among them follow the other prices. */
  function isKept(name: string): boolean {
    const [one, other] = [old, next].map(({ tiers }) => tiers.filter(({ level }) => level === name));
    return one?.map(({ text }) => text).join() === other?.map(({ text }) => text).join();
  }
}

const shortPrompts: ListedCondition = { promptOver: 0, level: '' };

function shortestFirst(one: ListedCondition, other: ListedCondition): number {
  if (one.level !== other.level) return one.level < other.level ? -1 : 1;
  return one.promptOver - other.promptOver;
}

/** Prices by service level and length of the prompt. */
interface Schedule {
  readonly base: Prices;
  readonly tiers: readonly ScheduleTier[];
}

interface ScheduleTier extends ListedCondition {
  /** Either prices or a factor. */
  readonly prices: Prices | undefined;
  readonly factor: bigint;
  /** The tier as it is written. */
  readonly text: string;
}

const factorPlaces = 6;

function scheduleOf(price: StoredPrice): Schedule {
  if (price === 'free') return { base: { input: 0n, output: 0n }, tiers: [] };
  const tiers = tiersOf(price).flatMap((tier): readonly ScheduleTier[] => {
    const condition = conditionOf(tier);
    const { factor } = tier;
    if (!condition) return [];
    const prices = typeof factor === 'string' ? undefined : pricesOf(tier);
    return [
      {
        ...condition,
        prices,
        factor: scaled(typeof factor === 'string' ? factor : '1', factorPlaces),
        text: JSON.stringify(tier),
      },
    ];
  });
  return { base: pricesOf(price), tiers };
}

/** The prices under one condition, in units of 10^-`places`. */
interface PricesAt {
  readonly prices: Prices;
  readonly places: number;
  readonly hasTier: boolean;
}

/** The same rule as for requests: the first tier with prices replaces them, all factors multiply them. */
function pricesAt({ base, tiers }: Schedule, at: ListedCondition): PricesAt {
  const isLevel = ({ level }: ListedCondition) => level === '' || level === at.level;
  const held = tiers.filter((tier) => isLevel(tier) && tier.promptOver <= at.promptOver);
  const factors = held.filter(({ prices }) => prices === undefined);
  const factor = factors.reduce((product, tier) => product * tier.factor, 1n);
  const prices = Object.entries(held.find((tier) => tier.prices)?.prices ?? base);
  return {
    prices: Object.fromEntries(prices.map(([kind, micro]) => [kind, micro * factor])),
    places: pricePlaces + factors.length * factorPlaces,
    hasTier:
      (at.level === '' && at.promptOver === 0) ||
      held.some((tier) => tier.level === at.level && tier.promptOver === at.promptOver),
  };
}

function changesAt(old: PricesAt, next: PricesAt, { promptOver, level }: ListedCondition): readonly PriceChange[] {
  return priceKinds.flatMap((kind) => {
    if (old.prices[kind] === undefined && next.prices[kind] === undefined) return [];
    const places = Math.max(old.places, next.places);
    const before = amountOf(old, kind, places);
    const after = amountOf(next, kind, places);
    if (before === after) return [];
    const hasVanished = (old.prices[kind] !== undefined && next.prices[kind] === undefined) || !next.hasTier;
    const isNew = old.prices[kind] === undefined;
    return {
      kind,
      promptOver: promptOver || undefined,
      ...(level !== '' && { level }),
      before: unitsText(before, places),
      after: unitsText(after, places),
      percent: percentText(before, after),
      hold: hasVanished ? ('vanished' as const) : holdOf(before, after, isNew),
    };
  });
}

function amountOf({ prices, places: own }: PricesAt, kind: PriceKind, places: number): bigint {
  return (prices[kind] ?? usualPrice(kind, prices) ?? 0n) * 10n ** BigInt(places - own);
}

/** Cached tokens often cost a tenth: a kind that had no price of its own may become much cheaper than the usual one. */
function holdOf(before: bigint, after: bigint, isNew: boolean): ChangeHold | undefined {
  if (after === 0n) return 'zero';
  if (after >= before * suspiciousFactor) return 'tenfold';
  return !isNew && before >= after * suspiciousFactor ? 'tenfold' : undefined;
}

/** Rounded to a tenth of a percent. */
function percentText(before: bigint, after: bigint): string | undefined {
  if (before === 0n) return undefined;
  const difference = after - before;
  const size = difference < 0n ? -difference : difference;
  const tenths = (size * 2000n + before) / (before * 2n);
  return `${difference < 0n ? '-' : '+'}${tenths / 10n}.${tenths % 10n} %`;
}
