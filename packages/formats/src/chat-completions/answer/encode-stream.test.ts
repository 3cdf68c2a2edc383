import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isDeep } from '../../../../../test/depth.ts';
import { z } from 'zod';
import type { FinishReason, StreamEvent } from '../../chat/stream-event.ts';
import { arbitraryAnswer, joined } from '../../../../../test/fixtures/dialects/arbitrary-answer.ts';
import { decodedBytes } from '../../../../../test/fixtures/dialects/decoded-bytes.ts';
import { usageOf } from '../../../../../test/fixtures/dialects/usage.ts';
import { sseReader } from '../../sse.ts';
import { utf8Reader } from '../../../../../src/serving/upstreams/answer/utf8.ts';
import { chatStreamDecoder } from './decode-stream.ts';
import { chatStreamEncoder } from './encode-stream.ts';

const encoding = { id: 'chatcmpl-1', created: 1_700_000_000, model: 'm', logprobs: false, usageSource: 'acme' };
const usage: StreamEvent = { type: 'usage', usage: usageOf(10, 5, { cachedTokens: 4, reasoningTokens: 2 }) };
const text = (text: string, choice = 0): StreamEvent => ({ type: 'text-delta', choice, text });
const finish = (reason: FinishReason, choice = 0, raw = 'their_word'): StreamEvent => ({
  type: 'finish',
  choice,
  reason,
  raw,
});

/** The data of all frames of a complete answer. */
function frames(events: readonly StreamEvent[], options: Partial<typeof encoding> = {}): readonly string[] {
  const encoder = chatStreamEncoder({ ...encoding, ...options });
  const all = encoder.encode(events) + encoder.done();
  return all
    .split('\n\n')
    .slice(0, -1)
    .map((frame) => frame.replace(/^data: /, ''));
}

const chunks = (events: readonly StreamEvent[], options: Partial<typeof encoding> = {}) =>
  frames(events, options)
    .slice(0, -1)
    .map((frame) => JSON.parse(frame));
const deltas = (events: readonly StreamEvent[]) =>
  chunks(events)
    .flatMap(({ choices }) => choices)
    .map(({ delta }) => delta);

test('an answer is encoded in the order and shape of the contract', () => {
  const head = {
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1_700_000_000,
    model: 'm',
    system_fingerprint: null,
  };
  const piece = (delta: object, finish_reason: string | null = null) => ({
    ...head,
    choices: [{ index: 0, delta, finish_reason, logprobs: null }],
    usage: null,
  });
  const events = [{ type: 'reasoning-delta', choice: 0, text: 'hm' } as const, text('Hi'), finish('stop'), usage];
  expect(chunks(events)).toEqual([
    piece({ role: 'assistant', content: '' }),
    piece({ reasoning_content: 'hm' }),
    piece({ content: 'Hi' }),
    piece({}, 'stop'),
    {
      ...head,
      choices: [],
      usage: expect.objectContaining({ prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }),
    },
  ]);
  expect(frames(events).at(-1)).toBe('[DONE]');
  expect(Object.keys(chunks(events)[0])).toEqual([...Object.keys(head), 'choices', 'usage']);
});

test('one batch gives one text, and a batch of finishes gives none', () => {
  const encoder = chatStreamEncoder(encoding);
  expect(encoder.encode([text('a'), text('b')]).match(/data: /g)).toHaveLength(3);
  expect(encoder.encode([])).toBe('');
  expect(encoder.encode([finish('stop'), usage])).toBe('');
  expect(encoder.done().match(/data: /g)).toHaveLength(3);
});

test('the finishes are followed directly by the usage', () => {
  const order = chunks([text('a'), finish('stop', 0), usage, text('b', 1), finish('length', 1), text('c')]);
  expect(
    order.map(({ choices, usage }) => (usage ? 'usage' : (choices[0].finish_reason ?? choices[0].delta.content))),
  ).toEqual(['', 'a', '', 'b', 'c', 'stop', 'length', 'usage']);
});

test('every choice begins with its role, even an empty one', () => {
  expect(
    chunks([text('a', 2), finish('stop', 2), finish('stop', 0), usage])
      .flatMap(({ choices }) => choices)
      .map(({ index, delta }) => [index, delta]),
  ).toEqual([
    [2, { role: 'assistant', content: '' }],
    [2, { content: 'a' }],
    [0, { role: 'assistant', content: '' }],
    [2, {}],
    [0, {}],
  ]);
});

test('a tool call has its id, type and name once and its arguments in pieces', () => {
  const events: StreamEvent[] = [
    { type: 'tool-call-start', choice: 0, call: 0, id: 'call_1', name: 'f' },
    { type: 'tool-call-delta', choice: 0, call: 0, arguments: '{"a":' },
    { type: 'tool-call-delta', choice: 0, call: 0, arguments: '1}' },
  ];
  expect(deltas([...events, finish('tool-calls'), usage]).slice(1)).toEqual([
    { tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: { name: 'f', arguments: '' } }] },
    { tool_calls: [{ index: 0, function: { arguments: '{"a":' } }] },
    { tool_calls: [{ index: 0, function: { arguments: '1}' } }] },
    {},
  ]);
});

describe('the finish reason', () => {
  const reasonOf = (...events: readonly StreamEvent[]) => chunks([...events, usage]).at(-2).choices[0].finish_reason;
  const call: StreamEvent = { type: 'tool-call-start', choice: 0, call: 0, id: 'a', name: 'f' };

  test.each<[FinishReason, string]>([
    ['stop', 'stop'],
    ['length', 'length'],
    ['tool-calls', 'stop'],
    ['content-filter', 'content_filter'],
    ['other', 'their_word'],
  ])('%s is encoded as %s', (reason, word) => {
    expect(reasonOf(finish(reason))).toBe(word);
  });

  test('is tool_calls if tools were called and the provider sent stop, but stays length for a truncated answer', () => {
    expect(reasonOf(call, finish('stop'))).toBe('tool_calls');
    expect(reasonOf(call, finish('tool-calls'))).toBe('tool_calls');
    expect(reasonOf(call, finish('length'))).toBe('length');
  });
});

describe('logprobs', () => {
  const own = { token: 'a', logprob: -0.5, bytes: [97] };
  const logprobs = [
    { ...own, alternatives: [own] },
    { ...own, alternatives: undefined },
  ];
  const records = [{ ...own, top_logprobs: [own] }, own];
  const events: StreamEvent[] = [
    { type: 'reasoning-delta', choice: 0, text: 'r', logprobs },
    { type: 'text-delta', choice: 0, text: 't', logprobs },
    text('none'),
    finish('stop'),
    usage,
  ];

  test('are included if requested', () => {
    expect(
      chunks(events, { logprobs: true })
        .flatMap(({ choices }) => choices)
        .map(({ logprobs }) => logprobs),
    ).toEqual([
      null,
      { content: [], reasoning_content: records },
      { content: records, reasoning_content: null },
      null,
      null,
    ]);
  });

  test('are null otherwise', () => {
    for (const { logprobs } of chunks(events).flatMap(({ choices }) => choices)) expect(logprobs).toBeNull();
  });
});

test('the encoder throws for an answer without usage or with an unfinished choice', () => {
  const encoder = (...events: readonly StreamEvent[]) => {
    const one = chatStreamEncoder(encoding);
    one.encode(events);
    return one;
  };
  expect(() => encoder(text('a'), finish('stop')).done()).toThrow('no usage');
  expect(() => encoder(text('a'), text('b', 1), finish('stop'), usage).done()).toThrow('Choice 1 has no finish');
});

/** All kinds of events in one answer. */
const everything = { choicesMax: 3, withCalls: true, withReasoning: true, withLogprobs: true };
const answer = arbitraryAnswer(everything).filter((events) => !JSON.stringify(joined(events)).includes('think>'));

const strictChunk = z.strictObject({
  id: z.literal('chatcmpl-1'),
  object: z.literal('chat.completion.chunk'),
  created: z.int(),
  model: z.literal('m'),
  system_fingerprint: z.null(),
  choices: z.array(
    z.strictObject({
      index: z.int().min(0),
      delta: z.strictObject({
        role: z.literal('assistant').optional(),
        content: z.string().optional(),
        reasoning_content: z.string().optional(),
        tool_calls: z
          .array(z.object({ index: z.int().min(0), function: z.object({ arguments: z.string() }) }))
          .length(1)
          .optional(),
      }),
      finish_reason: z.string().nullable(),
      logprobs: z
        .strictObject({ content: z.array(z.unknown()), reasoning_content: z.array(z.unknown()).nullable() })
        .nullable(),
    }),
  ),
  usage: z.record(z.string(), z.unknown()).nullable(),
});

test('arbitrary answers give valid frames that end with usage and [DONE]', () => {
  fc.assert(
    fc.property(answer, (events) => {
      const encoder = chatStreamEncoder({ ...encoding, logprobs: true });
      const bytes = Buffer.from(encoder.encode(events) + encoder.done());
      const data = sseReader({ bufferMax: 1e6 }).push(utf8Reader().push(bytes));
      expect(data.at(-1)).toBe('[DONE]');
      const all = data.slice(0, -1).map((one) => strictChunk.parse(JSON.parse(one)));
      expect(all.filter((chunk) => chunk.usage !== null)).toEqual([all.at(-1)]);
      expect(all.at(-1)?.choices).toEqual([]);
      const roles = all.flatMap((chunk) => chunk.choices).filter((choice) => choice.delta.role);
      expect(new Set(roles.map((choice) => choice.index)).size).toBe(roles.length);
    }),
    { numRuns: isDeep ? 150 : 30 },
  );
});

const decoder = () => chatStreamDecoder({ newId: () => 'made' });

test('an encoded answer decodes to the same answer, for every division into pieces', () => {
  fc.assert(
    fc.property(answer, fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1 }), (events, sizes) => {
      const encoder = chatStreamEncoder({ ...encoding, logprobs: true });
      const bytes = Buffer.from(encoder.encode(events) + encoder.done());
      expect(joined(decodedBytes(bytes, sizes, decoder()))).toEqual(joined(events));
      expect(joined(decodedBytes(bytes, [1], decoder()))).toEqual(joined(events));
    }),
    { numRuns: isDeep ? 150 : 30 },
  );
});
