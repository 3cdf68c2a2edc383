import {
  factorOne,
  levelFields,
  type Price,
  type PriceTier,
  type ServiceLevel,
  type TokenPrices,
  tokenKinds,
} from '../../core/price.ts';

/** The prices of tokens, and the product of the factors as the fraction `factor / scale`. */
export interface PriceAt {
  readonly prices: TokenPrices;
  readonly factor: bigint;
  readonly scale: bigint;
}

/** The prices for a prompt of this length at a service level. */
export function priceAt(price: Price, promptTokens: number, level: ServiceLevel): PriceAt {
  let prices: TokenPrices | undefined;
  let factor = 1n;
  let scale = 1n;
  for (const tier of price.tiers) {
    if (!holds(tier, promptTokens, level)) continue;
    if (tier.prices) prices ??= tier.prices;
    else {
      factor *= tier.factor;
      scale *= factorOne;
    }
  }
  return { prices: prices ?? price, factor, scale };
}

function holds({ when }: PriceTier, promptTokens: number, level: ServiceLevel): boolean {
  if (when.promptOver !== undefined && promptTokens <= when.promptOver) return false;
  return levelFields.every((field) => when[field] === undefined || when[field] === level[field]);
}

/** Lengths of prompts up to `promptTokensMax` that between them have every price that such a prompt can have. */
export function promptLengths(price: Price, promptTokensMax: number): readonly number[] {
  const thresholds = price.tiers.flatMap(({ when: { promptOver = Infinity } }) => promptOver);
  return [promptTokensMax, ...thresholds.filter((tokens) => tokens < promptTokensMax)];
}

/** A flat price that is at most the price of any tier. */
export function cheapestPrice(price: Price): Price {
  if (price.tiers.length === 0) return price;
  const { prices, factor, scale } = price.tiers.reduce<PriceAt>(cheaper, { prices: price, factor: 1n, scale: 1n });
  return { ...price, ...eachPrice(prices, (pico) => (pico * factor) / scale), tiers: [] };
}

function cheaper(least: PriceAt, { prices: others, factor = factorOne }: PriceTier): PriceAt {
  if (factor < factorOne) return { ...least, factor: least.factor * factor, scale: least.scale * factorOne };
  if (!others) return least;
  return { ...least, prices: eachPrice(least.prices, (pico, kind) => (others[kind] < pico ? others[kind] : pico)) };
}

function eachPrice(prices: TokenPrices, change: (pico: bigint, kind: keyof TokenPrices) => bigint): TokenPrices {
  const entries = tokenKinds.map((kind) => [kind, change(prices[kind], kind)]);
  return Object.fromEntries(entries);
}
