import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { arbitraryUsage } from '../../../../../test/fixtures/dialects/arbitrary-answer.ts';
import { usageOf } from '../../../../../test/fixtures/dialects/usage.ts';
import { decodeUsage, decodeUsageSoFar, encodeMessagesUsage } from './usage.ts';

const read = (begun: Record<string, unknown> | undefined, ended: Record<string, unknown> | undefined) => {
  const anomalies: string[] = [];
  return { usage: decodeUsage(begun, ended, (what) => anomalies.push(what)), anomalies };
};

test('cached input, which this format counts separately, is added to the prompt once', () => {
  // Input priced from `input_tokens` alone would miss 70 tokens. Priced from the sum plus the cache counts, it would
  // charge them twice.
  const { usage, anomalies } = read(undefined, {
    input_tokens: 30,
    cache_read_input_tokens: 50,
    cache_creation_input_tokens: 20,
    cache_creation: { ephemeral_5m_input_tokens: 5, ephemeral_1h_input_tokens: 15 },
    output_tokens: 9,
    output_tokens_details: { thinking_tokens: 4 },
    server_tool_use: { web_search_requests: 2, web_fetch_requests: 1 },
  });
  expect(usage).toEqual(
    usageOf(100, 9, {
      cachedTokens: 50,
      cacheWrite5mTokens: 5,
      cacheWrite1hTokens: 15,
      reasoningTokens: 4,
      toolUses: { web_search: 2, web_fetch: 1 },
    }),
  );
  expect(anomalies).toEqual([]);
});

test('the encoder counts cached input separately again', () => {
  const usage = usageOf(100, 9, { cachedTokens: 50, cacheWrite5mTokens: 5, cacheWrite1hTokens: 15 });
  expect(encodeMessagesUsage(usage)).toMatchObject({
    input_tokens: 30,
    cache_read_input_tokens: 50,
    cache_creation_input_tokens: 20,
    cache_creation: { ephemeral_5m_input_tokens: 5, ephemeral_1h_input_tokens: 15 },
    output_tokens: 9,
  });
  expect(encodeMessagesUsage(usageOf(10, 1, { cachedTokens: 50 }))).toMatchObject({ input_tokens: 0 });
});

describe('the counts of message_start and message_delta are merged', () => {
  test.each<[string, Record<string, unknown>, Record<string, unknown>, object]>([
    ['output only at the end', { input_tokens: 5, output_tokens: 1 }, { output_tokens: 7 }, usageOf(5, 7)],
    [
      'input only at the end',
      { input_tokens: 0, output_tokens: 0 },
      { input_tokens: 5, output_tokens: 7 },
      usageOf(5, 7),
    ],
    [
      'a later count replaces an earlier one',
      { input_tokens: 5 },
      { input_tokens: 8, output_tokens: 7 },
      usageOf(8, 7),
    ],
    [
      'a prompt that turned out to be cached is counted once',
      { input_tokens: 100 },
      { input_tokens: 20, cache_read_input_tokens: 80, output_tokens: 1 },
      usageOf(100, 1, { cachedTokens: 80 }),
    ],
    [
      'zeros at the end do not replace earlier counts',
      { input_tokens: 5, cache_read_input_tokens: 3 },
      { input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 7 },
      usageOf(8, 7, { cachedTokens: 3 }),
    ],
    [
      'null does not replace a count',
      { input_tokens: 5, cache_read_input_tokens: 3 },
      { input_tokens: null, cache_read_input_tokens: null, output_tokens: 7, server_tool_use: null },
      usageOf(8, 7, { cachedTokens: 3 }),
    ],
    [
      'cache writes without parts count as five-minute writes',
      { input_tokens: 5, cache_creation_input_tokens: 10 },
      { output_tokens: 1 },
      usageOf(15, 1, { cacheWrite5mTokens: 10 }),
    ],
    [
      'parts at the start, a larger sum at the end',
      {
        input_tokens: 5,
        cache_creation_input_tokens: 10,
        cache_creation: { ephemeral_5m_input_tokens: 4, ephemeral_1h_input_tokens: 6 },
      },
      { cache_creation_input_tokens: 30, output_tokens: 1 },
      usageOf(35, 1, { cacheWrite5mTokens: 24, cacheWrite1hTokens: 6 }),
    ],
    [
      'one part at the start, one at the end',
      { input_tokens: 5, cache_creation: { ephemeral_5m_input_tokens: 4 } },
      { input_tokens: 5, cache_creation: { ephemeral_1h_input_tokens: 6 }, output_tokens: 1 },
      usageOf(15, 1, { cacheWrite5mTokens: 4, cacheWrite1hTokens: 6 }),
    ],
    [
      'parts only at the end',
      { input_tokens: 5, cache_creation_input_tokens: 10 },
      {
        cache_creation_input_tokens: 10,
        cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 10 },
        output_tokens: 1,
      },
      usageOf(15, 1, { cacheWrite5mTokens: 0, cacheWrite1hTokens: 10 }),
    ],
  ])('case: %s', (_, begun, ended, usage) => {
    expect(read(begun, ended)).toEqual({ usage, anomalies: [] });
  });
});

test.each<[string, Record<string, unknown> | undefined, Record<string, unknown> | undefined]>([
  ['only the placeholder output of message_start', { input_tokens: 5, output_tokens: 1 }, undefined],
  ['no input', undefined, { output_tokens: 5 }],
  ['words', undefined, { input_tokens: 'many', output_tokens: 5 }],
  ['zeros', { input_tokens: 0 }, { input_tokens: 0, output_tokens: 0 }],
])('%s: no usage, and an anomaly is recorded', (_, begun, ended) => {
  const { usage, anomalies } = read(begun, ended);
  expect(usage).toBeUndefined();
  expect(anomalies).toContain('usage without counts');
});

test('missing usage is not an anomaly', () => {
  expect(read(undefined, undefined)).toEqual({ usage: undefined, anomalies: [] });
});

test.each<[string, Record<string, unknown>, object]>([
  ['negative', { input_tokens: -5, output_tokens: 2 }, { promptTokens: 0, completionTokens: 2 }],
  ['negative cached', { input_tokens: 5, output_tokens: 2, cache_read_input_tokens: -5 }, { promptTokens: 5 }],
  ['strings', { input_tokens: '12', output_tokens: '3' }, { promptTokens: 12, completionTokens: 3 }],
  ['fractions', { input_tokens: 1.9, output_tokens: 3.2 }, { promptTokens: 1, completionTokens: 3 }],
  ['absurd', { input_tokens: 1e12, output_tokens: 1e12 }, { promptTokens: 2 ** 31 - 1, completionTokens: 2 ** 31 - 1 }],
  [
    'absurd together',
    { input_tokens: 2e9, output_tokens: 1, cache_read_input_tokens: 2e9 },
    { promptTokens: 2 ** 31 - 1 },
  ],
  [
    'more thinking than output',
    { input_tokens: 1, output_tokens: 2, output_tokens_details: { thinking_tokens: 9 } },
    { reasoningTokens: 2 },
  ],
  [
    'more one-hour writes than all writes',
    {
      input_tokens: 1,
      output_tokens: 2,
      cache_creation_input_tokens: 3,
      cache_creation: { ephemeral_1h_input_tokens: 9 },
    },
    { promptTokens: 4, cacheWrite5mTokens: 0, cacheWrite1hTokens: 3 },
  ],
  [
    'negative tools',
    { input_tokens: 1, output_tokens: 2, server_tool_use: { web_search_requests: -9, other: 2 } },
    { toolUses: { other: 2 } },
  ],
])('%s: the counts are corrected, and an anomaly is recorded', (_, ended, expected) => {
  const { usage, anomalies } = read(undefined, ended);
  expect(usage).toMatchObject(expected);
  expect(anomalies).not.toEqual([]);
});

test('the usage so far is known only if the input is counted', () => {
  expect(decodeUsageSoFar({ input_tokens: 5 })).toEqual(usageOf(5, 0));
  expect(decodeUsageSoFar({ output_tokens: 5 })).toBeUndefined();
  expect(decodeUsageSoFar(undefined)).toBeUndefined();
});

test('encoded usage decodes to the same counts', () => {
  const audible = { promptAudioTokens: undefined, promptImageTokens: undefined, completionAudioTokens: undefined };
  const uses = fc.dictionary(fc.constantFrom('web_search', 'code_execution'), fc.integer({ min: 1, max: 1000 }));
  fc.assert(
    fc.property(arbitraryUsage, fc.option(uses, { nil: undefined }), (usage, toolUses) => {
      const uses = { ...usage, ...audible, toolUses };
      expect(read(undefined, encodeMessagesUsage(uses))).toEqual({ usage: uses, anomalies: [] });
    }),
  );
});

test('arbitrary provider values give consistent integer counts', () => {
  const value = fc.oneof(fc.integer({ min: -5, max: 30 }), fc.double(), fc.string(), fc.constantFrom(null, {}, []));
  const names = ['input_tokens', 'output_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens'];
  const wire = fc
    .tuple(
      fc.dictionary(fc.constantFrom(...names), value),
      fc.dictionary(fc.constantFrom('ephemeral_5m_input_tokens', 'ephemeral_1h_input_tokens'), value),
      fc.dictionary(fc.constantFrom('thinking_tokens', 'web_search_requests'), value),
    )
    .map(([own, cache_creation, rest]) => ({
      ...own,
      cache_creation,
      output_tokens_details: rest,
      server_tool_use: rest,
    }));
  fc.assert(
    fc.property(fc.option(wire, { nil: undefined }), wire, (begun, ended) => {
      const { usage } = read(begun, ended);
      if (!usage) return;
      for (const count of Object.values(usage).filter((value) => typeof value === 'number'))
        expect(Number.isInteger(count) && count >= 0 && count < 2 ** 31).toBe(true);
      const { cachedTokens = 0, cacheWrite5mTokens = 0, cacheWrite1hTokens = 0, reasoningTokens = 0 } = usage;
      expect(cachedTokens + cacheWrite5mTokens + cacheWrite1hTokens).toBeLessThanOrEqual(usage.promptTokens);
      expect(reasoningTokens).toBeLessThanOrEqual(usage.completionTokens);
    }),
    { numRuns: 250 },
  );
});
