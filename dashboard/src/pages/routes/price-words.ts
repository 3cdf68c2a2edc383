import type { FixedTextKey } from '../../text/text.tsx';
import type { PriceName } from './model-values.ts';

/** The names of the prices. */
export const priceWords: Readonly<Record<PriceName, FixedTextKey>> = {
  input: 'routes.priceInput',
  output: 'routes.priceOutput',
  cached_input: 'routes.priceCached',
  cache_write_5m: 'routes.priceWrite5m',
  cache_write_1h: 'routes.priceWrite1h',
};
