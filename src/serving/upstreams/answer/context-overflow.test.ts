import { describe, expect, test } from 'vitest';
import { attributed } from './attribution.ts';
import { contextOverflow } from './context-overflow.ts';
import { decodeMessagesError } from 'chat-formats/messages/answer/message-decoder.ts';
import { decodeErrorObject } from 'chat-formats/chat-completions/answer/decode-error.ts';
import { refusal } from './refusal.ts';

/** Error messages of providers, and the numbers in them. */
const overflowErrors: readonly (readonly [
  provider: string,
  words: string,
  prompt: number | undefined,
  max: number | undefined,
])[] = [
  ['Anthropic', 'prompt is too long: 210000 tokens > 200000 maximum', 210_000, 200_000],
  [
    'Anthropic, with the cap',
    'input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000, decrease input length or `max_tokens` and try again',
    210_000,
    200_000,
  ],
  [
    'OpenAI',
    "This model's maximum context length is 128000 tokens. However, your messages resulted in 130500 tokens. Please reduce the length of the messages.",
    130_500,
    128_000,
  ],
  [
    'OpenAI, newer',
    'Your input exceeds the context window of this model. Please adjust your input and try again.',
    undefined,
    undefined,
  ],
  [
    'vLLM',
    "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens (4500 in the messages, 500 in the completion).",
    5000,
    4096,
  ],
  ['vLLM, older', 'The decoder prompt (length 5000) is longer than the maximum model length of 4096.', 5000, 4096],
  ['SGLang', "The input (5000 tokens) is longer than the model's context length (4096 tokens).", 5000, 4096],
  ['Ollama', 'prompt too long; exceeded max context length by 12 tokens', undefined, undefined],
  ['TGI', 'Input validation error: `inputs` must have less than 1024 tokens. Given: 1100', 1100, 1024],
  [
    'TGI, with the cap',
    'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 4500 `inputs` tokens and 500 `max_new_tokens`',
    4500,
    4096,
  ],
  [
    'LM Studio',
    'Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough.',
    5000,
    4096,
  ],
  [
    'Gemini',
    'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
    1_200_000,
    1_048_576,
  ],
  ['Bedrock', 'Input is too long for requested model.', undefined, undefined],
  [
    'Cohere',
    'too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 5000. Try using a shorter prompt.',
    5000,
    4081,
  ],
  [
    'Mistral',
    'Prompt contains 40,000 tokens and 0 draft tokens, too large for model with 32,768 maximum context length',
    40_000,
    32_768,
  ],
  ['xAI', "This model's maximum prompt length is 131072 but the request contains 150000 tokens.", 150_000, 131_072],
  ['Moonshot', 'Invalid request: Your request exceeded model token limit: 131072', undefined, 131_072],
  ['GLM', 'Prompt exceeds max length', undefined, undefined],
  ['Qwen', 'Range of input length should be [1, 98304]', undefined, 98_304],
  ['Fireworks', 'The prompt is too long: 9000, model maximum context length: 8191', 9000, 8191],
  ['Groq', 'Please reduce the length of the messages or completion.', undefined, undefined],
];

describe.each(overflowErrors)('%s', (_, message, promptTokens, tokensMax) => {
  const body = { error: { type: 'invalid_request_error', message } };
  const from = { upstream: 'acme', redact: (text: string) => text };

  test('is recognised in a response with an error status', () => {
    expect(contextOverflow(400, JSON.stringify(body))).toEqual({ promptTokens, tokensMax });
    expect(refusal(from, 400, JSON.stringify(body))).toMatchObject({
      case: 'context-overflow',
      overflow: { promptTokens, tokensMax },
      cause: { status: 400, upstream: 'acme' },
    });
  });

  test('is recognised inside a stream of either format', () => {
    for (const error of [decodeErrorObject(body), decodeMessagesError({ type: 'error', ...body })]) {
      expect(attributed(error, 'acme', from.redact)).toMatchObject({
        case: 'context-overflow',
        overflow: { promptTokens, tokensMax },
      });
    }
  });
});

test('an overflow is recognised by its code alone, and its numbers are read from separate fields', () => {
  expect(contextOverflow(400, '{"error":{"code":"context_length_exceeded","message":"no"}}')).toEqual({
    promptTokens: undefined,
    tokensMax: undefined,
  });
  const server = { code: 400, message: 'the request exceeds the available context size, try increasing it' };
  const body = { error: { ...server, type: 'exceed_context_size_error', n_prompt_tokens: 5000, n_ctx: 4096 } };
  expect(contextOverflow(400, JSON.stringify(body))).toEqual({ promptTokens: 5000, tokensMax: 4096 });
});

test.each<[string, number, string]>([
  ['a rate limit', 413, 'Request too large for model x on tokens per minute (TPM): Limit 6000, Requested 7000.'],
  ['a rate limit with status 429', 429, 'prompt is too long: 7 tokens > 6 maximum'],
  [
    'a max_tokens that is too high',
    400,
    "max_tokens is too large: 5000. This model's maximum context length is 4096 tokens.",
  ],
  ['an invalid field', 400, 'temperature must be between 0 and 2'],
  ['an unknown model', 404, 'The model `x` does not exist.'],
  ['the size of a body', 413, 'Request exceeds the maximum size'],
])('%s is not a context overflow', (_, status, message) => {
  expect(contextOverflow(status, JSON.stringify({ error: { message } }))).toBeUndefined();
});

test('a prompt that is repeated in another refusal is ignored', () => {
  const body = { error: { message: 'bad role', input: 'prompt is too long: 5 tokens > 4 maximum' } };
  expect(contextOverflow(400, JSON.stringify(body))).toBeUndefined();
});
