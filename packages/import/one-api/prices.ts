import { scaled } from 'chat-gateway-figures/money.ts';
import type { PlannedPrice } from '../target.ts';
import { textOf, type Values } from '../values.ts';
import { compiledCompletionRatio } from './completion-ratios.ts';
import { priceSegments } from './price-expression.ts';
import { one, Ratio } from './ratio.ts';
import { objectOption, type OneApiSource } from './source.ts';

export interface PricedModel {
  readonly price: PlannedPrice;
  /** Prices that had more than six places and were rounded up. */
  readonly rounded: readonly string[];
  /** The product does not say the price of completion tokens; what is compiled into it was used. */
  readonly isCompletionAssumed: boolean;
  /** The paths on which new-api offers the model. */
  readonly endpointTypes: readonly string[];
  /** The expression from which the price was read. */
  readonly expression?: string;
}

export type PriceFinder = (model: string, channelTypes: readonly string[]) => FoundPrice;

/** `expression`: the product computes the price in a way that the catalog cannot express. */
export type FoundPrice = PricedModel | 'missing' | 'expression';

const placesOfPrice = 6;
const wholeDigitsMax = 6;
const perMillion = new Ratio(1_000_000n);
/** What new-api charges for tokens written to a cache, if no ratio is set. */
const defaultWriteRatio = new Ratio(125n, 100n);
/** What new-api charges for an hour in the cache, relative to five minutes. */
const hourRatio = new Ratio(16n, 10n);

export function priceFinder(source: OneApiSource): PriceFinder {
  return source.product === 'new-api' ? ofRunningInstance(source) : ofOptions(source);
}

/** new-api: the reply of `GET /api/pricing`. Without it, no price is known: the database has only those that were changed. */
function ofRunningInstance(source: OneApiSource): PriceFinder {
  const entries = new Map((source.pricing ?? []).map((entry) => [textOf(entry['model_name']), entry]));
  return (model) => {
    const entry = entries.get(model);
    if (!entry) return 'missing';
    const types = entry['supported_endpoint_types'];
    const endpointTypes = Array.isArray(types) ? types.map(String) : [];
    const rest = { isCompletionAssumed: false, endpointTypes };
    if (textOf(entry['billing_mode']) === 'tiered_expr') return expressed(textOf(entry['billing_expr']) ?? '', rest);
    const isPerCall = textOf(entry['quota_type']) === '1';
    return priced(isPerCall ? callFields(entry) : tokenFields(entry, source), rest);
  };
}

type PriceRest = Pick<PricedModel, 'isCompletionAssumed' | 'endpointTypes'>;

/** The first segment is the price, the others are tiers: the longest prompts first. */
function expressed(expression: string, rest: PriceRest): FoundPrice {
  const found = (priceSegments(expression) ?? []).map(({ promptOver, fields }) => {
    const [input, output] = [fields.get('input'), fields.get('output')];
    const price = input && output && priced({ ...Object.fromEntries(fields), input, output }, rest);
    return { promptOver, price };
  });
  const [base, ...longer] = found.map(({ price }) => (typeof price === 'object' ? price : undefined));
  if (!base || found[0]?.promptOver !== 0n) return 'expression';
  const tiers = longer.flatMap((each, index) => {
    const over = Number(found[index + 1]?.promptOver ?? 0n);
    return each ? [{ when: { prompt_over: over }, ...each.price }] : [];
  });
  if (tiers.length < longer.length) return 'expression';
  const price = { ...base.price, ...(tiers.length > 0 && { tiers: tiers.toReversed() }) };
  const rounded = [base, ...longer].flatMap((each) => each?.rounded ?? []);
  return { ...base, price, rounded: [...new Set(rounded)], expression };
}

/** The price of a call is in the currency, not in quota. */
function callFields(entry: Values): PriceFields {
  const request = Ratio.of(textOf(entry['model_price']));
  return request && { input: new Ratio(0n), output: new Ratio(0n), request };
}

function tokenFields(entry: Values, source: OneApiSource): PriceFields {
  const ratio = (name: string): Ratio | undefined => Ratio.of(textOf(entry[name]));
  const input = perMillionTokens(ratio('model_ratio'), source);
  if (!input) return undefined;
  const written = input.times(ratio('create_cache_ratio') ?? defaultWriteRatio);
  const audio = ratio('audio_ratio');
  const audioCompletion = ratio('audio_completion_ratio');
  return {
    input,
    output: input.times(ratio('completion_ratio') ?? one),
    cached_input: input.times(ratio('cache_ratio') ?? one),
    cache_write_5m: written,
    cache_write_1h: written.times(hourRatio),
    ...(ratio('image_ratio') && { input_image: input.times(ratio('image_ratio') ?? one) }),
    ...(audio && { input_audio: input.times(audio) }),
    ...(audioCompletion && { output_audio: input.times(audio ?? one).times(audioCompletion) }),
  };
}

/** one-api: its options. A ratio under `name(channel type)` is that of the model on channels of the type. */
function ofOptions(source: OneApiSource): PriceFinder {
  const ratios = objectOption(source, 'ModelRatio');
  const completions = objectOption(source, 'CompletionRatio');
  return (model, channelTypes) => {
    const name = model.replace(/^((?:qwen|command)-.*)-internet$/, '$1');
    const found = channelTypes.map((type) => {
      const ratio = textOf(ratios[`${name}(${type})`]) ?? textOf(ratios[name]);
      const completion = textOf(completions[`${name}(${type})`]) ?? textOf(completions[name]);
      const input = perMillionTokens(Ratio.of(ratio), source);
      if (!input) return 'missing';
      const output = input.times(Ratio.of(completion ?? compiledCompletionRatio(name)) ?? one);
      return priced({ input, output }, { isCompletionAssumed: completion === undefined, endpointTypes: [] });
    });
    return found.reduce(dearer, found[0] ?? 'missing');
  };
}

/** Whether channels of different types have different prices for the model. */
export function pricesDiffer(find: PriceFinder, model: string, channelTypes: readonly string[]): boolean {
  const texts = channelTypes.map((type) => {
    const found = find(model, [type]);
    return typeof found === 'string' ? found : `${found.price.input} ${found.price.output}`;
  });
  return new Set(texts).size > 1;
}

function dearer(one: FoundPrice, other: FoundPrice): FoundPrice {
  if (typeof one === 'string') return other;
  if (typeof other === 'string') return one;
  return microOf(other) > microOf(one) ? other : one;
}

function microOf({ price: { input, output } }: PricedModel): bigint {
  return scaled(input, placesOfPrice) + scaled(output, placesOfPrice);
}

function perMillionTokens(ratio: Ratio | undefined, { nanoPerQuota }: OneApiSource): Ratio | undefined {
  return ratio?.times(nanoPerQuota).times(perMillion).over(new Ratio(1_000_000_000n));
}

/** `undefined`: a number of the source is none. */
type PriceFields = (Readonly<Record<'input' | 'output', Ratio>> & Readonly<Record<string, Ratio>>) | undefined;

function priced(fields: PriceFields, rest: PriceRest): FoundPrice {
  if (!fields) return 'missing';
  const rounded: string[] = [];
  const texts: Record<string, string> = {};
  for (const [field, exact] of Object.entries(fields)) {
    // What costs as much as the input is left out.
    if (!['input', 'output', 'request'].includes(field) && exact.equals(fields.input)) continue;
    const { text, isExact } = exact.roundedUp(field === 'request' ? 12 : placesOfPrice);
    if ((text.split('.')[0] ?? '').length > wholeDigitsMax) return 'missing';
    if (!isExact) rounded.push(field);
    texts[field] = text;
  }
  const { input = '0', output = '0', request, ...others } = texts;
  const price = { input, output, ...others, ...(request !== undefined && { units: { request } }) };
  return { price, rounded, ...rest };
}
