import { isRecord } from '../../../platform/config/file/sections.ts';
import { scaled, unitsText } from '../../../core/money.ts';
import { pricePlaces } from './exact-price.ts';
import { isLongTier, pricesOf, type StoredPrice, tiersOf } from './imported-price.ts';
import { type PriceKind, type Prices, priceKinds, usualPrice } from '../../../core/price-kinds.ts';

/** One changed price of a million tokens. */
export interface PriceChange {
  readonly kind: PriceKind;
  /** Set for prompts of more tokens than this. */
  readonly promptOver: number | undefined;
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

/** The differences between two prices, for short prompts and just above each threshold. */
export function priceChanges(before: StoredPrice, after: StoredPrice): readonly PriceChange[] {
  const old = scheduleOf(before);
  const next = scheduleOf(after);
  const thresholds = new Set([...old.tiers, ...next.tiers].map(({ promptOver }) => promptOver));
  const lengths = [undefined, ...[...thresholds].sort((one, other) => one - other)];
  return lengths.flatMap((promptOver) => changesAt(pricesAt(old, promptOver), pricesAt(next, promptOver), promptOver));
}

/** Prices by length of the prompt. */
interface Schedule {
  readonly base: Prices;
  readonly tiers: readonly LongTier[];
}

interface LongTier {
  readonly promptOver: number;
  /** Either prices or a factor. */
  readonly prices: Prices | undefined;
  readonly factor: bigint;
}

const factorPlaces = 6;

function scheduleOf(price: StoredPrice): Schedule {
  if (price === 'free') return { base: { input: 0n, output: 0n }, tiers: [] };
  const tiers = tiersOf(price).filter((tier) => isLongTier(tier));
  return {
    base: pricesOf(price),
    tiers: tiers.map(({ when, factor, ...prices }) => ({
      promptOver: isRecord(when) ? Number(when.prompt_over) : 0,
      prices: typeof factor === 'string' ? undefined : pricesOf(prices),
      factor: scaled(typeof factor === 'string' ? factor : '1', factorPlaces),
    })),
  };
}

/** The prices of one length of the prompt, in units of 10^-`places`. */
interface PricesAt {
  readonly prices: Prices;
  readonly places: number;
  readonly hasTier: boolean;
}

/** The same rule as for requests: the first tier with prices replaces them, all factors multiply them. */
function pricesAt({ base, tiers }: Schedule, promptOver: number | undefined): PricesAt {
  const held = tiers.filter((tier) => promptOver !== undefined && tier.promptOver <= promptOver);
  const factors = held.filter(({ prices }) => prices === undefined);
  const factor = factors.reduce((product, tier) => product * tier.factor, 1n);
  const prices = Object.entries(held.find((tier) => tier.prices)?.prices ?? base);
  return {
    prices: Object.fromEntries(prices.map(([kind, micro]) => [kind, micro * factor])),
    places: pricePlaces + factors.length * factorPlaces,
    hasTier: promptOver === undefined || held.some((tier) => tier.promptOver === promptOver),
  };
}

function changesAt(old: PricesAt, next: PricesAt, promptOver: number | undefined): readonly PriceChange[] {
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
      promptOver,
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
