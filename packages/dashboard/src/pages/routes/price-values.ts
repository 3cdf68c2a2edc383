import type { Weekday } from 'chat-formats/price.ts';
import type { PriceSpec } from '../../api/resource.ts';
import type { FixedTextKey } from '../../text/text.tsx';

/** The kinds of tokens that most models price. */
export const commonKinds = ['input', 'output', 'cached_input', 'cache_write_5m', 'cache_write_1h'] as const;
export const rareKinds = [
  'cache_write_30m',
  'cache_write_12h',
  'input_audio',
  'input_image',
  'reasoning',
  'output_audio',
] as const;
export const priceNames = [...commonKinds, ...rareKinds] as const;
export type PriceName = (typeof priceNames)[number];

export const unitNames = ['request', 'image', 'second', 'character'] as const;
export type UnitName = (typeof unitNames)[number];

/** Prices of a million tokens as typed. An empty one is that of `input` or `output`. */
export type TokenPriceTexts = Readonly<Record<PriceName, string>>;

/** The price schedule of a model as typed. */
export interface PriceValues {
  readonly tokens: TokenPriceTexts;
  readonly tiers: readonly TierValues[];
  /** Of the windows of its tiers. */
  readonly timeZone: string;
  readonly units: Readonly<Record<UnitName, string>>;
  readonly tools: readonly ToolValues[];
}

/** A tier: its conditions, of which an empty one always holds, and its effect on the prices of tokens. */
export interface TierValues {
  readonly key: number;
  readonly promptOver: number | string;
  readonly serviceTier: string;
  readonly speed: string;
  readonly region: string;
  readonly days: readonly Weekday[];
  readonly from: string;
  readonly to: string;
  readonly effect: 'factor' | 'prices';
  readonly factor: string;
  readonly tokens: TokenPriceTexts;
}

/** The price of a thousand uses of a tool. */
export interface ToolValues {
  readonly key: number;
  readonly name: string;
  readonly price: string;
}

type TierSpec = NonNullable<PriceSpec['tiers']>[number];

export function priceValues(spec: Partial<PriceSpec>): PriceValues {
  return {
    tokens: tokenTexts(spec),
    tiers: (spec.tiers ?? []).map((tier, key) => tierValues(tier, key)),
    timeZone: spec.time_zone ?? '',
    units: Object.fromEntries(unitNames.map((unit) => [unit, spec.units?.[unit] ?? ''])) as PriceValues['units'],
    tools: Object.entries(spec.provider_tools ?? {}).map(([name, price], key) => ({ key, name, price })),
  };
}

function tierValues({ when, factor, ...prices }: TierSpec, key: number): TierValues {
  return {
    key,
    promptOver: when.prompt_over ?? '',
    serviceTier: when.service_tier ?? '',
    speed: when.speed ?? '',
    region: when.region ?? '',
    days: when.days ?? [],
    from: when.from ?? '',
    to: when.to ?? '',
    effect: factor === undefined ? 'prices' : 'factor',
    factor: factor ?? '',
    tokens: tokenTexts(prices),
  };
}

function tokenTexts(prices: Partial<Record<PriceName, string>>): TokenPriceTexts {
  return Object.fromEntries(priceNames.map((name) => [name, prices[name] ?? ''])) as TokenPriceTexts;
}

export function emptyTier(key: number, given: Partial<TierValues>): TierValues {
  return { ...tierValues({ when: {}, factor: '' }, key), ...given };
}

/** A key for one more row. */
export function nextKey(rows: readonly { readonly key: number }[]): number {
  return Math.max(-1, ...rows.map(({ key }) => key)) + 1;
}

/** The fields of a price that the form has. */
const priceFields: ReadonlySet<string> = new Set([...priceNames, 'provider_tools', 'units', 'tiers', 'time_zone']);

/** No prices yet. */
export const noPrices: PriceValues = priceValues({});

/**
 * The spec to send in place of another. Fields that the form does not have keep their values. A price that was changed
 * by hand no longer comes from its source.
 */
export function changedPrice(values: PriceValues, before: PriceSpec | 'free' | undefined): PriceSpec {
  const price = priceSpec(values);
  if (before === undefined || before === 'free') return price;
  const isSame = JSON.stringify(price) === JSON.stringify(priceSpec(priceValues(before)));
  const kept = Object.entries(before).filter(([name]) => (name === 'source' ? isSame : !priceFields.has(name)));
  return { ...Object.fromEntries(kept), ...price };
}

/** The spec to send. Leaves out empty fields. */
export function priceSpec({ tokens, tiers, timeZone, units, tools }: PriceValues): PriceSpec {
  const named = tools.filter(({ name, price }) => name.trim() !== '' || price.trim() !== '');
  const priced = filled(units);
  return {
    input: '',
    output: '',
    ...filled(tokens),
    ...(named.length > 0 && {
      provider_tools: Object.fromEntries(named.map(({ name, price }) => [name.trim(), price.trim()])),
    }),
    ...(Object.keys(priced).length > 0 && { units: priced }),
    ...(tiers.length > 0 && { ...filled({ time_zone: timeZone }), tiers: tiers.map(tierSpec) }),
  };
}

function tierSpec({ promptOver, serviceTier, speed, region, effect, factor, tokens, ...window }: TierValues): TierSpec {
  const { days, from, to } = window;
  const when = {
    ...(promptOver !== '' && { prompt_over: Number(promptOver) }),
    ...filled({ service_tier: serviceTier, speed, region, from, to }),
    ...(days.length > 0 && { days }),
  };
  return effect === 'factor' ? { when, factor: factor.trim() } : { when, ...filled(tokens) };
}

function filled<Name extends string>(texts: Readonly<Record<Name, string>>): Partial<Record<Name, string>> {
  const given = Object.entries<string>(texts).map(([name, text]) => [name, text.trim()] as const);
  return Object.fromEntries(given.filter(([, text]) => text !== '')) as Partial<Record<Name, string>>;
}

/** The names of the prices. */
export const priceWords: Readonly<Record<PriceName, FixedTextKey>> = {
  input: 'routes.priceInput',
  output: 'routes.priceOutput',
  cached_input: 'routes.priceCached',
  cache_write_5m: 'routes.priceWrite5m',
  cache_write_30m: 'routes.priceWrite30m',
  cache_write_1h: 'routes.priceWrite1h',
  cache_write_12h: 'routes.priceWrite12h',
  input_audio: 'request.kindInputAudio',
  input_image: 'request.kindInputImage',
  reasoning: 'request.kindReasoning',
  output_audio: 'request.kindOutputAudio',
};

export const unitWords: Readonly<Record<UnitName, FixedTextKey>> = {
  request: 'models.unitRequest',
  image: 'models.unitImage',
  second: 'models.unitSecond',
  character: 'models.unitCharacter',
};

/** Whether an empty price of this kind is that of `output`. */
export function isOutput(name: PriceName): boolean {
  return name === 'output' || name === 'reasoning' || name === 'output_audio';
}

/** Lifetimes of caches whose price an empty one has, if it has a price. */
const nearLifetimes: Readonly<Partial<Record<PriceName, PriceName>>> = {
  cache_write_5m: 'cache_write_30m',
  cache_write_30m: 'cache_write_5m',
  cache_write_1h: 'cache_write_12h',
};

/** The price of a kind whose own price is empty; undefined if that is empty too. */
export function usualText(name: PriceName, prices: Partial<TokenPriceTexts>): string | undefined {
  if (isOutput(name)) return prices.output || undefined;
  const texts = name === 'cache_write_12h' ? [prices.input, prices.cache_write_5m, prices.cache_write_1h] : [];
  const near = nearLifetimes[name];
  const dearest = texts.reduce((one, other) => (Number(other || 0) > Number(one || 0) ? other : one), '');
  return dearest || (near && prices[near]) || prices.input || undefined;
}
