import { array, assert, bigInt, constant, option, property, record, subarray, uniqueArray, integer } from 'fast-check';
import { expect, test } from 'vitest';
import { check } from '../../../platform/config/file/check-schema.ts';
import { resourceKinds } from '../../../platform/config/schema/resource.ts';
import { unitsText } from '../../../core/money.ts';
import { importedPrice, type StoredPrice } from './imported-price.ts';
import { type ListEntry, levelText, listEntry, type ListTier } from './list-entry.ts';
import { type CatalogRow, planImport } from './plan-import.ts';
import { type PriceChange, priceChanges } from './price-changes.ts';
import { isNeeded, priceKinds, type Prices } from '../../../core/price-kinds.ts';
import { unreportedUsage } from 'chat-formats/chat/usage.ts';
import { oracleCharge, type WrittenPrice } from '../../../../test/price-oracle.ts';
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

const plainMtok = { input_cost_per_token: 2e-6, output_cost_per_token: 10e-6 };
const liteLlm = (fields: object) =>
  readPriceList(JSON.stringify({ m: { litellm_provider: 'openai', ...plainMtok, ...fields } }))!;

test('service tiers, lengths of prompts, lifetimes of caches and batches of LiteLLM become tiers', () => {
  const list = liteLlm({
    cache_creation_input_token_cost: 2.5e-6,
    cache_creation_input_token_cost_above_12hr: 5e-6,
    input_cost_per_token_above_272k_tokens: 4e-6,
    output_cost_per_token_above_272k_tokens: 15e-6,
    cache_creation_input_token_cost_above_12hr_above_272k_tokens: 10e-6,
    input_cost_per_token_priority: 4e-6,
    output_cost_per_token_priority: 20e-6,
    input_cost_per_token_above_272k_tokens_priority: 8e-6,
    output_cost_per_token_above_272k_tokens_priority: 30e-6,
    cache_creation_input_token_cost_above_12hr_above_272k_tokens_priority: 20e-6,
    input_cost_per_token_batches: 1e-6,
    output_cost_per_token_batches: 5e-6,
    cache_creation_input_token_cost_above_12hr_batches: 2.5e-6,
  });
  const stored = { ...flat, tiers: [{ when: { service_tier: 'priority' }, factor: '2' }] };
  const result = plan(list, stored);
  const base = { input: '2.00', cache_write_30m: '2.50', cache_write_12h: '5.00', output: '10.00' };
  expect('price' in result && result.price).toEqual({
    ...base,
    tiers: [
      {
        when: { prompt_over: 272_000, service_tier: 'priority' },
        input: '8.00',
        cache_write_30m: '2.50',
        cache_write_12h: '20.00',
        output: '30.00',
      },
      { when: { service_tier: 'priority' }, ...base, input: '4.00', output: '20.00' },
      // The list has no price of batches with long prompts: the dearer of the two.
      {
        when: { prompt_over: 272_000, service_tier: 'batch' },
        input: '4.00',
        cache_write_30m: '2.50',
        cache_write_12h: '10.00',
        output: '15.00',
      },
      { when: { service_tier: 'batch' }, input: '1.00', cache_write_30m: '2.50', output: '5.00' },
      { when: { prompt_over: 272_000 }, ...base, input: '4.00', cache_write_12h: '10.00', output: '15.00' },
    ],
  });
  const changes = 'changes' in result ? result.changes : [];
  expect(changes).toContainEqual(
    expect.objectContaining({ kind: 'input', level: 'service_tier priority', promptOver: undefined, after: '4.00' }),
  );
  expect('price' in result && plan(list, result.price).status).toBe('unchanged');
});

test("two lifetimes that have each other's price both keep it", () => {
  const both = { cache_write_5m: '5.00', cache_write_30m: '5.00', cache_write_1h: '8.00', cache_write_12h: '8.00' };
  const stored = { input: '4', ...both, output: '20' };
  const long = {
    input_cost_per_token: 4e-6,
    output_cost_per_token: 20e-6,
    input_cost_per_token_above_100k_tokens: 6e-6,
  };
  const writes = { cache_creation_input_token_cost: 5e-6, cache_creation_input_token_cost_above_1hr: 8e-6 };
  const result = plan(liteLlm({ ...long, ...writes, cache_creation_input_token_cost_above_12hr: 8e-6 }), stored);
  const price = 'price' in result ? (result.price as WrittenPrice) : undefined;
  const counts = { promptTokens: 200_000, cacheWrite30mTokens: 50_000, cacheWrite12hTokens: 50_000 };
  const answer = { ...unreportedUsage, ...counts, completionTokens: 0, source: 'upstream' as const };
  const charge = oracleCharge([answer], price!, { requested: {}, factor: '1' });
  expect(charge).toBe(100_000n * 6000n + 50_000n * 5000n + 50_000n * 8000n);
});

test.each([100, 128, 200, 256, 272, 512])('a threshold of %i thousand tokens becomes a tier', (thousands) => {
  const suffix = `_above_${thousands}k_tokens`;
  const result = plan(liteLlm({ [`input_cost_per_token${suffix}`]: 4e-6 }), flat);
  expect('price' in result && result.price).toMatchObject({
    tiers: [{ when: { prompt_over: thousands * 1000 }, input: '4.00', output: '10.00' }],
  });
});

test('the lifetimes of caches at OpenAI are 30 minutes and 12 hours, at other providers 5 minutes and 1 hour', () => {
  expect(plan(costs({ input: 1, output: 2, cache_write: 1.25 }), flat)).toMatchObject({
    price: { cache_write_30m: '1.25' },
  });
  const older = { ...flat, cache_write_5m: '1.25' };
  expect(plan(costs({ input: 1, output: 2, cache_write: 1.25 }), older).status).toBe('unchanged');
  const list = liteLlm({
    cache_creation_input_token_cost: 5e-6,
    cache_creation_input_token_cost_above_1hr: 8e-6,
    cache_creation_input_token_cost_above_1hr_above_200k_tokens: 16e-6,
  });
  expect(plan(list, flat)).toMatchObject({
    price: { cache_write_5m: '5.00', cache_write_1h: '8.00', tiers: [{ cache_write_1h: '16.00' }] },
  });
});

test('prices of tokens under other names are named, and change nothing', () => {
  const unread = {
    input_cost_per_token_cache_hit: 1e-6,
    tiered_pricing: [],
    input_cost_per_token_above_30s: 1e-6,
    output_cost_per_token_galactic: 1e-6,
    cache_creation_input_token_cost_above_3hr: 1e-6,
    output_cost_per_token_above_1hr: 1e-6,
    cache_creation_input_audio_token_cost: 1e-6,
    // A service tier without a price of its output.
    input_cost_per_token_flex: 1e-6,
  };
  const others = {
    output_cost_per_character_above_256k_tokens: 1,
    input_cost_per_image: 1e-6,
    search_context_cost_per_query: {},
    max_input_tokens: 5,
  };
  const result = plan(liteLlm({ ...unread, ...others }), { input: '2', output: '10' });
  expect(result).toMatchObject({ status: 'unchanged', entry: { unread: Object.keys(unread) } });
});

test('modes of models.dev with a service tier or a speed become tiers, and other names are named', () => {
  const mode = (body: object | undefined) => ({ cost: { input: 4, output: 20 }, provider: { body } });
  const modes = { fast: mode({ service_tier: 'priority' }), quick: mode({ speed: 'fast' }), odd: mode({ x: 'y' }) };
  const cost = { input: 2, output: 10, cache_write_2d: 1, tiers: [{ tier: { type: 'day' }, input: 1 }] };
  const list = readPriceList(JSON.stringify({ openai: { models: { m: { cost, experimental: { modes } } } } }))!;
  const result = plan(list, flat);
  expect('price' in result && result.price).toEqual({
    input: '2.00',
    output: '10.00',
    tiers: [
      { when: { service_tier: 'priority' }, input: '4.00', output: '20.00' },
      { when: { speed: 'fast' }, input: '4.00', output: '20.00' },
    ],
  });
  const unread = ['cost.cache_write_2d', 'experimental.modes.odd.cost', 'cost.tiers[0]'];
  expect('entry' in result && result.entry.unread).toEqual(unread);
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
const read = { invalid: [], rounded: [], path: '' };
const level = { service_tier: 'priority' };
const entryArbitrary = record({
  prices: pricesArbitrary,
  tiers: tiersArbitrary,
  ofLevel: option(pricesArbitrary, { nil: undefined }),
  longOfLevel: option(pricesArbitrary, { nil: undefined }),
}).map(({ prices, tiers, ofLevel, longOfLevel }): ListEntry => {
  const long = longOfLevel ? [{ ...read, level, promptOver: 100_000, prices: longOfLevel }] : [];
  const ofLevels = ofLevel ? [{ ...read, level, prices: ofLevel }, ...long] : [];
  const all = [...ofLevels, ...tiers.map((tier) => ({ ...read, ...tier }))];
  return listEntry({ provider: 'p', name: 'm' }, { prices, invalid: [], rounded: [] }, all);
});
const texts = (prices: Prices) =>
  Object.fromEntries(Object.entries(prices).map(([kind, micro]) => [kind, unitsText(micro, 6)]));
const storedArbitrary = record({ entry: entryArbitrary, factor: option(constant('2.5'), { nil: undefined }) }).map(
  ({ entry, factor }): StoredPrice => ({
    ...texts(entry.prices),
    units: { request: '0.5' },
    tiers: [
      ...entry.tiers.map(({ promptOver, level: own, prices }) => ({
        when: { ...(promptOver && { prompt_over: promptOver }), ...own },
        ...texts(prices),
      })),
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
      for (const { promptOver, level: own, prices } of [{ prices: entry.prices } as ListTier, ...entry.tiers]) {
        const isOf = (change: PriceChange) =>
          change.promptOver === promptOver && (change.level ?? '') === levelText(own);
        for (const { kind, after } of changes.filter(isOf)) {
          const own = prices[kind];
          if (own !== undefined) expect(after).toBe(unitsText(own, 6));
        }
      }
      expect(price).toMatchObject({ units: { request: '0.5' } });
      expect(price.tiers).toContainEqual({ when: { service_tier: 'flex' }, factor: '0.5' });
    }),
  );
});
