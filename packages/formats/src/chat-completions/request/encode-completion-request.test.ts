import { describe, expect, test } from 'vitest';
import { defaultQuirks, type ResolvedQuirks } from '../quirks.ts';
import { decodeCompletionRequest } from './decode-completion-request.ts';
import { encodeCompletionRequest } from './encode-completion-request.ts';

describe('a request to a provider with the legacy endpoint', () => {
  const sent = (fields: object, quirks: Partial<ResolvedQuirks> = {}, maxTokens?: number) =>
    encodeCompletionRequest(decodeCompletionRequest({ model: 'm', prompt: 'Once', ...fields }, 10), {
      model: 'theirs',
      maxTokens,
      quirks: { ...defaultQuirks, completions: true, ...quirks },
    });

  test('is the client’s body except for the model, the cap and the stream', () => {
    expect(sent({ logprobs: 2, best_of: null, max_tokens: 9, zebra: 1, echo: true, frequency_penalty: 1 }, {}, 5)).toBe(
      '{"model":"theirs","prompt":"Once","logprobs":2,"max_tokens":5,"zebra":1,"echo":true,"stream":true,"stream_options":{"include_usage":true}}',
    );
    expect(
      JSON.parse(
        sent({ prompt: [1, 2], max_tokens: 9 }, { maxTokensField: 'max_completion_tokens', usageOption: false }),
      ),
    ).toEqual({
      model: 'theirs',
      prompt: [1, 2],
      stream: true,
    });
  });

  test('may have a suffix only if the provider supports it', () => {
    expect(JSON.parse(sent({ suffix: 'end' }, { suffix: true }))).toMatchObject({ prompt: 'Once', suffix: 'end' });
    expect(() => sent({ suffix: 'end' })).toThrow(
      expect.objectContaining({ case: 'upstream-rejected', code: 'unsupported_suffix' }),
    );
    expect(JSON.parse(sent({ suffix: '' }))).toMatchObject({ suffix: '' });
  });

  test('has the user label under the provider’s field name', () => {
    expect(JSON.parse(sent({ user_id: 'u' }, { userField: 'user' }))).toMatchObject({ user: 'u' });
  });
});
