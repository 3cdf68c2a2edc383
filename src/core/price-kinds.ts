/** The kinds of tokens that have a price, as the catalog names them, in the order of the documentation. */
export const priceKinds = [
  'input',
  'cached_input',
  'cache_write_5m',
  'cache_write_1h',
  'input_audio',
  'input_image',
  'output',
  'reasoning',
  'output_audio',
] as const;
export type PriceKind = (typeof priceKinds)[number];

/** The kind whose price a kind without a price of its own has. */
export function usualKind(kind: PriceKind): 'input' | 'output' {
  return kind === 'output' || kind === 'reasoning' || kind === 'output_audio' ? 'output' : 'input';
}

/** Prices of a million tokens, in millionths of the currency. */
export type Prices = Readonly<Partial<Record<PriceKind, bigint>>>;
