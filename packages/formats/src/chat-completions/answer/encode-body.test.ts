import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { StreamEvent } from '../../chat/stream-event.ts';
import { arbitraryAnswer, joined } from '../../../../../test/fixtures/dialects/arbitrary-answer.ts';
import { usageOf } from '../../../../../test/fixtures/dialects/usage.ts';
import { decodeChatBody } from './decode-stream.ts';
import { encodeErrorFrame } from './encode-stream.ts';
import { encodeChatBody } from './encode-body.ts';

const encoding = { id: 'chatcmpl-1', created: 1, model: 'm', logprobs: true, usageSource: 'acme' };
const usage: StreamEvent = { type: 'usage', usage: usageOf(3, 2) };
const stop = (choice: number): StreamEvent => ({ type: 'finish', choice, reason: 'stop', raw: 'stop' });

test('an answer is encoded as one chat.completion object', () => {
  const events: StreamEvent[] = [
    { type: 'text-delta', choice: 1, text: 'B' },
    { type: 'reasoning-delta', choice: 0, text: 'h' },
    { type: 'reasoning-delta', choice: 0, text: 'm' },
    { type: 'text-delta', choice: 0, text: 'A' },
    stop(1),
    stop(0),
    usage,
  ];
  expect(encodeChatBody(events, encoding)).toEqual({
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    system_fingerprint: null,
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: 'A', reasoning_content: 'hm' },
        finish_reason: 'stop',
        logprobs: null,
      },
      { index: 1, message: { role: 'assistant', content: 'B' }, finish_reason: 'stop', logprobs: null },
    ],
    usage: expect.objectContaining({ prompt_tokens: 3, completion_tokens: 2, usage_source: 'acme' }),
  });
});

test('a message that only calls tools has null content', () => {
  const events: StreamEvent[] = [
    { type: 'tool-call-start', choice: 0, call: 0, id: 'a', name: 'f' },
    { type: 'tool-call-delta', choice: 0, call: 0, arguments: '{"x"' },
    { type: 'tool-call-delta', choice: 0, call: 0, arguments: ':1}' },
    stop(0),
    usage,
  ];
  expect(encodeChatBody(events, encoding).choices).toEqual([
    {
      index: 0,
      message: {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{"x":1}' } }],
      },
      finish_reason: 'tool_calls',
      logprobs: null,
    },
  ]);
});

test('logprobs are included only if requested', () => {
  const own = { token: 'a', logprob: -1, bytes: null };
  const events: StreamEvent[] = [
    { type: 'text-delta', choice: 0, text: 'a', logprobs: [{ ...own, alternatives: [] }] },
    stop(0),
    usage,
  ];
  expect(encodeChatBody(events, encoding).choices[0]?.logprobs).toEqual({
    content: [{ ...own, top_logprobs: [] }],
    reasoning_content: null,
  });
  expect(encodeChatBody(events, { ...encoding, logprobs: false }).choices[0]?.logprobs).toBeNull();
});

test('the encoder throws for an answer without usage or with an unfinished choice', () => {
  expect(() => encodeChatBody([stop(0)], encoding)).toThrow('no usage');
  expect(() => encodeChatBody([{ type: 'text-delta', choice: 0, text: 'a' }, usage], encoding)).toThrow('no finish');
});

test('an encoded body decodes to the same answer, except for the order of its parts', () => {
  const kind = { choicesMax: 2, withCalls: true, withReasoning: true, withLogprobs: false };
  const answer = arbitraryAnswer(kind).filter((events) => !JSON.stringify(joined(events)).includes('think>'));
  fc.assert(
    fc.property(answer, (events) => {
      const whole = encodeChatBody(events, encoding);
      const again = encodeChatBody(decodeChatBody(JSON.stringify(whole), { newId: () => 'made' }), encoding);
      expect(again).toEqual(whole);
    }),
    { numRuns: 150 },
  );
});

test.each([['not json'], ['[]'], ['null'], ['{}'], ['{"choices":[]}'], ['{"error":"boom"}'], ['<html>']])(
  'the decoder rejects %s',
  (body) => {
    expect(() => decodeChatBody(body, { newId: () => 'made' })).toThrow(
      expect.objectContaining({ case: 'upstream-failed' }),
    );
  },
);

test('a complete body without a finish is decoded as a finished answer', () => {
  const body = JSON.stringify({ choices: [{ message: { content: 'a' } }] });
  expect(decodeChatBody(body, { newId: () => 'made' })).toEqual([
    { type: 'text-delta', choice: 0, text: 'a' },
    stop(0),
  ]);
});

test('an error frame holds only code, message and type', () => {
  const error = { status: 502, code: 'upstream_failed', message: 'x\n\ny', type: 'upstream_error', param: '' };
  expect(encodeErrorFrame(error)).toBe(
    'data: {"error":{"code":"upstream_failed","message":"x\\n\\ny","type":"upstream_error"}}\n\n',
  );
});
