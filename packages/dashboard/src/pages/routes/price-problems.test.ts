import { describe, expect, test } from 'vitest';
import { check } from '../../../../../src/platform/config/file/check-schema.ts';
import { fieldProblems } from '../../../../../src/platform/config/file/problem.ts';
import { modelSchema } from '../../../../../src/platform/config/schema/model.ts';
import type { PriceSpec } from '../../api/resource.ts';
import { isFactor, isPrice, priceProblems } from './price-problems.ts';
import { emptyTier, priceSpec, priceValues, type PriceValues, usualText } from './price-values.ts';

/** The problems that the gateway reports for the spec of these values. */
function reported(values: PriceValues) {
  const model = { id: 'm', routes: [{ upstream: 'u' }], price: priceSpec(values) };
  const result = check(modelSchema, model);
  return result.ok
    ? []
    : fieldProblems(result.problems).map(({ field, reason, params }) => ({ field, reason, params }));
}

const flat = priceValues({ input: '1', output: '2' });

describe('the problems of typed prices', () => {
  const tier = (given: Parameters<typeof emptyTier>[1]) => ({ ...flat, tiers: [emptyTier(0, given)] });
  const prices = { ...flat.tokens, input: '1', output: '2' };
  const wrong: readonly PriceValues[] = [
    { ...flat, tokens: { ...flat.tokens, cached_input: '1,5' } },
    { ...flat, tokens: { ...flat.tokens, reasoning: '0.1234567' } },
    { ...flat, units: { ...flat.units, request: '-1' } },
    { ...flat, tools: [{ key: 0, name: 'web search', price: '1' }] },
    { ...flat, tools: [{ key: 0, name: 'web_search', price: 'x' }] },
    tier({ factor: '2' }),
    tier({ serviceTier: 'Fast One', factor: '2' }),
    tier({ promptOver: 0, factor: '2' }),
    tier({ promptOver: 2_000_000_000, factor: '2' }),
    tier({ speed: 'fast', factor: '1000' }),
    tier({ from: '24:00', factor: '2' }),
    tier({ from: '00:30', to: '8:30', factor: '2' }),
    tier({ region: 'us', effect: 'prices', tokens: { ...prices, output_audio: '1.' } }),
  ];

  test.each(wrong)('are those that the gateway reports: %j', (values) => {
    expect(reported(values)).toHaveLength(1);
    expect(priceProblems(values)).toEqual(reported(values));
  });

  test('name prices that are missing', () => {
    const values = {
      ...priceValues({}),
      tiers: [emptyTier(0, { speed: 'fast' }), tier({ effect: 'prices' }).tiers[0]!],
    };
    expect(priceProblems(values).map(({ field, reason }) => `${field} ${reason}`)).toEqual([
      'price.input missing',
      'price.output missing',
      'price.tiers[0].factor missing',
      'price.tiers[1].when tier_without_condition',
      'price.tiers[1].input missing',
      'price.tiers[1].output missing',
    ]);
  });

  test('name a tool that is given twice', () => {
    const tools = ['a', 'b', 'a'].map((name, key) => ({ key, name, price: '1' }));
    expect(priceProblems({ ...flat, tools }).map(({ reason }) => reason)).toEqual(['given_twice', 'given_twice']);
    expect(priceProblems({ ...flat, tools: [{ key: 0, name: '', price: '' }] })).toEqual([]);
  });
});

test('a whole schedule has no problems, and the form sends it unchanged', () => {
  const spec: PriceSpec = {
    input: '1.25',
    output: '10',
    input_image: '0.5',
    provider_tools: { web_search: '10' },
    units: { request: '0.000000000001' },
    tiers: [
      { when: { prompt_over: 200_000 }, input: '2.5', output: '15' },
      { when: { service_tier: 'batch' }, factor: '0.5' },
      { when: { days: ['mon'] }, factor: '0.5' },
      { when: { from: '22:00', to: '24:00' }, factor: '0.5' },
    ],
  };
  expect(priceProblems(priceValues(spec))).toEqual([]);
  expect(reported(priceValues(spec))).toEqual([]);
  expect(priceSpec(priceValues(spec))).toEqual(spec);
});

test('only decimals are prices and factors', () => {
  expect(['0', '2.50', ' 3 ', '999999.123456'].every(isPrice)).toBe(true);
  expect(['', '-1', '1,5', '1.', '.5', '1e3', '0.1234567'].some(isPrice)).toBe(false);
  expect(['0', '1.2', '999.999999'].every(isFactor)).toBe(true);
  expect(['', '1000', '-1', '1.1234567'].some(isFactor)).toBe(false);
});

test.each([
  ['cache_write_5m', { input: '1', cache_write_30m: '2' }, '2'],
  ['cache_write_30m', { input: '1', cache_write_5m: '2' }, '2'],
  ['cache_write_1h', { input: '1', cache_write_12h: '2' }, '2'],
  ['cache_write_12h', { input: '10', cache_write_5m: '9', cache_write_1h: '2' }, '10'],
  ['cache_write_12h', {}, undefined],
  ['reasoning', { input: '1', output: '2' }, '2'],
] as const)('an empty price of %s beside %j is shown as %s', (name, prices, text) => {
  expect(usualText(name, prices)).toBe(text);
});
