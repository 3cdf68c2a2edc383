import { createHash } from 'node:crypto';
import { scaled } from '../core/money.ts';
import { unitName, units } from '../core/pass-through-endpoint.ts';
import type { Price } from '../core/price.ts';
import type { ModelSpec } from './model.ts';

const placesPerMillion = 6;
const placesPerThousand = 9;
const placesPerUnit = 12;

/** The price in the configuration. Kinds of input without a price of their own cost as much as `input`. */
export function priceOf(spec: ModelSpec['price']): Price {
  if (spec === 'free') return { ...priced({ input: '0', output: '0' }), toolUses: 'free' };
  return priced(spec);
}

interface Decimals {
  readonly input: string;
  readonly output: string;
  readonly cachedInput?: string | undefined;
  readonly cacheWrite5m?: string | undefined;
  readonly cacheWrite1h?: string | undefined;
  readonly providerTools?: Readonly<Record<string, string>> | undefined;
  readonly units?: Readonly<Partial<Record<(typeof units)[number], string | undefined>>> | undefined;
}

function priced(decimals: Decimals): Price {
  const { input, output, cachedInput = input, cacheWrite5m = input, cacheWrite1h = input } = decimals;
  const figures = [input, cachedInput, cacheWrite5m, cacheWrite1h, output].map((decimal) =>
    scaled(decimal, placesPerMillion),
  ) as [bigint, bigint, bigint, bigint, bigint];
  const toolUses = { ...pricedUses(decimals.providerTools ?? {}), ...pricedUnits(decimals.units ?? {}) };
  const parts = [...figures, ...Object.entries(toolUses).flat()];
  const version = createHash('sha256').update(parts.join(' ')).digest('hex').slice(0, 12);
  const [perInput, perCached, per5m, per1h, perOutput] = figures;
  return {
    version: `p_${version}`,
    input: perInput,
    cachedInput: perCached,
    cacheWrite5m: per5m,
    cacheWrite1h: per1h,
    output: perOutput,
    toolUses,
  };
}

/** Sorted by name, so that the same prices give the same version regardless of their order in the file. */
function pricedUses(decimals: Readonly<Record<string, string>>): Readonly<Record<string, bigint>> {
  const names = Object.keys(decimals).sort();
  return Object.fromEntries(names.map((name) => [name, scaled(decimals[name] ?? '0', placesPerThousand)]));
}

function pricedUnits(decimals: NonNullable<Decimals['units']>): Readonly<Record<string, bigint>> {
  const entries = units.flatMap((unit) => {
    const decimal = decimals[unit];
    return decimal === undefined ? [] : [[unitName(unit), scaled(decimal, placesPerUnit)] as const];
  });
  return Object.fromEntries(entries);
}
