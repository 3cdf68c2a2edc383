import { describe, expect, test } from 'vitest';
import { responseLife } from '../../../test/response-life.ts';
import type { StreamEvent } from '../../core/stream-event.ts';
import { decodedStream } from '../fixtures/decoded-bytes.ts';
import { usageOf } from '../fixtures/usage.ts';
import { responsesStreamDecoder } from './decode-stream.ts';
import { ResponseStream } from './encode-stream.ts';

/** Streams in the manner of servers that strict clients are known to fail over: what each of them leaves out or mixes up. */
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
const thought = (delta: string, more: object = {}) => ({
  type: 'response.reasoning_text.delta',
  output_index: 0,
  item_id: 'rs_1',
  content_index: 0,
  delta,
  ...more,
});

const recorded: Readonly<Record<string, readonly object[]>> = {
  'no numbers, no parts, everything ended at the end and the message before the thoughts': [
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
  'thoughts without a part, and an item of them without a summary': [
    created,
    { type: 'response.output_item.added', output_index: 0, item: { id: 'rs_1', type: 'reasoning', summary: null } },
    thought('Hm'),
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
  'one value for the id of an item and of its call, and nothing used': [
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
  'details of usage without their counts': [
    created,
    text('Hi ü'),
    completed([], { usage: { ...usage, input_tokens_details: {}, output_tokens_details: {} } }),
  ],
  'items in the last event alone': [
    created,
    completed([
      { ...message, content: said },
      { ...call, arguments: '{}' },
    ]),
  ],
  'no word of its beginning, and signs of life between': [
    { type: 'keepalive' },
    text('Hi '),
    { type: 'keepalive' },
    text('ü'),
    completed([]),
  ],
};

const counted: StreamEvent = { type: 'usage', usage: usageOf(3, 2) };
const sizes = [1, 2, 3, 5, 7, 11, 13, 17, 64, 1_000_000];

describe.each(Object.entries(recorded))('%s', (_manner, events) => {
  const frames = events.map(
    (event) => `event: ${(event as { type: string }).type}\ndata: ${JSON.stringify(event)}\n\n`,
  );
  const bytes = Buffer.from(frames.join(''));
  const heard = (isVerbatim: boolean, size: number): string => {
    const stream = new ResponseStream({
      id: '1a',
      created: 1,
      model: 'm',
      body: { model: 'm', stream: true },
      now: () => 2,
      logprobs: false,
    });
    const decoder = responsesStreamDecoder({ newId: () => 'n', isVerbatim });
    const said = stream.encode([...decodedStream(bytes, [size], decoder), counted]);
    return said + stream.close() + stream.done();
  };

  test.each([true, false])('is read by strict clients, however its bytes are split (passed on: %s)', (isVerbatim) => {
    const whole = heard(isVerbatim, bytes.length);
    const { response } = responseLife(whole);
    const essence = JSON.stringify(response.output);
    expect(essence).toMatch(/Hi ü|\{\\"a\\":1\}/);
    for (const size of sizes) expect(responseLife(heard(isVerbatim, size)).response.output).toEqual(response.output);
    expect(heard(isVerbatim, 1)).toBe(whole);
  });
});
