import type { Nano } from '../core/money.ts';
import type { Price } from '../core/price.ts';
import type { Usage } from '../core/usage.ts';

const picoPerNano = 1000n;

/** The cost of an answer. It is rounded once for the whole request: up, by less than a nano-unit. */
export function costOf(usage: CountedUsage, price: Price): Nano {
  const { input, cached, written5m, written1h } = inputOf(usage);
  let pico = input * price.input + BigInt(usage.completionTokens) * price.output;
  if (cached !== 0n) pico += cached * price.cachedInput;
  if (written5m !== 0n) pico += written5m * price.cacheWrite5m;
  if (written1h !== 0n) pico += written1h * price.cacheWrite1h;
  if (usage.toolUses) for (const { uses, perUse } of toolLines(usage, price)) pico += uses * perUse;
  return ceiling(pico);
}

/**
 * The savings of prompt caching on an answer: the cost of the same tokens without caching, minus the actual cost. Negative
 * if cache writes cost more than cache reads saved.
 */
export function savedByCaches(usage: CountedUsage, price: Price): Nano {
  const { cachedTokens = 0, cacheWrite5mTokens = 0, cacheWrite1hTokens = 0 } = usage;
  if (cachedTokens + cacheWrite5mTokens + cacheWrite1hTokens === 0) return 0n;
  const uncached = { ...usage, cachedTokens: 0, cacheWrite5mTokens: 0, cacheWrite1hTokens: 0 };
  return costOf(uncached, price) - costOf(usage, price);
}

/** The counts that have a price. */
export type CountedUsage = Pick<
  Usage,
  'promptTokens' | 'cachedTokens' | 'cacheWrite5mTokens' | 'cacheWrite1hTokens' | 'completionTokens' | 'toolUses'
>;

/** Tokens of one kind and the price of each, in pico-units. Every token is in exactly one line. */
export interface CostLine {
  readonly kind: 'input' | 'cached_input' | 'cache_write_5m' | 'cache_write_1h' | 'output';
  readonly tokens: bigint;
  readonly perToken: bigint;
}

/** Splits a cost by kind of token. `toolLines` has the rest. */
export function costLines(usage: CountedUsage, price: Price): readonly CostLine[] {
  const { input, cached, written5m, written1h } = inputOf(usage);
  return [
    { kind: 'input', tokens: input, perToken: price.input },
    { kind: 'cached_input', tokens: cached, perToken: price.cachedInput },
    { kind: 'cache_write_5m', tokens: written5m, perToken: price.cacheWrite5m },
    { kind: 'cache_write_1h', tokens: written1h, perToken: price.cacheWrite1h },
    { kind: 'output', tokens: BigInt(usage.completionTokens), perToken: price.output },
  ];
}

/** The prompt's tokens by kind. Each token counts once. */
function inputOf(usage: CountedUsage) {
  const prompt = BigInt(usage.promptTokens);
  const cached = atMost(usage.cachedTokens, prompt);
  const written5m = atMost(usage.cacheWrite5mTokens, prompt - cached);
  const written1h = atMost(usage.cacheWrite1hTokens, prompt - cached - written5m);
  return { input: prompt - cached - written5m - written1h, cached, written5m, written1h };
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

/** The most a request can cost: all its input has the highest price. */
export function worstCase({ promptTokens, outputTokens, toolUses }: UsageBounds, price: Price): Nano {
  const dearestInput = [price.input, price.cachedInput, price.cacheWrite5m, price.cacheWrite1h].reduce(larger);
  const tools = toolUses.reduce((sum, { tool, uses }) => sum + BigInt(uses) * (usePrice(tool, price) ?? 0n), 0n);
  return ceiling(BigInt(promptTokens) * dearestInput + BigInt(outputTokens) * price.output + tools);
}

/** The least a request can cost: all its input has the lowest price. */
export function leastCost(bounds: Pick<UsageBounds, 'promptTokens' | 'outputTokens'>, price: Price): Nano {
  const cheapestInput = [price.input, price.cachedInput, price.cacheWrite5m, price.cacheWrite1h].reduce(smaller);
  return (BigInt(bounds.promptTokens) * cheapestInput + BigInt(bounds.outputTokens) * price.output) / picoPerNano;
}

function ceiling(pico: bigint): Nano {
  return (pico + picoPerNano - 1n) / picoPerNano;
}

/** Limits a part to the whole, because providers may report more. */
function atMost(part: number | undefined, whole: bigint): bigint {
  const value = BigInt(part ?? 0);
  return value > whole ? whole : value;
}

function smaller(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

function larger(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}
