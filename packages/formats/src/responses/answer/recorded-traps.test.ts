import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { responseLife } from '../../../../../test/response-life.ts';
import type { StreamEvent } from '../../chat/stream-event.ts';
import { decodedStream } from '../../../../../test/fixtures/dialects/decoded-bytes.ts';
import { usageOf } from '../../../../../test/fixtures/dialects/usage.ts';
import { completeAnswer } from '../../complete-answer.ts';
import { responsesStreamDecoder } from './response-decoder.ts';
import { ResponseStream } from '../encode-stream.ts';

/** Streams of servers on which strict clients are known to fail. Each omits or mixes up something. */
const message = { id: 'msg_1', type: 'message', role: 'assistant', status: 'completed' };
const said = [{ type: 'output_text', text: 'Hi ü', annotations: [], logprobs: [] }];
const call = { id: 'fc_1', type: 'function_call', call_id: 'call_1', name: 'f', status: 'completed' };
const usage = { input_tokens: 3, output_tokens: 2, total_tokens: 5 };
const created = { type: 'response.created', response: { id: 'resp_x', status: 'in_progress', output: [] } };
const completed = (output: readonly object[], more: object = { usage }) => ({
  type: 'response.completed',
  response: { id: 'resp_x', status: 'completed', output, ...more },
});
const text = (delta: string, more: object = {}) => ({
  type: 'response.output_text.delta',
  output_index: 0,
  item_id: 'msg_1',
  content_index: 0,
  delta,
  ...more,
});
const reasoning = (delta: string, more: object = {}) => ({
  type: 'response.reasoning_text.delta',
  output_index: 0,
  item_id: 'rs_1',
  content_index: 0,
  delta,
  ...more,
});

const recorded: Readonly<Record<string, readonly object[]>> = {
  'no sequence numbers, no parts, and the message done before the reasoning': [
    created,
    { type: 'response.output_item.added', output_index: 0, item: { id: 'rs_1', type: 'reasoning' } },
    { type: 'response.reasoning_summary_text.delta', output_index: 0, item_id: 'rs_1', summary_index: 0, delta: 'Hm' },
    { type: 'response.output_item.added', output_index: 1, item: { ...message, status: 'in_progress', content: [] } },
    text('Hi ', { output_index: 1 }),
    text('ü', { output_index: 1 }),
    { type: 'response.output_item.done', output_index: 1, item: { ...message, content: said } },
    { type: 'response.output_item.done', output_index: 0, item: { id: 'rs_1', type: 'reasoning' } },
    completed([{ ...message, content: said }]),
  ],
  'reasoning without a part, and a reasoning item without a summary': [
    created,
    { type: 'response.output_item.added', output_index: 0, item: { id: 'rs_1', type: 'reasoning', summary: null } },
    reasoning('Hm'),
    {
      type: 'response.output_item.done',
      output_index: 0,
      item: { id: 'rs_1', type: 'reasoning', content: [{ type: 'reasoning_text', text: 'Hm' }] },
    },
    text('Hi ü', { output_index: 1 }),
    completed([]),
  ],
  'other ids in every event': [
    created,
    {
      type: 'response.output_item.added',
      output_index: 0,
      item: { ...message, id: 'msg_a', status: 'in_progress', content: [] },
    },
    {
      type: 'response.content_part.added',
      output_index: 0,
      item_id: 'msg_b',
      content_index: 0,
      part: { type: 'output_text', text: '' },
    },
    text('Hi ü', { item_id: 'msg_c' }),
    { type: 'response.output_text.done', output_index: 0, item_id: 'msg_d', content_index: 0, text: 'Hi ü' },
    { type: 'response.content_part.done', output_index: 0, item_id: 'msg_e', content_index: 0, part: said[0] },
    { type: 'response.output_item.done', output_index: 0, item: { ...message, id: 'msg_f', content: said } },
    completed([{ ...message, id: 'msg_g', content: said }]),
  ],
  'the same value for the item id and the call id, and no usage': [
    created,
    {
      type: 'response.output_item.added',
      output_index: 0,
      item: { ...call, id: 'call_1', status: 'in_progress', arguments: '' },
    },
    { type: 'response.function_call_arguments.delta', output_index: 0, item_id: 'call_1', delta: '{"a":' },
    { type: 'response.function_call_arguments.delta', output_index: 0, item_id: 'call_1', delta: '1}' },
    { type: 'response.output_item.done', output_index: 0, item: { ...call, id: 'call_1', arguments: '{"a":1}' } },
    completed([], { usage: null }),
  ],
  'usage details without their counts': [
    created,
    text('Hi ü'),
    completed([], { usage: { ...usage, input_tokens_details: {}, output_tokens_details: {} } }),
  ],
  'items only in the last event': [
    created,
    completed([
      { ...message, content: said },
      { ...call, arguments: '{}' },
    ]),
  ],
  'no opening events, and keep-alive events in between': [
    { type: 'keepalive' },
    text('Hi '),
    { type: 'keepalive' },
    text('ü'),
    completed([]),
  ],
};

const counted: StreamEvent = { type: 'usage', usage: usageOf(3, 2) };
const encoding = {
  id: '1a',
  created: 1,
  model: 'm',
  body: { model: 'm', stream: true },
  now: () => 2,
  logprobs: false,
};
const sizes = [1, 2, 3, 5, 7, 11, 13, 17, 64, 1_000_000];

describe.each(Object.entries(recorded))('%s', (_manner, events) => {
  const frames = events.map(
    (event) => `event: ${(event as { type: string }).type}\ndata: ${JSON.stringify(event)}\n\n`,
  );
  const bytes = Buffer.from(frames.join(''));
  const received = (isVerbatim: boolean, size: number): string => {
    const stream = new ResponseStream(encoding);
    const decoder = responsesStreamDecoder({ newId: () => 'n', isVerbatim });
    const said = stream.encode([...decodedStream(bytes, [size], decoder), counted]);
    return said + stream.close() + stream.done();
  };

  test.each([true, false])(
    'is readable by strict clients, however its bytes are split (passed on: %s)',
    (isVerbatim) => {
      const whole = received(isVerbatim, bytes.length);
      const { response } = responseLife(whole);
      const essence = JSON.stringify(response.output);
      expect(essence).toMatch(/Hi ü|\{\\"a\\":1\}/);
      for (const size of sizes)
        expect(responseLife(received(isVerbatim, size)).response.output).toEqual(response.output);
      expect(received(isVerbatim, 1)).toBe(whole);
    },
  );
});

describe('a server that sends no indexes and identifies items only by id', () => {
  const bytes = readFileSync(
    new URL('../../../../../test/fixtures/dialects/responses/llama-cpp-two-tools.sse', import.meta.url),
  );
  const received = (isVerbatim: boolean, size: number) =>
    decodedStream(bytes, [size], responsesStreamDecoder({ newId: () => 'n', isVerbatim }));

  test.each([true, false])('gets the arguments of parallel calls separated (passed on: %s)', (isVerbatim) => {
    for (const size of sizes) {
      const events = received(isVerbatim, size);
      const stream = new ResponseStream(encoding);
      const said = stream.encode(events) + stream.close() + stream.done();
      expect(responseLife(said).response.output).toMatchObject([
        { type: 'function_call', call_id: 'call_a1IP7Cfe1FXMMP9QvGw36bHGn08glUlf', arguments: '{"city": "Oslo"}' },
        { type: 'function_call', call_id: 'call_CF522ApHaOLd7OcRL1WJBIyxbAttaYmu', arguments: '{"city": "Bergen"}' },
      ]);
      expect(completeAnswer(events).choices[0]?.content).toMatchObject([
        { type: 'tool-call', name: 'get_weather', arguments: '{"city": "Oslo"}' },
        { type: 'tool-call', name: 'get_weather', arguments: '{"city": "Bergen"}' },
      ]);
    }
  });

  test.each([true, false])('may interleave the deltas of its calls (passed on: %s)', (isVerbatim) => {
    const piece = (item_id: string, delta: string) => ({
      type: 'response.function_call_arguments.delta',
      item_id,
      delta,
    });
    const begun = (n: number) => ({
      ...call,
      id: `fc_${n}`,
      call_id: `call_${n}`,
      arguments: '',
      status: 'in_progress',
    });
    const sent = [
      created,
      { type: 'response.output_item.added', item: begun(1) },
      piece('fc_1', '{"a":'),
      { type: 'response.output_item.added', item: begun(2) },
      piece('fc_2', '{"b":'),
      piece('fc_1', '1}'),
      piece('fc_2', '2}'),
      { type: 'response.output_item.done', item: { ...begun(2), status: 'completed', arguments: '{"b":2}' } },
      { type: 'response.output_item.done', item: { ...begun(1), status: 'completed', arguments: '{"a":1}' } },
      completed([]),
    ];
    const frames = Buffer.from(sent.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''));
    for (const size of sizes) {
      const decoder = responsesStreamDecoder({ newId: () => 'n', isVerbatim });
      const stream = new ResponseStream(encoding);
      const said = stream.encode(decodedStream(frames, [size], decoder)) + stream.close() + stream.done();
      expect(responseLife(said).response.output).toMatchObject([
        { call_id: 'call_1', arguments: '{"a":1}' },
        { call_id: 'call_2', arguments: '{"b":2}' },
      ]);
    }
  });

  test('may end items that it never added', () => {
    const sent = [1, 2].map((n) => ({
      type: 'response.output_item.done',
      item: { ...call, id: `fc_${n}`, call_id: `call_${n}`, arguments: `{"a":${n}}` },
    }));
    const frames = Buffer.from([...sent, completed([])].map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''));
    const decoder = responsesStreamDecoder({ newId: () => 'n', isVerbatim: false });
    expect(completeAnswer(decodedStream(frames, [7], decoder)).choices[0]?.content).toMatchObject([
      { id: 'call_1', arguments: '{"a":1}' },
      { id: 'call_2', arguments: '{"a":2}' },
    ]);
  });
});
