import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { GatewayError } from '../../gateway-error.ts';
import { decodeCompletionRequest, completionRequestSchema } from './decode-completion-request.ts';

const body = (fields: object = {}) => ({ model: 'm', prompt: 'Once', ...fields });
const decode = (value: unknown) => decodeCompletionRequest(value, 10);

describe('a legacy request', () => {
  test('is decoded field by field, with its prompt as one user message', () => {
    const value = body({ max_tokens: 5, n: 2, best_of: 3, logprobs: 4, stop: 'x', user_id: 'u', stream: true });
    const { wire, ...read } = decode(value);
    expect(wire).toEqual({ format: 'completions', body: value, bytes: 10 });
    expect(wire.body).toBe(value);
    expect(read).toEqual({
      model: 'm',
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Once' }] }],
      tools: [],
      toolChoice: undefined,
      maxTokens: 5,
      choices: 3,
      stop: ['x'],
      thinking: undefined,
      effort: undefined,
      userId: 'u',
      logprobs: true,
      topLogprobs: 4,
      wantsStream: true,
      providerTools: [],
      hasUnsizedContent: false,
    });
  });

  test.each<[unknown, string, number]>([
    ['', '', 1],
    [['a'], 'a', 1],
    [['a', 'b'], 'a\nb', 2],
    [[1, 2, 3], '', 1],
    [[[1, 2], [3]], '', 2],
  ])('with the prompt %j has the text %j and %i choices', (prompt, text, choices) => {
    expect(decode(body({ prompt }))).toMatchObject({
      messages: [{ role: 'user', content: [{ type: 'text', text }] }],
      choices,
    });
  });

  const promptRule = 'must be a string, a list of 1 to 128 strings, or token ids.';
  test.each<[string, unknown]>([
    ['The body must be a JSON object.', []],
    [`prompt is required and ${promptRule}`, { model: 'm' }],
    ...[null, 5, {}, [], [[]], ['a', 1], [1, 'a'], [-1], [1.5], [null], Array.from({ length: 10_000 }, () => 'x')].map(
      (prompt): [string, unknown] => [`prompt ${promptRule}`, body({ prompt })],
    ),
    ['max_tokens must be an integer between 1 and 2147483647.', body({ max_tokens: -5 })],
    ['temperature must be between 0 and 2.', body({ temperature: 3 })],
    ['suffix must be a string.', body({ suffix: 5 })],
    ['echo must be a boolean.', body({ echo: 'yes' })],
    ['best_of must be an integer between 1 and 128.', body({ best_of: 0 })],
    ['logprobs must be an integer between 0 and 20.', body({ logprobs: true })],
    ['user_id must consist of letters, digits, _ and -.', body({ user_id: 'a b' })],
    ['seed holds a number that is out of range.', body({ seed: Infinity })],
  ])('is rejected: %s', (detail, value) => {
    expect(() => decode(value)).toThrow(GatewayError);
    expect(() => decode(value)).toThrow(expect.objectContaining({ case: 'invalid-request', detail }));
  });

  test('has a description for every field', () => {
    const { properties } = z.toJSONSchema(completionRequestSchema) as {
      properties: Record<string, { description?: string }>;
    };
    for (const [name, field] of Object.entries(properties)) expect(field.description, name).toBeTruthy();
  });
});
