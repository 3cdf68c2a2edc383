import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readPriceList } from './price-list.ts';

const fixture = (name: string) =>
  readFileSync(new URL(`../../../../test/fixtures/price-lists/${name}`, import.meta.url), 'utf8');
const longPrompt = { promptOver: 200_000, prices: { input: 2_500_000n, output: 15_000_000n, cached_input: 100_000n } };

test('a list in the form of models.dev has prices of a million tokens', () => {
  const list = readPriceList(fixture('models-dev.json'));
  expect(list?.form).toBe('models.dev');
  expect(list?.entries[0]).toEqual({
    provider: 'google',
    name: 'gemini-2.5-pro',
    date: '2026-10-02',
    prices: { input: 1_250_000n, output: 10_000_000n, cached_input: 50_000n },
    tiers: [longPrompt],
    contextWindow: 1_048_576,
    maxOutputTokens: 65_536,
    invalid: [],
    rounded: [],
  });
  const [, , , o1] = list?.entries ?? [];
  expect(o1).toMatchObject({ name: 'o1', invalid: [{ field: 'input', problem: 'negative' }] });
});

test("LiteLLM's table has prices of a token", () => {
  const list = readPriceList(fixture('litellm.json'));
  expect(list?.form).toBe('litellm');
  expect(list?.entries.map(({ name }) => name)).not.toContain('dall-e-3');
  expect(list?.entries.find(({ provider }) => provider === 'gemini')).toEqual({
    provider: 'gemini',
    name: 'gemini/gemini-2.5-pro',
    prices: { input: 1_250_000n, output: 10_000_000n, cached_input: 125_000n, reasoning: 10_000_000n },
    tiers: [{ ...longPrompt, prices: { ...longPrompt.prices, cached_input: 250_000n } }],
    contextWindow: 1_048_576,
    maxOutputTokens: 65_535,
    invalid: [],
    rounded: [],
  });
});

test('tiers of the newer models.dev form replace `context_over_200k`', () => {
  const tiers = [{ tier: { type: 'context', size: 272_000 }, input: 10, output: 45 }];
  const cost = { input: 5, output: 30, tiers, context_over_200k: { input: 11, output: 46 } };
  const [entry] = readPriceList(JSON.stringify({ openai: { models: { m: { cost } } } }))?.entries ?? [];
  expect(entry?.tiers).toEqual([{ promptOver: 272_000, prices: { input: 10_000_000n, output: 45_000_000n } }]);
});

test('several thresholds of LiteLLM are sorted, the longest prompts first', () => {
  const model = {
    litellm_provider: 'x',
    input_cost_per_token: 1e-6,
    output_cost_per_token: 2e-6,
    input_cost_per_token_above_128k_tokens: 2e-6,
    input_cost_per_token_above_512k_tokens: 4e-6,
    input_cost_per_token_above_512k_tokens_priority: 9e-6,
    output_cost_per_character_above_256k_tokens: 1e-6,
    cache_creation_input_token_cost_above_1hr: 6e-6,
  };
  const [entry] = readPriceList(JSON.stringify({ m: model }))?.entries ?? [];
  expect(entry?.prices.cache_write_1h).toBe(6_000_000n);
  // A service tier without prices of its own for short prompts.
  expect(entry?.unread).toEqual(['input_cost_per_token_above_512k_tokens_priority']);
  expect(entry?.tiers).toEqual([
    { promptOver: 512_000, prices: { input: 4_000_000n } },
    { promptOver: 128_000, prices: { input: 2_000_000n } },
  ]);
});

test('values that are not prices are named by field', () => {
  const text = `{"p":{"models":{"m":{"cost":{"input":"2.5","cache_read":null,"reasoning":1e9,
    "context_over_200k":{"input":-1,"output":1e99}}}}}}`;
  expect(readPriceList(text)?.entries[0]?.invalid).toEqual([
    { field: 'input', problem: 'not_a_number' },
    { field: 'reasoning', problem: 'too_large' },
    { field: 'output', problem: 'missing' },
    { field: 'context_over_200k.input', problem: 'negative' },
    { field: 'context_over_200k.output', problem: 'not_a_number' },
  ]);
});

test.each(['', 'no JSON', '[]', '7', '{}', '{"a":1}', '{"a":{"price":1}}', '{"__proto__":{"x":1}}'])(
  '%s is no price list',
  (text) => {
    expect(readPriceList(text)).toBeUndefined();
  },
);
