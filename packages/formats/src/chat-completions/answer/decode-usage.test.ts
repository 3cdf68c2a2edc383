import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isDeep } from '../../../../../test/depth.ts';
import { shortAndLong } from '../../cache-lifetime.ts';
import { decodeUsage } from './decode-usage.ts';

const read = (value: unknown) => {
  const anomalies: string[] = [];
  return { usage: decodeUsage(value, (what) => anomalies.push(what)), anomalies };
};
const counts = (promptTokens: number, completionTokens: number) => ({ promptTokens, completionTokens });

test('a complete usage object is decoded without anomalies', () => {
  const { usage, anomalies } = read({
    prompt_tokens: 100,
    completion_tokens: 20,
    total_tokens: 120,
    prompt_tokens_details: { cached_tokens: 40, audio_tokens: 3, image_tokens: 7, cache_write_tokens: 5 },
    completion_tokens_details: { reasoning_tokens: 6, audio_tokens: 2 },
    upstream_cache_creation_1_h_tokens: 4,
  });
  expect(usage).toEqual({
    ...counts(100, 20),
    cachedTokens: 40,
    cacheWrite30mTokens: 5,
    cacheWrite1hTokens: 4,
    reasoningTokens: 6,
    promptAudioTokens: 3,
    promptImageTokens: 7,
    completionAudioTokens: 2,
    source: 'upstream',
  });
  expect(anomalies).toEqual([]);
});

test('counts that a provider does not send stay undefined', () => {
  expect(read({ prompt_tokens: 3, completion_tokens: 0 }).usage).toMatchObject({
    ...counts(3, 0),
    cachedTokens: undefined,
    reasoningTokens: undefined,
  });
});

test.each([
  ['DeepSeek', { prompt_cache_hit_tokens: 8, prompt_cache_miss_tokens: 2 }, 8],
  ['Moonshot', { cached_tokens: 8 }, 8],
  ['a provider without them', { prompt_tokens_details: null }, undefined],
])('cached tokens are decoded in the form of: %s', (_, fields, cachedTokens) => {
  expect(read({ prompt_tokens: 10, completion_tokens: 1, ...fields }).usage).toMatchObject({ cachedTokens });
});

test('reasoning that a provider counts only in the total is added to the output', () => {
  const fields = { prompt_tokens: 10, completion_tokens: 5, completion_tokens_details: { reasoning_tokens: 7 } };
  expect(read({ ...fields, total_tokens: 22 }).usage).toMatchObject({ ...counts(10, 12), reasoningTokens: 7 });
  expect(read({ ...fields, total_tokens: 15 }).usage).toMatchObject({ ...counts(10, 5), reasoningTokens: 5 });
});

test.each([
  ['negative', { prompt_tokens: -5, completion_tokens: 2 }, counts(0, 2)],
  ['numbers in strings', { prompt_tokens: '12', completion_tokens: '3' }, counts(12, 3)],
  ['fractions', { prompt_tokens: 12.9, completion_tokens: 3.2 }, counts(12, 3)],
  ['absurd', { prompt_tokens: 1e12, completion_tokens: 1 }, counts(2 ** 31 - 1, 1)],
  ['infinite', { prompt_tokens: Infinity, completion_tokens: 1 }, counts(2 ** 31 - 1, 1)],
  [
    'more cached than prompt tokens',
    { prompt_tokens: 5, completion_tokens: 1, prompt_tokens_details: { cached_tokens: 9 } },
    { cachedTokens: 5 },
  ],
  [
    'more reasoning than output',
    { prompt_tokens: 5, completion_tokens: 1, reasoning_tokens: 9 },
    { reasoningTokens: 1 },
  ],
  [
    'more audio and reasoning than output',
    { prompt_tokens: 5, completion_tokens: 5, completion_tokens_details: { audio_tokens: 4, reasoning_tokens: 4 } },
    { completionAudioTokens: 4, reasoningTokens: 1 },
  ],
])('%s: the counts are corrected, and an anomaly is recorded', (_, value, expected) => {
  const { usage, anomalies } = read(value);
  expect(usage).toMatchObject(expected);
  expect(anomalies).not.toEqual([]);
});

test.each([
  [null],
  [undefined],
  ['x'],
  [[]],
  [{}],
  [{ prompt_tokens: 5 }],
  [{ prompt_tokens: 'many', completion_tokens: 1 }],
  [{ prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }],
])('%j gives no usage', (value) => {
  expect(read(value).usage).toBeUndefined();
});

test('usage without counts is recorded as an anomaly, missing usage is not', () => {
  expect(read({ prompt_tokens: 0, completion_tokens: 0 }).anomalies).toEqual(['usage without counts']);
  expect(read(undefined).anomalies).toEqual([]);
});

test('a missing count is derived from the total', () => {
  expect(read({ prompt_tokens: 5, total_tokens: 9 }).usage).toMatchObject(counts(5, 4));
  expect(read({ completion_tokens: 5, total_tokens: 9 }).usage).toMatchObject(counts(4, 5));
});

test('arbitrary provider values give consistent integer counts', () => {
  const names = [
    'prompt_tokens',
    'completion_tokens',
    'total_tokens',
    'cached_tokens',
    'reasoning_tokens',
    'upstream_cache_creation_5_m_tokens',
    'upstream_cache_creation_1_h_tokens',
  ];
  const value = fc.oneof(fc.integer({ min: -5, max: 30 }), fc.double(), fc.string(), fc.constant(null), fc.object());
  const details = fc.dictionary(
    fc.constantFrom('cached_tokens', 'audio_tokens', 'image_tokens', 'reasoning_tokens', 'cache_write_tokens'),
    value,
  );
  const split = fc.dictionary(fc.constantFrom('ttl_30m_tokens', 'ttl_12h_tokens'), value);
  const wire = fc
    .tuple(fc.dictionary(fc.constantFrom(...names), value), details, details, split)
    .map(([own, prompt, completion, writes]) => ({
      ...own,
      prompt_tokens_details: { ...prompt, cache_write_tokens_details: writes },
      completion_tokens_details: completion,
    }));
  fc.assert(
    fc.property(wire, (value) => {
      const { usage } = read(value);
      if (!usage) return;
      for (const count of Object.values(usage).filter((value) => typeof value === 'number'))
        if (count !== undefined) expect(Number.isInteger(count) && count >= 0).toBe(true);
      const sum = (...parts: (number | undefined)[]) => parts.reduce<number>((all, part) => all + (part ?? 0), 0);
      expect(sum(usage.cachedTokens, ...shortAndLong(usage))).toBeLessThanOrEqual(usage.promptTokens);
      expect(sum(usage.promptAudioTokens, usage.promptImageTokens)).toBeLessThanOrEqual(usage.promptTokens);
      expect(sum(usage.reasoningTokens, usage.completionAudioTokens)).toBeLessThanOrEqual(usage.completionTokens);
    }),
    { numRuns: isDeep ? 500 : 100 },
  );
});
