import fc from 'fast-check';
import { expect, test } from 'vitest';
import { retryBudget } from './retry-budget.ts';

test('a quiet gateway may run three retries at once, a busy one a tenth of its calls in flight', () => {
  for (const [inFlight, expected] of [
    [0, 3],
    [30, 3],
    [100, 10],
    [1999, 199],
  ] as const) {
    const budget = retryBudget(() => inFlight);
    expect(Array.from({ length: 500 }, () => budget.take()).filter(Boolean)).toHaveLength(expected);
    expect(budget).toMatchObject({ inUse: expected, limit: expected });
  }
});

test('a retry is returned to the budget once, even if it is returned several times', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(20)), (order) => {
      const budget = retryBudget(() => 0);
      const lent = [budget.take(), budget.take(), budget.take()];
      for (const index of order) lent[index % 3]?.();
      expect(budget.inUse).toBe(3 - new Set(order.map((index) => index % 3)).size);
    }),
  );
});
