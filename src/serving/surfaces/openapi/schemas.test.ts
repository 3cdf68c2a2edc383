import { expect, test } from 'vitest';
import type { StreamEvent } from 'chat-formats/chat/stream-event.ts';
import { chatStreamEncoder } from 'chat-formats/chat-completions/answer/encode-stream.ts';
import { completionStreamEncoder } from 'chat-formats/completions/encode-stream.ts';
import { chatChunkSchema, completionChunkSchema, errorSchema, modelSchema, usageSchema } from './schemas.ts';

const usage = {
  promptTokens: 9,
  completionTokens: 5,
  cachedTokens: 4,
  cacheWrite5mTokens: undefined,
  cacheWrite1hTokens: 1,
  reasoningTokens: 2,
  promptAudioTokens: undefined,
  promptImageTokens: undefined,
  completionAudioTokens: undefined,
  source: 'upstream',
} as const;
const about = { id: 'a', created: 1781000000, model: 'm', logprobs: true, usageSource: 'acme' };
const events: StreamEvent[] = [
  { type: 'reasoning-delta', choice: 0, text: 'a' },
  { type: 'text-delta', choice: 1, text: 'a' },
  { type: 'tool-call-start', choice: 0, call: 0, id: 'c', name: 'f' },
  { type: 'tool-call-delta', choice: 0, call: 0, arguments: '{}' },
  { type: 'finish', choice: 0, reason: 'tool-calls', raw: 'tool_calls' },
  { type: 'finish', choice: 1, reason: 'other', raw: 'eos' },
  { type: 'usage', usage },
];
const [chat = [], completion = []] = [chatStreamEncoder(about), completionStreamEncoder(about)].map((encoder) =>
  chunksOf(encoder.encode(events) + encoder.done()),
);
const usageChunk = chat.at(-1);

test('all events of a model are encoded as chunks of these schemas', () => {
  expect(chat).toHaveLength(9);
  expect(completion).toHaveLength(4);
  expect(chat.flatMap((chunk) => chatChunkSchema.safeParse(chunk).error ?? [])).toEqual([]);
  expect(completion.flatMap((chunk) => completionChunkSchema.safeParse(chunk).error ?? [])).toEqual([]);
});

test.for([
  ['a fingerprint', { ...chat[0], system_fingerprint: 'fp' }],
  ['no usage field', { ...chat[0], usage: undefined }],
  ['another object name', { ...chat[0], object: 'text_completion' }],
  ['choices beside usage', { ...usageChunk, choices: chat[0]?.['choices'] }],
  ['neither choices nor usage', { ...chat[0], choices: [] }],
])('a chunk with %s is invalid', ([, chunk]) => {
  expect(chatChunkSchema.safeParse(chunk).success).toBe(false);
});

test.for([
  ['a total that is not the sum', { total_tokens: 1 }],
  ['an input alias that differs', { input_tokens: 1 }],
  ['an output alias other than 0', { output_tokens: 9 }],
  ['no details', { prompt_tokens_details: undefined }],
  ['an unknown detail', { completion_tokens_details: { text_tokens: 1, audio_tokens: 0, reasoning_tokens: 0, x: 0 } }],
  ['a negative count', { upstream_cache_creation_5_m_tokens: -1 }],
  ['a cost that is a number', { cost: 0.5 }],
])('usage with %s is invalid', ([, change]) => {
  const right = Object(usageChunk?.usage);
  expect(usageSchema.safeParse(right).error).toBeUndefined();
  expect(usageSchema.safeParse({ ...right, ...Object(change) }).success).toBe(false);
});

const model = {
  id: 'acme-large',
  object: 'model',
  created: 1626777600,
  owned_by: 'acme',
  supported_endpoint_types: ['openai'],
};

test.for([
  ['another created', { created: 1700000000 }],
  ['no surface', { supported_endpoint_types: [] }],
  ['an unknown field', { context_window: 1 }],
])('a model with %s is invalid', ([, change]) => {
  expect(modelSchema.safeParse(model).error).toBeUndefined();
  expect(modelSchema.safeParse({ ...model, ...Object(change) }).success).toBe(false);
});

const error = { code: 'upstream_rejected', message: 'No. (request id: r1)', type: 'upstream_error', param: '' };

test.for([
  ['no request id', { message: 'No.' }],
  ['a null code', { code: null }],
  ['another type', { type: 'invalid_request_error' }],
  ['a param that is not empty', { param: 'stop' }],
  ['a param on an error of the gateway', { type: 'gateway_error' }],
])('an error with %s is invalid', ([, change]) => {
  expect(errorSchema.safeParse({ error }).error).toBeUndefined();
  expect(errorSchema.safeParse({ error: { ...error, ...Object(change) } }).success).toBe(false);
});

function chunksOf(stream: string): Record<string, unknown>[] {
  const data = [...stream.matchAll(/^data: (\{.*)$/gm)].map(([, text]) => text ?? '');
  return data.map((text) => JSON.parse(text) as Record<string, unknown>);
}
