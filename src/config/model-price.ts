import { createHash } from 'node:crypto';
import { scaled } from '../core/money.ts';
import type { Price } from '../core/price.ts';
import type { ModelSpec } from './model.ts';

const placesPerMillion = 6;

/** The price as the configuration says it. What is left out costs as much as other input. */
export function priceOf(spec: ModelSpec['price']): Price {
  if (spec === 'free') return priced({ input: '0', output: '0' });
  return priced(spec);
}

interface Decimals {
  readonly input: string;
  readonly output: string;
  readonly cachedInput?: string | undefined;
  readonly cacheWrite5m?: string | undefined;
  readonly cacheWrite1h?: string | undefined;
}

function priced(decimals: Decimals): Price {
  const { input, output, cachedInput = input, cacheWrite5m = input, cacheWrite1h = input } = decimals;
  const figures = [input, cachedInput, cacheWrite5m, cacheWrite1h, output].map((decimal) =>
    scaled(decimal, placesPerMillion),
  ) as [bigint, bigint, bigint, bigint, bigint];
  const version = createHash('sha256').update(figures.join(' ')).digest('hex').slice(0, 12);
  const [perInput, perCached, per5m, per1h, perOutput] = figures;
  return {
    version: `p_${version}`,
    input: perInput,
    cachedInput: perCached,
    cacheWrite5m: per5m,
    cacheWrite1h: per1h,
    output: perOutput,
  };
}
