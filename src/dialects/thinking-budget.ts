import type { Effort } from '../core/chat-request.ts';

/** Tokens to think with, where a provider wants a number and the client said an effort, or nothing. */
export const budgetOf: Readonly<Record<Effort, number>> = { high: 16_000, max: 32_000 };

/** The effort a number of tokens comes closest to, where a provider wants an effort. */
export function effortOf(budget: number): Effort {
  return budget < (budgetOf.high + budgetOf.max) / 2 ? 'high' : 'max';
}
