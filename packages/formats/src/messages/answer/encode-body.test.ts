import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isDeep } from '../../../../../test/depth.ts';
import { messageLife } from '../../../../../test/message-life.ts';
import type { StreamEvent } from '../../chat/stream-event.ts';
import { arbitraryEvents, arbitraryMessage } from '../../../../../test/fixtures/dialects/arbitrary-message.ts';
import { usageOf } from '../../../../../test/fixtures/dialects/usage.ts';
import { completeAnswer } from '../../complete-answer.ts';
import { decodeMessagesBody } from './message-decoder.ts';
import { MessagesStreamEncoder } from './encode-stream.ts';
import { encodeMessageBody } from './encode-body.ts';

const encoding = { id: 'msg_1', model: 'm', promptTokens: undefined };
const encode = (events: readonly StreamEvent[]) => JSON.parse(encodeMessageBody(events, encoding)) as Message;
const usage: StreamEvent = { type: 'usage', usage: usageOf(10, 2, { cachedTokens: 4 }) };
const stop: StreamEvent = { type: 'finish', choice: 0, reason: 'stop', raw: 'stop' };
const begin = (call: number): StreamEvent => ({ type: 'tool-call-start', choice: 0, call, id: `c${call}`, name: 'f' });
const args = (call: number, json: string): StreamEvent => ({
  type: 'tool-call-delta',
  choice: 0,
  call,
  arguments: json,
});

interface Message {
  readonly content: readonly { readonly type: string; readonly input?: unknown }[];
  readonly stop_reason: string;
}

test('an answer is encoded as one message, with blocks in the order in which they began', () => {
  const events: StreamEvent[] = [
    { type: 'usage-so-far', usage: usageOf(10, 0) },
    { type: 'reasoning-delta', choice: 0, text: 'h' },
    { type: 'reasoning-delta', choice: 0, text: 'm' },
    { type: 'reasoning-signature', choice: 0, signature: 'sig' },
    { type: 'redacted-reasoning', choice: 0, data: 'x==' },
    { type: 'text-delta', choice: 0, text: 'a' },
    { type: 'text-delta', choice: 1, text: 'another answer' },
    begin(0),
    begin(1),
    args(1, '{}'),
    args(0, '{"x":'),
    { type: 'text-delta', choice: 0, text: 'b' },
    args(0, '1}'),
    { type: 'anomaly', what: 'x' },
    { ...stop, choice: 1 },
    stop,
    usage,
  ];
  expect(encode(events)).toEqual({
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [
      { type: 'thinking', thinking: 'hm', signature: 'sig' },
      { type: 'redacted_thinking', data: 'x==' },
      { type: 'text', text: 'a' },
      { type: 'tool_use', id: 'c0', name: 'f', input: { x: 1 } },
      { type: 'tool_use', id: 'c1', name: 'f', input: {} },
      { type: 'text', text: 'b' },
    ],
    stop_reason: 'tool_use',
    stop_sequence: null,
    usage: expect.objectContaining({ input_tokens: 6, cache_read_input_tokens: 4, output_tokens: 2 }),
  });
});

test('the encoder writes the stop sequence that ended an answer', () => {
  expect(encode([{ ...stop, stopSequence: '.' }, usage])).toMatchObject({
    content: [],
    stop_reason: 'stop_sequence',
    stop_sequence: '.',
  });
});

test.each([
  ['', {}],
  [' ', {}],
  ['{"a":{"b":[]}}', { a: { b: [] } }],
  ['{"a":', { INVALID_JSON: '{"a":' }],
  ['[1]', { INVALID_JSON: '[1]' }],
  ['null', { INVALID_JSON: 'null' }],
  ['"text"', { INVALID_JSON: '"text"' }],
])('the arguments %s become an object and keep their text', (json, input) => {
  expect(encode([begin(0), args(0, json), stop, usage]).content).toMatchObject([{ type: 'tool_use', input }]);
});

test('a body that came in this format is passed on', () => {
  const text = '{ "content": [] , "new_field": 1 }';
  expect(encodeMessageBody([{ type: 'verbatim', text }, stop, usage], encoding)).toBe(text);
});

test('the encoder throws for an answer without usage or without a finish', () => {
  expect(() => encode([stop])).toThrow('no usage');
  expect(() => encode([usage])).toThrow('no finish');
});

test('an encoded message decodes to the same answer', () => {
  fc.assert(
    fc.property(arbitraryMessage, (events) => {
      const again = decodeMessagesBody(encodeMessageBody(events, encoding), {
        newId: () => 'made',
        isVerbatim: false,
      });
      expect(completeAnswer(again).choices[0]?.content).toEqual(completeAnswer(events).choices[0]?.content);
      expect(encodeMessageBody(again, encoding)).toBe(encodeMessageBody(events, encoding));
    }),
    { numRuns: isDeep ? 200 : 50 },
  );
});

test('a complete body and a stream give the same message', () => {
  fc.assert(
    fc.property(arbitraryEvents, (events) => {
      const encoder = new MessagesStreamEncoder(encoding);
      const { message } = messageLife(encoder.encode(events) + encoder.done());
      const whole = encode(events);
      const kinds = (content: readonly { readonly type?: unknown }[]) => content.map(({ type }) => type);
      expect(kinds(message.content)).toEqual(kinds(whole.content));
      expect({ ...message, content: [] }).toEqual({ ...whole, content: [] });
      const unlikeTools = ({ type }: { readonly type?: unknown }) => type !== 'tool_use';
      expect(message.content.filter(unlikeTools)).toEqual(whole.content.filter(unlikeTools));
    }),
    { numRuns: isDeep ? 150 : 50 },
  );
});
