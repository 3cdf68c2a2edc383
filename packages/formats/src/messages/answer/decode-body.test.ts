import { expect, test } from 'vitest';
import { usageOf } from '../../../../../test/fixtures/dialects/usage.ts';
import { decodeMessagesBody } from './message-decoder.ts';

const decode = (body: unknown, isVerbatim = false) =>
  decodeMessagesBody(typeof body === 'string' ? body : JSON.stringify(body), { newId: () => 'made', isVerbatim });

const message = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  content: [
    { type: 'thinking', thinking: 'hm', signature: 'sig' },
    { type: 'redacted_thinking', data: 'x==' },
    { type: 'text', text: 'a', citations: null },
    { type: 'tool_use', id: 't', name: 'f', input: { a: 1 } },
    { type: 'tool_use', id: 'u', name: 'g', input: {} },
  ],
  stop_reason: 'tool_use',
  stop_sequence: null,
  usage: { input_tokens: 3, output_tokens: 4 },
};

const events = [
  { type: 'reasoning-delta', choice: 0, text: 'hm' },
  { type: 'reasoning-signature', choice: 0, signature: 'sig' },
  { type: 'redacted-reasoning', choice: 0, data: 'x==' },
  { type: 'text-delta', choice: 0, text: 'a' },
  { type: 'tool-call-start', choice: 0, call: 0, id: 't', name: 'f' },
  { type: 'tool-call-delta', choice: 0, call: 0, arguments: '{"a":1}' },
  { type: 'tool-call-start', choice: 0, call: 1, id: 'u', name: 'g' },
  { type: 'tool-call-delta', choice: 0, call: 1, arguments: '{}' },
  { type: 'finish', choice: 0, reason: 'tool-calls', raw: 'tool_use' },
  { type: 'usage', usage: usageOf(3, 4) },
];

test('a complete message decodes to the same events as a stream', () => {
  expect(decode(message)).toEqual(events);
});

test('a client of the same format gets the unchanged text first', () => {
  const text = JSON.stringify(message, null, 2);
  expect(decode(text, true)).toEqual([{ type: 'verbatim', text }, ...events]);
});

test('an empty message without usage is complete', () => {
  expect(decode({ content: [], stop_reason: 'stop_sequence', stop_sequence: '.' })).toEqual([
    { type: 'finish', choice: 0, reason: 'stop', raw: 'stop_sequence', stopSequence: '.' },
  ]);
});

test('blocks and citations that other formats lack are recorded unless they are passed on', () => {
  const content = [
    { type: 'text', text: 'a', citations: [{ type: 'char_location' }] },
    { type: 'server_tool_use', id: 's', name: 'web_search', input: {} },
    null,
  ];
  const whole = { content, stop_reason: 'end_turn' };
  expect(decode(whole).filter(({ type }) => type === 'anomaly')).toHaveLength(3);
  expect(decode(whole, true).filter(({ type }) => type === 'anomaly')).toEqual([]);
});

test.each([['not json'], ['[]'], ['null'], ['{}'], ['{"content":"a"}'], ['{"error":"boom"}'], ['<html>']])(
  '%s is not a message',
  (body) => {
    expect(() => decode(body)).toThrow(expect.objectContaining({ case: 'upstream-failed' }));
  },
);

test('an error instead of a message is thrown', () => {
  const error = { type: 'error', error: { type: 'invalid_request_error', message: 'no' } };
  expect(() => decode(error)).toThrow(
    expect.objectContaining({ case: 'upstream-rejected', code: 'invalid_request_error' }),
  );
});
