import fc from 'fast-check';
import { expect, test } from 'vitest';
import { arbitraryUsage } from '../../../../../test/fixtures/dialects/arbitrary-answer.ts';
import { usageOf } from '../../../../../test/fixtures/dialects/usage.ts';
import { decodeUsage } from './decode-usage.ts';
import { encodeUsage } from './encode-usage.ts';

test('the encoder writes every field of the contract, including output_tokens: 0', () => {
  const usage = usageOf(100, 20, {
    cachedTokens: 40,
    cacheWrite5mTokens: 5,
    cacheWrite1hTokens: 6,
    reasoningTokens: 7,
    promptAudioTokens: 3,
    promptImageTokens: 2,
    completionAudioTokens: 1,
  });
  expect(encodeUsage(usage, 'acme')).toEqual({
    prompt_tokens: 100,
    completion_tokens: 20,
    total_tokens: 120,
    prompt_tokens_details: { cached_tokens: 40, text_tokens: 95, audio_tokens: 3, image_tokens: 2 },
    completion_tokens_details: { text_tokens: 12, audio_tokens: 1, reasoning_tokens: 7 },
    input_tokens: 100,
    output_tokens: 0,
    upstream_cache_creation_5_m_tokens: 5,
    upstream_cache_creation_1_h_tokens: 6,
    usage_semantic: 'openai',
    usage_source: 'acme',
  });
});

test('missing counts are encoded as zero', () => {
  expect(encodeUsage(usageOf(3, 2), 'acme')).toMatchObject({
    prompt_tokens_details: { cached_tokens: 0, text_tokens: 3, audio_tokens: 0, image_tokens: 0 },
    completion_tokens_details: { text_tokens: 2, audio_tokens: 0, reasoning_tokens: 0 },
    upstream_cache_creation_5_m_tokens: 0,
    upstream_cache_creation_1_h_tokens: 0,
  });
});

test('the text count is never negative', () => {
  const usage = usageOf(1, 1, { promptAudioTokens: 2, reasoningTokens: 2 });
  expect(encodeUsage(usage, 'acme')).toMatchObject({
    prompt_tokens_details: { text_tokens: 0 },
    completion_tokens_details: { text_tokens: 0 },
  });
});

test('encoded usage decodes to the same counts', () => {
  fc.assert(
    fc.property(arbitraryUsage, (usage) => {
      expect(decodeUsage(encodeUsage(usage, 'acme'), (what) => expect.fail(what))).toEqual(usage);
    }),
  );
});
