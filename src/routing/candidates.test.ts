import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Route } from '../core/model.ts';
import { inOrder } from './candidates.ts';

const route = (upstream: string, priority: number, weight: number): Route => ({
  upstream,
  model: 'm',
  priority,
  weight,
});

test('a lower priority number is always tried before a higher one', () => {
  const anyRoute = fc.record({
    upstream: fc.string(),
    model: fc.string(),
    priority: fc.integer({ min: 0, max: 3 }),
    weight: fc.integer({ min: 1, max: 10 }),
  });
  fc.assert(
    fc.property(fc.array(anyRoute), fc.double({ min: 0, max: 0.999, noNaN: true }), (routes, draw) => {
      const order = inOrder(routes, () => draw).map(({ priority }) => priority);
      expect(order).toEqual([...order].sort((a, b) => a - b));
      expect(order).toHaveLength(routes.length);
    }),
  );
});

test('among equals the heavier route comes first in proportion to its weight', () => {
  let seed = 1;
  const random = () => {
    seed = (seed * 48271) % 2147483647;
    return seed / 2147483647;
  };
  const routes = [route('light', 0, 1), route('heavy', 0, 3)];
  let heavyFirst = 0;
  for (let i = 0; i < 10_000; i++) if (inOrder(routes, random)[0]?.upstream === 'heavy') heavyFirst += 1;
  expect(heavyFirst / 10_000).toBeCloseTo(0.75, 1);
});
