import type { Nano } from '../core/money.ts';
import type { Price } from '../core/price.ts';
import type { Usage } from '../core/usage.ts';

const picoPerNano = 1000n;

/** What an answer costs. One rounding for the whole request, in the operator's favour and by less than a nano-unit. */
export function costOf(usage: CountedTokens, price: Price): Nano {
  return ceiling(costLines(usage, price).reduce((sum, { tokens, perToken }) => sum + tokens * perToken, 0n));
}

/** The counts that cost something. */
export type CountedTokens = Pick<
  Usage,
  'promptTokens' | 'cachedTokens' | 'cacheWrite5mTokens' | 'cacheWrite1hTokens' | 'completionTokens'
>;

/** Tokens of one kind and what each costs, in pico-units. Every token is in exactly one line. */
export interface CostLine {
  readonly kind: 'input' | 'cached_input' | 'cache_write_5m' | 'cache_write_1h' | 'output';
  readonly tokens: bigint;
  readonly perToken: bigint;
}

/** How a cost comes about: what each kind of tokens costs. */
export function costLines(usage: CountedTokens, price: Price): readonly CostLine[] {
  const prompt = BigInt(usage.promptTokens);
  const cached = atMost(usage.cachedTokens, prompt);
  const written5m = atMost(usage.cacheWrite5mTokens, prompt - cached);
  const written1h = atMost(usage.cacheWrite1hTokens, prompt - cached - written5m);
  return [
    { kind: 'input', tokens: prompt - cached - written5m - written1h, perToken: price.input },
    { kind: 'cached_input', tokens: cached, perToken: price.cachedInput },
    { kind: 'cache_write_5m', tokens: written5m, perToken: price.cacheWrite5m },
    { kind: 'cache_write_1h', tokens: written1h, perToken: price.cacheWrite1h },
    { kind: 'output', tokens: BigInt(usage.completionTokens), perToken: price.output },
  ];
}

/** The most a request can cost, if all its input is of the dearest kind. */
export function worstCase(bounds: { promptTokens: number; outputTokens: number }, price: Price): Nano {
  const dearestInput = [price.input, price.cachedInput, price.cacheWrite5m, price.cacheWrite1h].reduce(larger);
  return ceiling(BigInt(bounds.promptTokens) * dearestInput + BigInt(bounds.outputTokens) * price.output);
}

function ceiling(pico: bigint): Nano {
  return (pico + picoPerNano - 1n) / picoPerNano;
}

/** Parts cannot be more than the whole, whatever a provider says. */
function atMost(part: number | undefined, whole: bigint): bigint {
  const value = BigInt(part ?? 0);
  return value > whole ? whole : value;
}

function larger(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}
