import type { Nano } from '../core/money.ts';
import type { Price } from '../core/price.ts';
import type { Usage } from '../core/usage.ts';

const picoPerNano = 1000n;

/** What an answer costs. One rounding for the whole request, in the operator's favour and by less than a nano-unit. */
export function costOf(usage: Usage, price: Price): Nano {
  const prompt = BigInt(usage.promptTokens);
  const cached = atMost(usage.cachedTokens, prompt);
  const written5m = atMost(usage.cacheWrite5mTokens, prompt - cached);
  const written1h = atMost(usage.cacheWrite1hTokens, prompt - cached - written5m);
  const pico =
    (prompt - cached - written5m - written1h) * price.input +
    cached * price.cachedInput +
    written5m * price.cacheWrite5m +
    written1h * price.cacheWrite1h +
    BigInt(usage.completionTokens) * price.output;
  return ceiling(pico);
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
