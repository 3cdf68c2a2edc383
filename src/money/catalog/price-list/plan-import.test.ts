import { array, assert, bigInt, constant, option, property, record, subarray, uniqueArray, integer } from 'fast-check';
import { expect, test } from 'vitest';
import { check } from '../../../platform/config/file/check-schema.ts';
import { resourceKinds } from '../../../platform/config/schema/resource.ts';
import { unitsText } from '../../../core/money.ts';
import { importedPrice, type StoredPrice } from './imported-price.ts';
import type { ListEntry } from './list-entry.ts';
import { type CatalogRow, planImport } from './plan-import.ts';
import { priceChanges } from './price-changes.ts';
import { isNeeded, priceKinds, type Prices } from '../../../core/price-kinds.ts';
import { type PriceList, readPriceList } from './price-list.ts';

const row = (name: string, spec: Record<string, unknown>): CatalogRow => ({
  name,
  source: 'store',
  version: 'v',
  spec,
});
const model = (price: StoredPrice, routes: unknown = [{ upstream: 'openai', model: 'm' }]) =>
  row('m', { price, routes });
const openai = row('openai', { name: 'openai', kind: 'openai' });
const costs = (cost: object) => readPriceList(JSON.stringify({ openai: { models: { m: { cost } } } }))!;
const plan = (list: PriceList, price: StoredPrice, routes?: unknown) =>
  planImport(list, [model(price, routes)], [openai])[0]!;

const flat = { input: '1.00', output: '2' };

test('an unchanged price is not a change, however it is written', () => {
  expect(plan(costs({ input: 1, output: 2.0 }), flat).status).toBe('unchanged');
});

test('a change has the old price, the new price and the difference', () => {
  expect(plan(costs({ input: 1.25, output: 2, cache_read: 0.1 }), flat)).toMatchObject({
    status: 'changed',
    price: { input: '1.25', cached_input: '0.10', output: '2' },
    changes: [
      { kind: 'input', before: '1.00', after: '1.25', percent: '+25.0 %' },
      { kind: 'cached_input', before: '1.00', after: '0.10', percent: '-90.0 %' },
    ],
  });
});

test.each([
  ['ten times dearer', { input: 10, output: 2 }, flat, ['tenfold']],
  ['ten times cheaper', { input: 0.1, output: 2 }, flat, ['tenfold']],
  ['almost ten times dearer', { input: 9.999999, output: 2 }, flat, []],
  ['zero', { input: 0, output: 2 }, flat, ['zero']],
  ['no longer free', { input: 1, output: 2 }, 'free', ['tenfold']],
  ['without the price of cached tokens', { input: 1, output: 2 }, { ...flat, cached_input: '0.50' }, ['vanished']],
  ['a new price of cached tokens', { input: 1, output: 2, cache_read: 0.01 }, flat, []],
  ['free cached tokens', { input: 1, output: 2, cache_read: 0 }, flat, ['zero']],
  [
    'without the prices of long prompts',
    { input: 1, output: 2 },
    { ...flat, tiers: [{ when: { prompt_over: 200_000 }, input: '2', output: '4' }] },
    ['vanished'],
  ],
  ['more digits than the catalog stores', { input: 1.12345678, output: 2 }, flat, ['rounded']],
] as const)('a price list with a model that is %s is held back if it looks like an error', (_, cost, price, holds) => {
  const result = plan(costs(cost), price);
  expect('holds' in result && result.holds).toEqual(holds);
  expect(result.status).toBe(holds.length > 0 ? 'held' : 'changed');
});

test('an entry with a negative price or without an output price is never imported', () => {
  expect(plan(costs({ input: -1, output: 2 }), flat).status).toBe('invalid');
  expect(plan(costs({ input: 1 }), flat).status).toBe('invalid');
});

test('the prices of long prompts become a tier, and other tiers, tools and units stay', () => {
  const stored = {
    ...flat,
    cache_write_1h: '3',
    units: { request: '0.01' },
    tiers: [
      { when: { service_tier: 'flex' }, factor: '0.5' },
      { when: { prompt_over: 200_000 }, factor: '2' },
      { when: { prompt_over: 100_000, region: 'us' }, factor: '1.1' },
    ],
  };
  const over = { input: 2, output: 5 };
  const result = plan(costs({ input: 1, output: 2, cache_read: 0.5, context_over_200k: over }), stored);
  expect(result).toMatchObject({
    status: 'changed',
    price: {
      ...stored,
      cached_input: '0.50',
      tiers: [
        stored.tiers[0],
        { when: { prompt_over: 200_000 }, input: '2.00', cached_input: '0.50', cache_write_1h: '3.00', output: '5.00' },
        stored.tiers[2],
      ],
    },
  });
  expect(
    'changes' in result &&
      result.changes.map(({ kind, promptOver, before, after }) => [kind, promptOver, before, after]),
  ).toEqual([
    ['cached_input', undefined, '1.00', '0.50'],
    ['cached_input', 200_000, '2.00', '0.50'],
    ['cache_write_1h', 200_000, '6.00', '3.00'],
    ['output', 200_000, '4.00', '5.00'],
  ]);
});

test('a kind that the list cannot price stays as it is in an existing tier', () => {
  const tier = { when: { prompt_over: 200_000 }, input: '2', output: '4' };
  const stored = { ...flat, cache_write_1h: '3', tiers: [tier] };
  const over = { input: 2, output: 5 };
  expect(plan(costs({ input: 1, output: 2, context_over_200k: over }), stored)).toMatchObject({
    price: { ...stored, tiers: [{ ...tier, output: '5.00' }] },
    changes: [{ kind: 'output', promptOver: 200_000, before: '4.00', after: '5.00' }],
  });
});

test('reasoning at the price of the output follows the output in long prompts', () => {
  const cost = { input: 1, output: 2, reasoning: 2, context_over_200k: { input: 2, output: 3 } };
  expect(plan(costs(cost), flat)).toMatchObject({
    price: { ...flat, tiers: [{ when: { prompt_over: 200_000 }, input: '2.00', output: '3.00' }] },
  });
});

const many = readPriceList(
  JSON.stringify({
    openai: {
      models: { 'gpt-4o': { cost: { input: 2, output: 8 } }, 'gpt-4o-2024-05-13': { cost: { input: 5, output: 15 } } },
    },
    azure: { models: { 'gpt-4o-2024-08-06': { cost: { input: 3, output: 9 } } } },
    one: { models: { 'org/llama': { cost: { input: 1, output: 1 } }, same: { cost: { input: 1, output: 1 } } } },
    two: { models: { 'org/llama': { cost: { input: 2, output: 2 } }, same: { cost: { input: 1, output: 1 } } } },
  }),
)!;

test.each([
  ['gpt-4o', 'openai', 'openai gpt-4o'],
  ['openai/GPT-4o', 'elsewhere', 'openai gpt-4o'],
  ['gpt-4o-2024-05-13', 'openai', 'openai gpt-4o-2024-05-13'],
  // The provider of the route goes before a more similar name.
  ['gpt-4o-2024-08-06', 'openai', 'openai gpt-4o'],
  ['gpt-4o-2024-08-06', 'elsewhere', 'azure gpt-4o-2024-08-06'],
  ['org/llama', 'two', 'two org/llama'],
  ['llama', 'elsewhere', 'ambiguous'],
  ['same', 'elsewhere', 'one same'],
  ['gpt-4o-audio', 'openai', 'unlisted'],
])('the route %s of %s has the entry %s', (name, upstream, entry) => {
  const found = plan(many, flat, [{ upstream, model: name }]);
  expect('entry' in found ? `${found.entry.provider} ${found.entry.name}` : found.status).toBe(entry);
});

test('an upstream with an address of its own is not the provider of its kind', () => {
  const acme = row('acme', { name: 'acme', kind: 'two', base_url: 'https://api.acme.example' });
  const [found] = planImport(many, [model(flat, [{ upstream: 'acme', model: 'llama' }])], [acme]);
  expect(found?.status).toBe('ambiguous');
});

test('the route that is tried first decides, if the list has it', () => {
  const routes = [
    { upstream: 'azure', model: 'gpt-4o-2024-08-06', priority: 2 },
    { upstream: 'openai', model: 'gpt-4o', priority: 1 },
    { upstream: 'openai', model: 'unknown' },
  ];
  expect(plan(many, flat, routes)).toMatchObject({ entry: { provider: 'openai', name: 'gpt-4o' } });
});

// Properties of all prices.

const amount = bigInt({ min: 0n, max: 10n ** 12n - 1n });
const otherKinds = priceKinds.filter((kind) => !isNeeded(kind));
const pricesArbitrary = record({
  input: amount,
  output: amount,
  others: subarray(otherKinds),
  more: array(amount, { minLength: otherKinds.length, maxLength: otherKinds.length }),
}).map(
  ({ input, output, others, more }): Prices => ({
    input,
    output,
    ...Object.fromEntries(others.map((kind, index) => [kind, more[index]])),
  }),
);
const tiersArbitrary = uniqueArray(integer({ min: 1, max: 5 }), { maxLength: 3 }).chain((sizes) =>
  array(pricesArbitrary, { minLength: sizes.length, maxLength: sizes.length }).map((prices) =>
    sizes
      .sort((one, other) => other - one)
      .map((size, index) => ({ promptOver: size * 100_000, prices: prices[index]! })),
  ),
);
const entryArbitrary = record({ prices: pricesArbitrary, tiers: tiersArbitrary }).map(
  (parts): ListEntry => ({ provider: 'p', name: 'm', invalid: [], rounded: [], ...parts }),
);
const texts = (prices: Prices) =>
  Object.fromEntries(Object.entries(prices).map(([kind, micro]) => [kind, unitsText(micro, 6)]));
const storedArbitrary = record({ entry: entryArbitrary, factor: option(constant('2.5'), { nil: undefined }) }).map(
  ({ entry, factor }): StoredPrice => ({
    ...texts(entry.prices),
    units: { request: '0.5' },
    tiers: [
      ...entry.tiers.map(({ promptOver, prices }) => ({ when: { prompt_over: promptOver }, ...texts(prices) })),
      ...(factor === undefined ? [] : [{ when: { prompt_over: 7 }, factor }]),
      { when: { service_tier: 'flex' }, factor: '0.5' },
    ],
  }),
);
const kindsArbitrary = subarray([...otherKinds]).map((kinds) => new Set([...kinds, 'input', 'output'] as const));

test('an imported price is valid, has the prices of the list, and is unchanged by a second import', () => {
  assert(
    property(storedArbitrary, entryArbitrary, kindsArbitrary, (stored, listed, kinds) => {
      const within = (prices: Prices) =>
        Object.fromEntries(Object.entries(prices).filter(([kind]) => kinds.has(kind as never)));
      const entry = {
        ...listed,
        prices: within(listed.prices),
        tiers: listed.tiers.map((tier) => ({ ...tier, prices: within(tier.prices) })),
      };
      const price = importedPrice(stored, entry, kinds);
      const spec = { id: 'm', routes: [{ upstream: 'u' }], price };
      expect(check(resourceKinds.model.schema, spec)).toMatchObject({ ok: true });
      expect(importedPrice(price, entry, kinds)).toEqual(price);
      const changes = priceChanges(stored, price);
      for (const { promptOver, prices } of [{ promptOver: undefined, prices: entry.prices }, ...entry.tiers]) {
        for (const { kind, after } of changes.filter((change) => change.promptOver === promptOver)) {
          const own = prices[kind];
          if (own !== undefined) expect(after).toBe(unitsText(own, 6));
        }
      }
      expect(price).toMatchObject({ units: { request: '0.5' } });
      expect(price.tiers).toContainEqual({ when: { service_tier: 'flex' }, factor: '0.5' });
    }),
  );
});
