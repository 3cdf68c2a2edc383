import type { z } from 'zod';
import type { modelSchema } from '../src/platform/config/schema/model.ts';
import type { ServiceLevel } from 'chat-formats/price.ts';
import { type Usage, unreportedUsage } from 'chat-formats/chat/usage.ts';

/** The price of a model as an operator writes it. */
export type WrittenPrice = Exclude<z.input<typeof modelSchema>['price'], 'free' | undefined>;
type WrittenTier = NonNullable<WrittenPrice['tiers']>[number];

/** An exact fraction of the currency. */
export interface Fraction {
  readonly over: bigint;
  readonly under: bigint;
}

/**
 * A second, slow and obvious implementation of prices: it works on the written decimals with fractions, one token kind
 * after the other, and shares no code with the product.
 */
export function oracleCharge(
  answers: readonly Usage[],
  written: WrittenPrice,
  { requested, factor }: { readonly requested: ServiceLevel; readonly factor: string },
): bigint {
  const exact = answers.map((usage) => ownerPays(usage, written, requested)).reduce(add, zero);
  return roundUpToNano(multiply(exact, fraction(factor)));
}

/** One call of a provider, as the messages format reports it. */
export interface ReportedCall {
  readonly type: string;
  readonly model?: string | null;
  readonly input_tokens: number;
  readonly output_tokens: number;
}

/**
 * The charge for an answer whose provider reports its calls: the requested model answers and summarizes, a named model
 * advises or replaces. A kind that may come later costs what the dearest of them costs.
 */
export function oracleCallsCharge(
  calls: readonly ReportedCall[],
  requested: WrittenPrice,
  named: Readonly<Record<string, WrittenPrice>>,
): bigint {
  const isReplaced = calls.some(({ type }) => type === 'fallback_message');
  const at = ({ input_tokens: promptTokens, output_tokens: completionTokens }: ReportedCall, written: WrittenPrice) =>
    answerCost({ ...unreportedUsage, promptTokens, completionTokens, source: 'upstream' }, written, {});
  const dearest = (call: ReportedCall): Fraction =>
    [requested, ...Object.values(named)].map((written) => at(call, written)).reduce((a, b) => (isLess(a, b) ? b : a));
  const costs = calls.map((call) => {
    if (call.type === 'message') return isReplaced && call.output_tokens === 0 ? zero : at(call, requested);
    if (call.type === 'compaction') return at(call, requested);
    const model =
      call.type === 'advisor_message' || call.type === 'fallback_message' ? named[call.model ?? ''] : undefined;
    return model ? at(call, model) : dearest(call);
  });
  return roundUpToNano(costs.reduce(add, zero));
}

/** The served level, unless that is dearer than both the requested level and no level at all. */
function ownerPays(usage: Usage, written: WrittenPrice, requested: ServiceLevel): Fraction {
  const served: ServiceLevel = {
    serviceTier: usage.served?.serviceTier ?? requested.serviceTier,
    speed: usage.served?.speed ?? requested.speed,
    region: usage.served?.region ?? requested.region,
  };
  const [atServed, atRequested, atNone] = [served, requested, {}].map((level) => answerCost(usage, written, level)) as [
    Fraction,
    Fraction,
    Fraction,
  ];
  const most = isLess(atRequested, atNone) ? atNone : atRequested;
  return isLess(most, atServed) ? most : atServed;
}

function answerCost(usage: Usage, written: WrittenPrice, level: ServiceLevel): Fraction {
  const minute = usage.sentAt === undefined ? undefined : minuteOfWeek(usage.sentAt, written.time_zone ?? 'UTC');
  const applying = (written.tiers ?? []).filter(
    (tier) => applies(tier, usage.promptTokens, level) && isInWindow(tier, minute),
  );
  const priced = applying.find((tier) => tier.factor === undefined) ?? written;
  const factors = applying.flatMap((tier) => (tier.factor === undefined ? [] : [fraction(tier.factor)]));
  const tokens = multiply(tokenCost(usage, priced), factors.reduce(multiply, one));
  return add(tokens, useCost(usage, written));
}

function applies({ when }: WrittenTier, promptTokens: number, level: ServiceLevel): boolean {
  if (when.prompt_over !== undefined && !(promptTokens > when.prompt_over)) return false;
  if (when.service_tier !== undefined && when.service_tier !== level.serviceTier) return false;
  if (when.speed !== undefined && when.speed !== level.speed) return false;
  if (when.region !== undefined && when.region !== level.region) return false;
  return true;
}

const minutesOfDay = 24 * 60;
const dayNames = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;

/** Minutes since the midnight at which Monday begins, by the clock on a wall of the zone. */
function minuteOfWeek(at: number, timeZone: string): number {
  const wall = new Date(`${new Date(at).toLocaleString('sv-SE', { timeZone }).replace(' ', 'T')}Z`);
  return ((wall.getUTCDay() + 6) % 7) * minutesOfDay + wall.getUTCHours() * 60 + wall.getUTCMinutes();
}

/** Walks through the minutes of each window of the week. */
function isInWindow({ when }: WrittenTier, minute: number | undefined): boolean {
  const { days, from = '00:00', to = '24:00' } = when;
  if (days === undefined && when.from === undefined && when.to === undefined) return true;
  if (minute === undefined) return false;
  const [start, end] = [from, to].map((text) => Number(text.slice(0, 2)) * 60 + Number(text.slice(3)));
  const length = end! > start! ? end! - start! : end! + minutesOfDay - start!;
  return (days ?? dayNames).some((day) => {
    const since = minute - (dayNames.indexOf(day) * minutesOfDay + start!);
    return (since >= 0 && since < length) || since + 7 * minutesOfDay < length;
  });
}

type WrittenTokens = Pick<WrittenTier, Exclude<keyof WrittenTier, 'when' | 'factor'>>;

/** Takes the tokens of each kind away from what is left, in the documented order. */
function tokenCost(usage: Usage, prices: WrittenTokens): Fraction {
  let cost = zero;
  let left = usage.promptTokens;
  const charge = (tokens: number, price: string): void => {
    left -= tokens;
    cost = add(cost, multiply({ over: BigInt(tokens), under: 1_000_000n }, fraction(price)));
  };
  const input = prices.input ?? '0';
  const output = prices.output ?? '0';
  charge(Math.min(usage.cachedTokens ?? 0, left), prices.cached_input ?? input);
  charge(Math.min(usage.cacheWrite5mTokens ?? 0, left), prices.cache_write_5m ?? prices.cache_write_30m ?? input);
  charge(Math.min(usage.cacheWrite30mTokens ?? 0, left), prices.cache_write_30m ?? prices.cache_write_5m ?? input);
  charge(Math.min(usage.cacheWrite1hTokens ?? 0, left), prices.cache_write_1h ?? prices.cache_write_12h ?? input);
  charge(Math.min(usage.cacheWrite12hTokens ?? 0, left), prices.cache_write_12h ?? dearestWrite(prices));
  charge(Math.min(usage.promptAudioTokens ?? 0, left), prices.input_audio ?? input);
  charge(Math.min(usage.promptImageTokens ?? 0, left), prices.input_image ?? input);
  charge(left, input);
  left = usage.completionTokens;
  charge(Math.min(usage.completionAudioTokens ?? 0, left), prices.output_audio ?? output);
  charge(Math.min(usage.reasoningTokens ?? 0, left), prices.reasoning ?? output);
  charge(left, output);
  return cost;
}

/** What 12 hours cost if they have no price: the most of the input and the documented prices of 5 minutes and 1 hour. */
function dearestWrite({ input = '0', cache_write_5m, cache_write_30m, cache_write_1h }: WrittenTokens): string {
  const candidates = [input, cache_write_5m ?? cache_write_30m ?? input, cache_write_1h ?? input];
  return candidates.reduce((one, other) => (isLess(fraction(one), fraction(other)) ? other : one));
}

/** Tools by the thousand, units one by one. */
function useCost({ toolUses = {} }: Usage, { provider_tools: tools = {}, units = {} }: WrittenPrice): Fraction {
  return Object.entries(toolUses)
    .map(([name, uses]) => {
      const unit = name.startsWith('unit:') ? units[name.slice('unit:'.length) as keyof typeof units] : undefined;
      if (unit !== undefined) return multiply({ over: BigInt(uses), under: 1n }, fraction(unit));
      return multiply({ over: BigInt(uses), under: 1000n }, fraction(tools[name] ?? '0'));
    })
    .reduce(add, zero);
}

const zero: Fraction = { over: 0n, under: 1n };
const one: Fraction = { over: 1n, under: 1n };

export function fraction(decimal: string): Fraction {
  const [whole = '0', places = ''] = decimal.split('.');
  return { over: BigInt(whole + places), under: 10n ** BigInt(places.length) };
}

function add(a: Fraction, b: Fraction): Fraction {
  return { over: a.over * b.under + b.over * a.under, under: a.under * b.under };
}

function multiply(a: Fraction, b: Fraction): Fraction {
  return { over: a.over * b.over, under: a.under * b.under };
}

function isLess(a: Fraction, b: Fraction): boolean {
  return a.over * b.under < b.over * a.under;
}

function roundUpToNano({ over, under }: Fraction): bigint {
  const nano = over * 1_000_000_000n;
  return nano % under === 0n ? nano / under : nano / under + 1n;
}
