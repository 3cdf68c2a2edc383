import fc from 'fast-check';
import { expect, test } from 'vitest';
import { priceOf } from '../../../platform/config/schema/model-price.ts';
import type { Usage } from 'chat-formats/chat/usage.ts';
import { chargeOf, savedByCaches, worstCase } from './cost.ts';

const price = priceOf({
  input: '2.50',
  cachedInput: '0.25',
  cacheWrite5m: '3.125',
  cacheWrite1h: '5.00',
  output: '10.00',
});

function usage(more: Partial<Usage>): Usage {
  const none = undefined;
  const details = { cachedTokens: none, cacheWrite5mTokens: none, cacheWrite1hTokens: none, reasoningTokens: none };
  const media = { promptAudioTokens: none, promptImageTokens: none, completionAudioTokens: none };
  return { promptTokens: 0, completionTokens: 0, ...details, ...media, source: 'upstream', ...more };
}

test('a million tokens cost the listed price', () => {
  expect(chargeOf([usage({ promptTokens: 1_000_000 })], price)).toBe(2_500_000_000n);
  expect(chargeOf([usage({ completionTokens: 1_000_000 })], price)).toBe(10_000_000_000n);
});

test('each kind of input has its own price', () => {
  const parts = { cachedTokens: 400, cacheWrite5mTokens: 200, cacheWrite1hTokens: 100 };
  const pico = 300n * 2_500_000n + 400n * 250_000n + 200n * 3_125_000n + 100n * 5_000_000n;
  expect(chargeOf([usage({ promptTokens: 1000, ...parts })], price)).toBe(pico / 1000n);
});

test('the saving of caches is the cost without them minus the actual cost', () => {
  const saved = (parts: Partial<Usage>) =>
    savedByCaches(usage({ promptTokens: 1000, completionTokens: 7, ...parts }), price);
  expect(saved({})).toBe(0n);
  expect(saved({ cachedTokens: 400 })).toBe(400n * 2_250n);
  expect(saved({ cachedTokens: 400, cacheWrite5mTokens: 200 })).toBe(400n * 2_250n - 200n * 625n);
  expect(saved({ cacheWrite1hTokens: 100 })).toBe(-100n * 2_500n);
  // At most the whole prompt can come from a cache.
  expect(saved({ cachedTokens: 9000 })).toBe(1000n * 2_250n);
});

test('a price that is left out equals the input price', () => {
  expect(priceOf({ input: '1', output: '2' })).toMatchObject({ cachedInput: 1_000_000n, cacheWrite1h: 1_000_000n });
});

test('a lifetime of a cache that has no price is never cheaper than it was as a write of 5 minutes', () => {
  const written = (own: object) => {
    const { cacheWrite5m, cacheWrite30m, cacheWrite1h, cacheWrite12h } = priceOf({ input: '1', output: '2', ...own });
    return [cacheWrite5m, cacheWrite30m, cacheWrite1h, cacheWrite12h].map((pico) => Number(pico) / 1e6);
  };
  expect(written({})).toEqual([1, 1, 1, 1]);
  expect(written({ cacheWrite5m: '1.25' })).toEqual([1.25, 1.25, 1, 1.25]);
  expect(written({ cacheWrite5m: '1.25', cacheWrite1h: '2' })).toEqual([1.25, 1.25, 2, 2]);
  expect(written({ cacheWrite5m: '0', cacheWrite1h: '0' })).toEqual([0, 0, 0, 1]);
  expect(written({ cacheWrite30m: '1.25', cacheWrite12h: '2.5' })).toEqual([1.25, 1.25, 2.5, 2.5]);
});

test('writes of 30 minutes and 12 hours have their own prices', () => {
  const own = priceOf({ input: '2', output: '10', cacheWrite30m: '2.50', cacheWrite12h: '5.00' });
  const parts = { cachedTokens: 400, cacheWrite30mTokens: 200, cacheWrite12hTokens: 100 };
  expect(chargeOf([usage({ promptTokens: 1000, ...parts })], own)).toBe(700n * 2000n + 200n * 2500n + 100n * 5000n);
  expect(savedByCaches(usage({ promptTokens: 1000, cacheWrite12hTokens: 100 }), own)).toBe(-100n * 3000n);
});

test('a cost is rounded up once, by less than a nano-unit', () => {
  const tiny = priceOf({ input: '0.000001', output: '0' });
  expect(chargeOf([usage({ promptTokens: 1 })], tiny)).toBe(1n);
  expect(chargeOf([usage({ promptTokens: 1001 })], tiny)).toBe(2n);
});

test('a free model costs nothing and has another price version', () => {
  const free = priceOf('free');
  expect(chargeOf([usage({ promptTokens: 10 ** 9, completionTokens: 10 ** 9 })], free)).toBe(0n);
  expect(free.version).not.toBe(price.version);
});

test('cached tokens above the prompt never become a credit', () => {
  const count = fc.nat(2 ** 31 - 1);
  fc.assert(
    fc.property(count, count, count, count, count, (promptTokens, completionTokens, cachedTokens, five, hour) => {
      const counts = {
        promptTokens,
        completionTokens,
        cachedTokens,
        cacheWrite5mTokens: five,
        cacheWrite1hTokens: hour,
      };
      const cost = chargeOf([usage(counts)], price);
      expect(cost >= 0n).toBe(true);
      const bound = worstCase({ promptTokens, outputTokens: completionTokens, toolUses: [] }, price);
      expect(cost <= bound).toBe(true);
    }),
  );
});
