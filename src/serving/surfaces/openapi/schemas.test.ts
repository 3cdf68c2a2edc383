import { expect, test } from 'vitest';
import type { StreamEvent } from 'chat-formats/chat/stream-event.ts';
import { chatStreamEncoder } from 'chat-formats/chat-completions/answer/encode-stream.ts';
import { completionStreamEncoder } from 'chat-formats/completions/encode-stream.ts';
import { chatStreamExample, completionStreamExample, modelListExample } from './examples.ts';
import { chatChunkSchema, completionChunkSchema, errorSchema, modelListSchema, usageSchema } from './schemas.ts';

const [roleChunk, textChunk, , finishChunk, usageChunk] = chunksOf(chatStreamExample);
const choice = { index: 0, delta: { content: 'a' }, finish_reason: null, logprobs: null };
const withChoice = (change: object) => ({ ...textChunk, choices: [{ ...choice, ...change }] });
const withDelta = (delta: object) => withChoice({ delta });
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
const record = { token: 'a', logprob: -0.1, bytes: [97] };

test.for([
  ['the role', roleChunk],
  ['text', textChunk],
  ['the finish reason', finishChunk],
  ['usage', usageChunk],
  ['reasoning', withDelta({ reasoning_content: 'hm' })],
  ['an unknown finish reason', withChoice({ delta: {}, finish_reason: 'eos' })],
  ['several choices', { ...textChunk, choices: [choice, { ...choice, index: 1 }] }],
  ['logprobs', withChoice({ logprobs: { content: [{ ...record, top_logprobs: [record] }], reasoning_content: null } })],
  ['a token without bytes', withChoice({ logprobs: { content: [{ ...record, bytes: null }] } })],
  [
    'the beginning of a tool call',
    withDelta({ tool_calls: [{ index: 0, id: 'c1', type: 'function', function: { name: 'f', arguments: '' } }] }),
  ],
  ['more of a tool call', withDelta({ tool_calls: [{ index: 0, function: { arguments: '{"a":' } }] })],
])('a chunk with %s is valid', ([, chunk]) => {
  expect(chatChunkSchema.safeParse(chunk).error).toBeUndefined();
});

test.for([
  ['an unknown field', { ...textChunk, extra: 1 }],
  ['a fingerprint', { ...textChunk, system_fingerprint: 'fp' }],
  ['no usage field', { ...textChunk, usage: undefined }],
  ['another object name', { ...textChunk, object: 'text_completion' }],
  ['created in fractions', { ...textChunk, created: 1.5 }],
  ['choices beside usage', { ...usageChunk, choices: [choice] }],
  ['neither choices nor usage', { ...textChunk, choices: [] }],
  ['another role', withDelta({ role: 'user' })],
  ['text beside the finish reason', withChoice({ finish_reason: 'stop' })],
  ['no logprobs field', withChoice({ logprobs: undefined })],
  ['an unknown field in the delta', withDelta({ refusal: null })],
  ['a tool call without an id', withDelta({ tool_calls: [{ index: 0, function: { name: 'f', arguments: '' } }] })],
  ['a tool call without an index', withDelta({ tool_calls: [{ function: { arguments: '' } }] })],
  ['a logprob record without bytes', withChoice({ logprobs: { content: [{ token: 'a', logprob: 0 }] } })],
])('a chunk with %s is invalid', ([, chunk]) => {
  expect(chatChunkSchema.safeParse(chunk).success).toBe(false);
});

test('the chunks of a completion have text instead of a delta', () => {
  for (const chunk of chunksOf(completionStreamExample))
    expect(completionChunkSchema.safeParse(chunk).error).toBeUndefined();
  expect(completionChunkSchema.safeParse(textChunk).success).toBe(false);
});

test('all events of a model are encoded as chunks of these schemas', () => {
  const about = { id: 'a', created: 1781000000, model: 'm', logprobs: true, usageSource: 'acme' };
  const logprobs = [
    { token: 'a', logprob: -0.1, bytes: [97], alternatives: [{ token: 'b', logprob: -9999, bytes: null }] },
  ];
  const events: StreamEvent[] = [
    { type: 'reasoning-delta', choice: 0, text: 'a', logprobs },
    { type: 'text-delta', choice: 0, text: 'a', logprobs },
    { type: 'text-delta', choice: 1, text: 'a' },
    { type: 'tool-call-start', choice: 0, call: 0, id: 'c', name: 'f' },
    { type: 'tool-call-delta', choice: 0, call: 0, arguments: '{}' },
    { type: 'finish', choice: 0, reason: 'tool-calls', raw: 'tool_calls' },
    { type: 'finish', choice: 1, reason: 'other', raw: 'eos' },
    { type: 'usage', usage },
  ];
  const [chat, completion] = [chatStreamEncoder(about), completionStreamEncoder(about)].map((encoder) =>
    chunksOf(encoder.encode(events) + encoder.done()),
  );
  expect(chat).toHaveLength(10);
  expect(completion).toHaveLength(5);
  expect(chat?.flatMap((chunk) => chatChunkSchema.safeParse(chunk).error ?? [])).toEqual([]);
  expect(completion?.flatMap((chunk) => completionChunkSchema.safeParse(chunk).error ?? [])).toEqual([]);
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

test.for([
  ['another created', { created: 1700000000 }],
  ['no surface', { supported_endpoint_types: [] }],
  ['an unknown field', { context_window: 1 }],
])('a model with %s is invalid', ([, change]) => {
  const [model] = modelListExample.data;
  expect(modelListSchema.safeParse(modelListExample).error).toBeUndefined();
  expect(modelListSchema.safeParse({ ...modelListExample, data: [{ ...model, ...Object(change) }] }).success).toBe(
    false,
  );
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
