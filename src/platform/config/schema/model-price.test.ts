import { expect, test } from 'vitest';
import { priceOf } from './model-price.ts';

const flat = { input: '2.50', cachedInput: '0.25', cacheWrite5m: '3.125', cacheWrite1h: '5.00', output: '10.00' };
const tiered = { ...flat, tiers: [{ when: { promptOver: 200_000 }, ...flat, input: '5' }], batch: '0.5' };

/** Another version would charge running requests at another price, and show old charges without their calculation. */
test('prices keep the version that they had before caches of 30 minutes and 12 hours had prices', () => {
  expect(priceOf('free').version).toBe('p_da641cff6fa7');
  expect(priceOf({ input: '1', output: '2' }).version).toBe('p_7cf243c4029c');
  expect(priceOf(flat).version).toBe('p_83ae8e40470c');
  expect(priceOf({ ...flat, providerTools: { web_search: '10' } }).version).toBe('p_a3245c44ec11');
  expect(priceOf(tiered).version).toBe('p_0fd58ae3b92f');
});

test('a price of each lifetime makes another version, also in a tier', () => {
  const tier = { when: { promptOver: 200_000 }, ...flat };
  const prices = [
    flat,
    { ...flat, cacheWrite30m: '3' },
    { ...flat, cacheWrite12h: '3' },
    { ...flat, cacheWrite30m: '3', cacheWrite12h: '3' },
    { ...flat, tiers: [tier] },
    { ...flat, tiers: [{ ...tier, cacheWrite30m: '3' }] },
    { ...flat, tiers: [{ ...tier, cacheWrite12h: '3' }] },
  ];
  expect(new Set(prices.map((price) => priceOf(price).version)).size).toBe(prices.length);
  expect(priceOf({ ...flat, cacheWrite30m: '3.125', cacheWrite12h: '5' }).version).toBe(priceOf(flat).version);
});

test('the time zone makes another version only if a tier has a window', () => {
  const windows = (timeZone?: string) =>
    priceOf({ ...flat, timeZone, tiers: [{ when: { from: '08:00' }, factor: '2' }] });
  expect(windows('UTC').version).toBe(windows().version);
  expect(windows('Asia/Shanghai').version).not.toBe(windows().version);
  expect(priceOf({ ...tiered, timeZone: 'Asia/Shanghai' }).version).toBe(priceOf(tiered).version);
});
