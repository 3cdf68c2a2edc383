import { createHash } from 'node:crypto';
import { scaled } from '../../../core/money.ts';
import {
  factorOne,
  type Price,
  type PriceTier,
  type TokenPrices,
  tokenKinds,
  writePrices,
} from 'chat-formats/price.ts';
import type { ModelSpec } from './model.ts';
import { placesOfFactor, priceFigures } from './price-figures.ts';

/** The price in the configuration. */
export function priceOf(spec: ModelSpec['price']): Price {
  if (spec === 'free') return { ...versioned(priceFigures({ input: '0', output: '0' })), toolUses: 'free' };
  return versioned(priceFigures(spec));
}

/** The same price with the factor of a package. */
export function withFactor(price: Price, decimal: string): Price {
  const factor = scaled(decimal, placesOfFactor);
  return factor === factorOne ? price : versioned({ ...price, factor });
}

/** The price of the lines of batches: the factor multiplies the prices of all tokens. */
export function batchPriceOf(price: Price, spec: ModelSpec['price']): Price {
  const factor = spec === 'free' || spec.batch === undefined ? factorOne : scaled(spec.batch, placesOfFactor);
  // A tier without a condition applies to every request.
  return factor === factorOne ? price : versioned({ ...price, tiers: [...price.tiers, { when: {}, factor }] });
}

/** The same figures always have the same version. */
function versioned(price: Omit<Price, 'version'>): Price {
  const { toolUses, tiers, factor, timeZone } = price;
  const parts: (bigint | string)[] = [
    ...figures(price),
    ...(toolUses === 'free' ? [] : Object.entries(toolUses).flat()),
  ];
  if (tiers.length > 0 || factor !== factorOne)
    parts.push(
      JSON.stringify(
        [tiers.map(versionedTier), factor, ...(timeZone === undefined ? [] : [timeZone])],
        (_name, value: unknown) => (typeof value === 'bigint' ? String(value) : value),
      ),
    );
  const version = createHash('sha256').update(parts.join(' ')).digest('hex').slice(0, 12);
  return { ...price, version: `p_${version}` };
}

function versionedTier(tier: PriceTier): unknown {
  return tier.prices ? { ...tier, prices: versionedPrices(tier.prices) } : tier;
}

/** Leaves out prices that follow from the others: prices that are older than these kinds keep their version. */
function versionedPrices(prices: TokenPrices): Partial<TokenPrices> {
  const { cacheWrite30m, cacheWrite12h, ...others } = prices;
  const usual = writePrices(prices.input, others);
  const isUsual = cacheWrite30m === usual.cacheWrite30m && cacheWrite12h === usual.cacheWrite12h;
  return isUsual ? others : prices;
}

function figures(prices: TokenPrices): readonly (bigint | string)[] {
  const { cacheWrite30m, cacheWrite12h, ...others } = versionedPrices(prices);
  const older = tokenKinds.flatMap((kind) => (kind in others ? prices[kind] : []));
  if (cacheWrite30m === undefined || cacheWrite12h === undefined) return older;
  // A name and two prices, which no pairs of tools and prices equal.
  return [...older, 'writes', cacheWrite30m, cacheWrite12h];
}
