import { unitName, units } from 'chat-formats/chat/pass-through-endpoint.ts';
import { defaultTimeZone } from '../../../core/time/calendar-day.ts';
import { scaled } from '../../../core/money.ts';
import { factorOne, isWindow, type Price, type PriceTier, type TokenPrices, writePrices } from 'chat-formats/price.ts';
import type { ModelSpec } from './model.ts';

const placesPerMillion = 6;
const placesPerThousand = 9;
const placesPerUnit = 12;
export const placesOfFactor = 6;

export type PriceSpec = Exclude<ModelSpec['price'], 'free'>;
type TierSpec = NonNullable<PriceSpec['tiers']>[number];

/** The written prices as figures. Kinds of tokens without a price of their own cost as much as `input` or `output`. */
export function priceFigures(spec: PriceSpec): Omit<Price, 'version'> {
  const toolUses = { ...pricedUses(spec.providerTools ?? {}), ...pricedUnits(spec.units ?? {}) };
  const tiers = (spec.tiers ?? []).map(tierOf);
  const { timeZone = defaultTimeZone } = spec;
  const zone = tiers.some(({ when }) => isWindow(when)) ? { timeZone } : {};
  return { ...tokenPrices(spec.input, spec.output, spec), toolUses, tiers, ...zone, factor: factorOne };
}

function tierOf({ when, factor, ...prices }: TierSpec): PriceTier {
  if (factor !== undefined) return { when, factor: scaled(factor, placesOfFactor) };
  return { when, prices: tokenPrices(prices.input ?? '0', prices.output ?? '0', prices) };
}

type OtherKinds = Readonly<Partial<Record<Exclude<keyof TokenPrices, 'input' | 'output'>, string | undefined>>>;

function tokenPrices(input: string, output: string, others: OtherKinds): TokenPrices {
  const perToken = (decimal: string): bigint => scaled(decimal, placesPerMillion);
  const ifPriced = (decimal: string | undefined): bigint | undefined =>
    decimal === undefined ? undefined : perToken(decimal);
  return {
    input: perToken(input),
    cachedInput: perToken(others.cachedInput ?? input),
    ...writePrices(perToken(input), {
      cacheWrite5m: ifPriced(others.cacheWrite5m),
      cacheWrite30m: ifPriced(others.cacheWrite30m),
      cacheWrite1h: ifPriced(others.cacheWrite1h),
      cacheWrite12h: ifPriced(others.cacheWrite12h),
    }),
    inputAudio: perToken(others.inputAudio ?? input),
    inputImage: perToken(others.inputImage ?? input),
    output: perToken(output),
    reasoning: perToken(others.reasoning ?? output),
    outputAudio: perToken(others.outputAudio ?? output),
  };
}

/** Sorted by name, so that the same prices give the same version regardless of their order in the file. */
function pricedUses(decimals: Readonly<Record<string, string>>): Readonly<Record<string, bigint>> {
  const names = Object.keys(decimals).sort();
  return Object.fromEntries(names.map((name) => [name, scaled(decimals[name] ?? '0', placesPerThousand)]));
}

function pricedUnits(decimals: NonNullable<PriceSpec['units']>): Readonly<Record<string, bigint>> {
  const entries = units.flatMap((unit) => {
    const decimal = decimals[unit];
    return decimal === undefined ? [] : [[unitName(unit), scaled(decimal, placesPerUnit)] as const];
  });
  return Object.fromEntries(entries);
}
