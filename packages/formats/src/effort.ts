import type { Effort } from './chat/chat-request.ts';

/** The efforts that clients send, in any format. Others are ignored: clients may be newer than this gateway. */
export const efforts: ReadonlyMap<unknown, Effort> = new Map<unknown, Effort>(
  Object.entries({
    minimal: 'high',
    low: 'high',
    medium: 'high',
    high: 'high',
    xhigh: 'max',
    max: 'max',
    ultra: 'max',
  }),
);

/** The reasoning budget in tokens, for a provider that requires a number when the client sent an effort or nothing. */
export const budgetOf: Readonly<Record<Effort, number>> = { high: 16_000, max: 32_000 };

/** The effort closest to a token budget, for a provider that requires an effort. */
export function effortOf(budget: number): Effort {
  return budget < (budgetOf.high + budgetOf.max) / 2 ? 'high' : 'max';
}
