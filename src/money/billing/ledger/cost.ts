import type { LocalMoment } from '../../../core/time/local-moment.ts';
import type { Nano } from '../../../core/money.ts';
import { factorOne, inputKinds, type Price, type ServiceLevel, type TokenPrices } from 'chat-formats/price.ts';
import { type PartModel, type Usage, unreportedUsage } from 'chat-formats/chat/usage.ts';
import { cheapestPrice, momentOf, momentsOf, priceAt, promptLengths, smaller } from './price-at.ts';

const picoPerNano = 1000n;

/** The counts that have a price. */
export type CountedUsage = Pick<
  Usage,
  | 'promptTokens'
  | 'cachedTokens'
  | 'cacheWrite5mTokens'
  | 'cacheWrite30mTokens'
  | 'cacheWrite1hTokens'
  | 'cacheWrite12hTokens'
  | 'promptAudioTokens'
  | 'promptImageTokens'
  | 'completionTokens'
  | 'reasoningTokens'
  | 'completionAudioTokens'
  | 'toolUses'
  | 'served'
  | 'parts'
  | 'sentAt'
>;

/**
 * The cost of the answers to one request. Each answer is priced at the service level that its provider reports, or else
 * at the requested one. The sum is rounded once: up, by less than a nano-unit.
 */
export function costOf(answers: readonly CountedUsage[], price: Price, requested: ServiceLevel = {}): Nano {
  const amounts = callsOf(answers, price, ({ cost }) => cost).map(({ usage, prices }) =>
    dearest(prices.map((each) => withFactorOf(each, price, costAt(usage, each, servedLevel(usage, requested))))),
  );
  return charged(sum(amounts), price);
}

/**
 * The same for an account. A provider may serve a dearer level than the client requested: then the account pays at most
 * the requested level, or the price without options if that is higher. The hold covers both.
 */
export function chargeOf(answers: readonly CountedUsage[], price: Price, requested: ServiceLevel = {}): Nano {
  const amounts = callsOf(answers, price, (model) => model.price).map(({ usage, prices }) =>
    dearest(prices.map((each) => withFactorOf(each, price, costAt(usage, each, chargedLevel(usage, each, requested))))),
  );
  return charged(sum(amounts), price);
}

/** One call of a provider, and the prices of the models that may have answered it. */
interface PricedCall {
  readonly usage: CountedUsage;
  readonly prices: readonly Price[];
}

/** An answer is one call, unless its provider reports several. Its tools belong to the requested model. */
function callsOf(
  answers: readonly CountedUsage[],
  price: Price,
  of: (model: PartModel) => Price | undefined,
): readonly PricedCall[] {
  return answers.flatMap((usage): readonly PricedCall[] => {
    if (!usage.parts) return [{ usage, prices: [price] }];
    const calls = usage.parts.map((part) => ({ usage: part, prices: pricesOf(part.of, price, of) }));
    return usage.toolUses ? [...calls, { usage: { ...noTokens, toolUses: usage.toolUses }, prices: [price] }] : calls;
  });
}

/** The model whose price a call is charged at, of those that may have made it. */
export function dearestModel(
  usage: CountedUsage,
  models: readonly PartModel[] = [],
  requested: ServiceLevel = {},
): PartModel | undefined {
  const costOfCall = ({ price }: PartModel): Amount => costAt(usage, price, chargedLevel(usage, price, requested));
  return models.reduce<PartModel | undefined>(
    (one, other) => (one && !isLess(costOfCall(one), costOfCall(other)) ? one : other),
    undefined,
  );
}

/** A model without a price of that kind has the one of the requested model. */
function pricesOf(
  models: readonly PartModel[] | undefined,
  price: Price,
  of: (model: PartModel) => Price | undefined,
): readonly Price[] {
  return models && models.length > 0 ? models.map((model) => of(model) ?? price) : [price];
}

const noTokens = { ...unreportedUsage, promptTokens: 0, completionTokens: 0 } as const;

/** Two prices of one package have the same factor; a price of another has its own. */
function withFactorOf({ factor }: Price, price: Price, { value, scale }: Amount): Amount {
  return factor === price.factor ? { value, scale } : { value: value * factor, scale: scale * price.factor };
}

function dearest(amounts: readonly Amount[]): Amount {
  return amounts.reduce((one, other) => (isLess(one, other) ? other : one));
}

/** The service level at which an account pays for an answer. */
export function chargedLevel(usage: CountedUsage, price: Price, requested: ServiceLevel): ServiceLevel {
  const served = servedLevel(usage, requested);
  if (price.tiers.length === 0) return served;
  const dearest = [requested, {}].reduce((one, other) =>
    isLess(costAt(usage, price, one), costAt(usage, price, other)) ? other : one,
  );
  return isLess(costAt(usage, price, dearest), costAt(usage, price, served)) ? dearest : served;
}

function servedLevel({ served }: CountedUsage, requested: ServiceLevel): ServiceLevel {
  if (!served) return requested;
  return {
    serviceTier: served.serviceTier ?? requested.serviceTier,
    speed: served.speed ?? requested.speed,
    region: served.region ?? requested.region,
  };
}

/**
 * The savings of prompt caching on an answer: the cost of the same tokens without caching, minus the actual cost. Negative
 * if cache writes cost more than cache reads saved.
 */
export function savedByCaches(usage: CountedUsage, price: Price, requested: ServiceLevel = {}): Nano {
  const calls = usage.parts ?? [usage];
  if (!calls.some(usesCache)) return 0n;
  const uncached = { ...usage, ...noCaches, parts: usage.parts?.map((part) => ({ ...part, ...noCaches })) };
  return chargeOf([uncached], price, requested) - chargeOf([usage], price, requested);
}

const noCaches = {
  cachedTokens: 0,
  cacheWrite5mTokens: 0,
  cacheWrite30mTokens: 0,
  cacheWrite1hTokens: 0,
  cacheWrite12hTokens: 0,
} as const satisfies Partial<CountedUsage>;

function usesCache(usage: CountedUsage): boolean {
  return (Object.keys(noCaches) as (keyof typeof noCaches)[]).some((count) => (usage[count] ?? 0) > 0);
}

/** An exact sum of money: `value / scale` pico-units. */
interface Amount {
  readonly value: bigint;
  readonly scale: bigint;
}

/** The cost of one answer at a service level, without the factor of the package. */
function costAt(usage: CountedUsage, price: Price, level: ServiceLevel): Amount {
  const { prices, factor, scale } = priceAt(price, usage.promptTokens, level, momentOf(usage, price));
  const tokens = tokenCost(usage, prices) * factor;
  return { value: usage.toolUses ? tokens + toolCost(usage, price) * scale : tokens, scale };
}

function tokenCost(usage: CountedUsage, prices: TokenPrices): bigint {
  const { input, cached, written5m, written30m, written1h, written12h, audio, image } = inputOf(usage);
  let pico = input * prices.input;
  if (cached !== 0n) pico += cached * prices.cachedInput;
  if (written5m !== 0n) pico += written5m * prices.cacheWrite5m;
  if (written30m !== 0n) pico += written30m * prices.cacheWrite30m;
  if (written1h !== 0n) pico += written1h * prices.cacheWrite1h;
  if (written12h !== 0n) pico += written12h * prices.cacheWrite12h;
  if (audio !== 0n) pico += audio * prices.inputAudio;
  if (image !== 0n) pico += image * prices.inputImage;
  const { output, reasoning, spoken } = outputOf(usage);
  pico += output * prices.output;
  if (reasoning !== 0n) pico += reasoning * prices.reasoning;
  if (spoken !== 0n) pico += spoken * prices.outputAudio;
  return pico;
}

function toolCost(usage: CountedUsage, price: Price): bigint {
  return toolLines(usage, price).reduce((pico, { uses, perUse }) => pico + uses * perUse, 0n);
}

function sum(amounts: readonly Amount[]): Amount {
  const [first = { value: 0n, scale: 1n }, ...others] = amounts;
  return others.reduce((one, other) => {
    if (one.scale === other.scale) return { value: one.value + other.value, scale: one.scale };
    return { value: one.value * other.scale + other.value * one.scale, scale: one.scale * other.scale };
  }, first);
}

function isLess(one: Amount, other: Amount): boolean {
  return one.value * other.scale < other.value * one.scale;
}

/** Applies the factor of the package and rounds up. */
function charged({ value, scale }: Amount, { factor }: Price): Nano {
  if (factor === factorOne && scale === 1n) return ceiling(value, picoPerNano);
  return ceiling(value * factor, scale * factorOne * picoPerNano);
}

/** The prompt's tokens by kind. Each token counts once. */
export function inputOf(usage: CountedUsage) {
  const prompt = BigInt(usage.promptTokens);
  const cached = atMost(usage.cachedTokens, prompt);
  const written5m = atMost(usage.cacheWrite5mTokens, prompt - cached);
  const written30m = atMost(usage.cacheWrite30mTokens, prompt - cached - written5m);
  const writtenShort = written5m + written30m;
  const written1h = atMost(usage.cacheWrite1hTokens, prompt - cached - writtenShort);
  const written12h = atMost(usage.cacheWrite12hTokens, prompt - cached - writtenShort - written1h);
  const uncached = prompt - cached - writtenShort - written1h - written12h;
  const audio = atMost(usage.promptAudioTokens, uncached);
  const image = atMost(usage.promptImageTokens, uncached - audio);
  return { input: uncached - audio - image, cached, written5m, written30m, written1h, written12h, audio, image };
}

/** The same for the output. */
export function outputOf(usage: CountedUsage) {
  const completion = BigInt(usage.completionTokens);
  const spoken = atMost(usage.completionAudioTokens, completion);
  const reasoning = atMost(usage.reasoningTokens, completion - spoken);
  return { output: completion - spoken - reasoning, reasoning, spoken };
}

/** Uses of one provider-side tool and the price of each, in pico-units. */
export interface ToolLine {
  readonly tool: string;
  readonly uses: bigint;
  readonly perUse: bigint;
}

/** The cost of the tools that the provider ran. A tool without a price costs nothing and is left out. */
export function toolLines({ toolUses = {} }: Pick<Usage, 'toolUses'>, price: Price): readonly ToolLine[] {
  return Object.entries(toolUses).flatMap(([tool, uses]) => {
    const perUse = usePrice(tool, price);
    return perUse === undefined ? [] : { tool, uses: BigInt(uses), perUse };
  });
}

/** The price of one use of a tool; `undefined` if it has none. */
export function usePrice(tool: string, { toolUses }: Price): bigint | undefined {
  if (toolUses === 'free') return 0n;
  return Object.hasOwn(toolUses, tool) ? toolUses[tool] : undefined;
}

/** The most a request can use. */
export interface UsageBounds {
  readonly promptTokens: number;
  readonly outputTokens: number;
  readonly toolUses: readonly { readonly tool: string; readonly uses: number }[];
}

/**
 * The most a request can cost, whenever it is sent: all its tokens have the highest price of the dearest tier that it can
 * reach.
 */
export function worstCase(bounds: UsageBounds, price: Price, requested: ServiceLevel = {}): Nano {
  if (price.tiers.length === 0) return charged(mostAt(bounds, price, requested), price);
  const amounts = [requested, {}].flatMap((level) =>
    promptLengths(price, bounds.promptTokens).flatMap((promptTokens) =>
      momentsOf(price).map((moment) => mostAt({ ...bounds, promptTokens }, price, level, moment)),
    ),
  );
  return charged(
    amounts.reduce((one, other) => (isLess(one, other) ? other : one)),
    price,
  );
}

/** The least a request can cost, given the least that it uses. */
export function leastCost(bounds: Pick<UsageBounds, 'promptTokens' | 'outputTokens'>, price: Price): Nano {
  const least = cheapestPrice(price);
  const perInput = inputPrices(least).reduce(smaller);
  const perOutput = [least.output, least.reasoning, least.outputAudio].reduce(smaller);
  const pico = BigInt(bounds.promptTokens) * perInput + BigInt(bounds.outputTokens) * perOutput;
  return (pico * price.factor) / (factorOne * picoPerNano);
}

function mostAt(
  { promptTokens, outputTokens, toolUses }: UsageBounds,
  price: Price,
  level: ServiceLevel,
  moment?: LocalMoment,
): Amount {
  const { prices, factor, scale } = priceAt(price, promptTokens, level, moment);
  const tokens =
    BigInt(promptTokens) * inputPrices(prices).reduce(larger) + BigInt(outputTokens) * dearestOutput(prices);
  const tools = toolUses.reduce((pico, { tool, uses }) => pico + BigInt(uses) * (usePrice(tool, price) ?? 0n), 0n);
  return { value: tokens * factor + tools * scale, scale };
}

function inputPrices(prices: TokenPrices): readonly bigint[] {
  return inputKinds.map((kind) => prices[kind]);
}

function dearestOutput({ output, reasoning, outputAudio }: TokenPrices): bigint {
  return larger(output, larger(reasoning, outputAudio));
}

function ceiling(value: bigint, divisor: bigint): Nano {
  return (value + divisor - 1n) / divisor;
}

/** Limits a part to the whole, because providers may report more. */
function atMost(part: number | undefined, whole: bigint): bigint {
  if (part === undefined || part === 0) return 0n;
  const value = BigInt(part);
  return value > whole ? whole : value;
}

function larger(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}
