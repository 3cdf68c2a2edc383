import { writePrices } from 'chat-formats/price.ts';

/** The kinds of tokens that have a price, as the catalog names them, in the order of the documentation. */
export const priceKinds = [
  'input',
  'cached_input',
  'cache_write_5m',
  'cache_write_30m',
  'cache_write_1h',
  'cache_write_12h',
  'input_audio',
  'input_image',
  'output',
  'reasoning',
  'output_audio',
] as const;
export type PriceKind = (typeof priceKinds)[number];

/** Whether every price must name this kind. */
export function isNeeded(kind: PriceKind): kind is 'input' | 'output' {
  return kind === 'input' || kind === 'output';
}

const writeKinds: Readonly<Partial<Record<PriceKind, keyof ReturnType<typeof writePrices>>>> = {
  cache_write_5m: 'cacheWrite5m',
  cache_write_30m: 'cacheWrite30m',
  cache_write_1h: 'cacheWrite1h',
  cache_write_12h: 'cacheWrite12h',
};

/** The price that a kind has beside these, if it has none of its own. */
export function usualPrice(kind: PriceKind, prices: Prices): bigint | undefined {
  if (kind === 'output' || kind === 'reasoning' || kind === 'output_audio') return prices.output;
  const name = writeKinds[kind];
  if (name === undefined || prices.input === undefined) return prices.input;
  const own = Object.entries(writeKinds).map(([other, write]) => [write, prices[other as PriceKind]]);
  return writePrices(prices.input, Object.fromEntries(own))[name];
}

/** Prices of a million tokens, in millionths of the currency. */
export type Prices = Readonly<Partial<Record<PriceKind, bigint>>>;

/** Leaves out the prices that kinds without a price of their own would have anyway. */
export function withoutUsual(prices: Prices): Prices {
  return priceKinds.toReversed().reduce((left, kind) => {
    const { [kind]: micro, ...others } = left;
    return !isNeeded(kind) && micro === usualPrice(kind, others) ? others : left;
  }, prices);
}
