import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isDeep } from '../../../../../test/depth.ts';
import { eventsIn, responseLife } from '../../../../../test/response-life.ts';
import type { StreamEvent } from '../../chat/stream-event.ts';
import { arbitraryMessage } from '../../../../../test/fixtures/dialects/arbitrary-message.ts';
import { usageOf } from '../../../../../test/fixtures/dialects/usage.ts';
import type { WireObject } from '../../wire-value.ts';
import { ResponseStream } from '../encode-stream.ts';
import { replayedEvents } from '../answer/replay.ts';

const encoding = { id: '2b', created: 1, model: 'ours', now: () => 2, logprobs: false };
const body = { model: 'm', stream: true, tools: [{ type: 'function', name: 'f' }] };
const usage: StreamEvent = { type: 'usage', usage: usageOf(3, 2) };

type Event = WireObject & { readonly type: string };

/** Passes on the events of a provider and returns the frames that the client receives. */
function passed(events: readonly WireObject[]) {
  const { frames, stream } = framesFor(events.map((event) => JSON.stringify(event)));
  return { frames, stream, ...responseLife(frames) };
}

/** Like `passed`, for events that the strictest client does not accept. */
function framesFor(events: readonly string[]) {
  const stream = new ResponseStream({ ...encoding, body });
  const text = events.map((data) => `data: ${data}\n\n`).join('');
  const frames = stream.encode([{ type: 'verbatim', text }, usage]) + stream.close() + stream.done();
  return { frames, stream };
}

/** The events of an answer as a provider sends them that keeps to the format. */
function provided(events: readonly StreamEvent[]): readonly Event[] {
  const stream = new ResponseStream({ ...encoding, id: '1a', model: 'theirs', body });
  return eventsIn(stream.encode(events) + stream.close() + stream.done()) as readonly Event[];
}

const end = (output: readonly object[] = [], more: object = {}): Event => ({
  type: 'response.completed',
  response: { id: 'resp_x', status: 'completed', output, ...more },
});
const message = (text: string, id = 'msg_a') => ({
  id,
  type: 'message',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text, annotations: [], logprobs: [] }],
});
const call = (id: string, json: string, callId = `call_${id}`) => ({
  id,
  type: 'function_call',
  status: 'completed',
  call_id: callId,
  name: 'f',
  arguments: json,
});
const added = (output_index: number, item: object): Event => ({
  type: 'response.output_item.added',
  output_index,
  item,
});
const done = (output_index: number, item: object): Event => ({ type: 'response.output_item.done', output_index, item });
const said = (delta: string, more: object = {}): Event => ({
  type: 'response.output_text.delta',
  output_index: 0,
  content_index: 0,
  item_id: 'msg_a',
  delta,
  ...more,
});
const argued = (output_index: number, delta: string, item_id = 'x'): Event => ({
  type: 'response.function_call_arguments.delta',
  output_index,
  item_id,
  delta,
});
const reasoningItem = { id: 'rs_a', type: 'reasoning', summary: [] };
const reasoned = (delta: string, output_index = 0): Event => ({
  type: 'response.reasoning_summary_text.delta',
  output_index,
  summary_index: 0,
  item_id: 'rs_a',
  delta,
});
const contentPart = (step: string, part: object, more: object = {}): Event => ({
  type: `response.content_part.${step}`,
  output_index: 0,
  content_index: 0,
  item_id: 'msg_a',
  part,
  ...more,
});
const search = { id: 'ws_a', type: 'web_search_call', status: 'completed', action: { type: 'search', query: 'q' } };
const begun = (item: WireObject) => ({
  ...item,
  status: 'in_progress',
  ...(item['type'] === 'message' ? { content: [] } : { arguments: '' }),
});

describe('events in the wrong order or form are corrected', () => {
  test.each<[string, readonly Event[], readonly object[]]>([
    [
      'deltas without an item or a part',
      [said('Hi'), said(' you'), end()],
      [{ id: 'msg_a', content: [{ text: 'Hi you' }] }],
    ],
    [
      'deltas without an index or an id',
      [{ type: 'response.output_text.delta', delta: 'Hi' }, end()],
      [{ content: [{ text: 'Hi' }] }],
    ],
    [
      'an item without its done event',
      [added(0, begun(message(''))), said('Hi'), end([message('Hi')])],
      [{ content: [{ text: 'Hi' }] }],
    ],
    [
      'an item only in the last event',
      [end([message('Hi'), call('fc_a', '{}')])],
      [{ content: [{ text: 'Hi' }] }, { arguments: '{}' }],
    ],
    ['an item that was never added', [done(0, message('Hi')), end()], [{ content: [{ text: 'Hi' }] }]],
    [
      'an item added with its complete content',
      [added(0, message('Hi')), done(0, message('Hi')), end()],
      [{ content: [{ text: 'Hi' }] }],
    ],
    [
      'a done event with more text than the deltas',
      [added(0, begun(message(''))), said('Hi'), done(0, message('Hi you')), end()],
      [{ content: [{ text: 'Hi you' }] }],
    ],
    [
      'ids that change',
      [
        added(0, begun(message('', 'msg_one'))),
        said('Hi', { item_id: 'msg_two' }),
        done(0, message('Hi', 'msg_three')),
        end([message('Hi', 'msg_four')]),
      ],
      [{ id: 'msg_one' }],
    ],
    [
      'indexes with gaps',
      [
        added(3, begun(message(''))),
        said('Hi', { output_index: 3 }),
        done(3, message('Hi')),
        added(7, begun(call('fc_a', ''))),
        argued(7, '{}'),
        done(7, call('fc_a', '{}')),
        end(),
      ],
      [{ id: 'msg_a' }, { id: 'fc_a' }],
    ],
    [
      'one index for everything',
      [
        added(0, reasoningItem),
        reasoned('Hm'),
        added(0, begun(message(''))),
        said('Hi'),
        done(0, message('Hi')),
        done(0, { ...reasoningItem, encrypted_content: 'x' }),
        end(),
      ],
      [{ id: 'rs_a', encrypted_content: 'x', summary: [{ text: 'Hm' }] }, { id: 'msg_a' }],
    ],
    [
      'a message that begins while reasoning is open',
      [added(0, reasoningItem), reasoned('Hm'), said('Hi', { output_index: 1 }), end()],
      [{ type: 'reasoning' }, { type: 'message' }],
    ],
    [
      'interleaved calls',
      [
        added(0, begun(call('fc_a', ''))),
        added(1, begun(call('fc_b', ''))),
        argued(1, '{"b":'),
        argued(0, '{"a":1}'),
        argued(1, '2}'),
        done(0, call('fc_a', '{"a":1}')),
        done(1, call('fc_b', '{"b":2}')),
        end(),
      ],
      [
        { id: 'fc_a', arguments: '{"a":1}' },
        { id: 'fc_b', arguments: '{"b":2}' },
      ],
    ],
    [
      'a call without its done event, and another call after it',
      [
        added(0, begun(call('fc_a', ''))),
        argued(0, '{"a":'),
        added(1, begun(call('fc_b', ''))),
        argued(1, '{}'),
        end(),
      ],
      [{ arguments: '{"a":' }, { arguments: '{}' }],
    ],
    [
      'two calls with the same id',
      [done(0, call('fc_same', '{}', 'call_1')), done(1, call('fc_same', '{}', 'call_1')), end()],
      [{ call_id: 'call_1' }, { call_id: 'call_2b_1', id: 'fc_2b_1' }],
    ],
    [
      'reasoning with the event names of another variant',
      [added(0, reasoningItem), { ...reasoned('Hm'), type: 'response.reasoning.delta', content_index: 0 }, end()],
      [{ type: 'reasoning', content: [{ type: 'reasoning_text', text: 'Hm' }] }],
    ],
    [
      'an item added twice',
      [added(0, begun(message(''))), added(0, begun(message(''))), said('Hi'), end()],
      [{ content: [{ text: 'Hi' }] }],
    ],
    [
      'parts without a type',
      [
        added(0, begun(message(''))),
        contentPart('added', { text: '' }),
        said('Hi'),
        contentPart('done', { text: 'Hi' }),
        done(0, { ...message(''), content: [{ text: 'Hi' }, { text: ' you' }] }),
        end(),
      ],
      [
        {
          content: [
            { type: 'output_text', text: 'Hi' },
            { type: 'output_text', text: ' you' },
          ],
        },
      ],
    ],
    [
      'a part of reasoning without a type',
      [
        added(0, reasoningItem),
        contentPart('added', { text: '' }),
        { ...reasoned('Hm'), type: 'response.reasoning_text.delta', content_index: 0 },
        contentPart('done', { text: 'Hm' }),
        end(),
      ],
      [{ type: 'reasoning', content: [{ type: 'reasoning_text', text: 'Hm' }] }],
    ],
    [
      'an item of an unknown type that was never added',
      [added(0, begun(message(''))), said('Hi'), done(0, message('Hi')), done(1, search), end()],
      [{ id: 'msg_a' }, search],
    ],
    ['an item of an unknown type only in the last event', [end([search, message('Hi')])], [search, { id: 'msg_a' }]],
    [
      'items without required fields',
      [
        added(0, { type: 'message', id: 'msg_a' }),
        said('Hi'),
        done(0, { type: 'message', id: 'msg_a', content: [{ type: 'output_text', text: 'Hi' }] }),
        end(),
      ],
      [{ role: 'assistant', status: 'completed', content: [{ annotations: [] }] }],
    ],
  ])('%s', (_what, events, output) => {
    const { response, frames, stream } = passed(events);
    expect(response.output).toMatchObject(output);
    expect(response.output).toHaveLength(output.length);
    expect(response).toMatchObject({ id: 'resp_2b', model: 'ours', usage: { total_tokens: 5 } });
    const again = replayedEvents(stream.stored, stream.score);
    const outline = ({ type, sequence_number, item_id, delta }: WireObject) => [type, sequence_number, item_id, delta];
    expect(eventsIn(again).map(outline)).toEqual(eventsIn(frames).map(outline));
    expect(eventsIn(again).at(-1)).toEqual(eventsIn(frames).at(-1));
  });

  test('the SSE event name is the type of an event without a type', () => {
    const stream = new ResponseStream({ ...encoding, body });
    const text = [said('Hi'), end()]
      .map(({ type, ...rest }) => `event: ${type}\ndata: ${JSON.stringify(rest)}\n\n`)
      .join('');
    const frames = stream.encode([{ type: 'verbatim', text }, usage]) + stream.close() + stream.done();
    expect(responseLife(frames).response.output).toMatchObject([{ content: [{ text: 'Hi' }] }]);
  });

  test('missing counts are added to the usage, and additional fields stay, except the provider’s cost', () => {
    const counts = {
      input_tokens: 9,
      output_tokens: 4,
      input_tokens_details: { theirs: 1 },
      total_tokens: 13,
      theirs: 2,
    };
    const usage = { ...counts, cost: 2, cost_details: {} };
    const { response } = passed([said('Hi'), end([], { usage, temperature: null })]);
    expect(response.usage).not.toHaveProperty('cost');
    expect(response.usage).not.toHaveProperty('cost_details');
    expect(response).toMatchObject({
      usage: {
        ...counts,
        input_tokens_details: { theirs: 1, cached_tokens: 0, cache_write_tokens: 0 },
        output_tokens_details: { reasoning_tokens: 0 },
      },
      temperature: 1,
    });
  });

  test('events that the gateway adds have the logprobs of the deltas', () => {
    const records = [{ token: 'Hi', logprob: -1, bytes: [72, 105], top_logprobs: [] }];
    const { response, events } = passed([added(0, begun(message(''))), said('Hi', { logprobs: records }), end()]);
    expect(events.find(({ type }) => type === 'response.output_text.done')).toMatchObject({ logprobs: records });
    expect(response.output).toMatchObject([{ content: [{ text: 'Hi', logprobs: records }] }]);
  });

  test('the size of events held for another item is limited', () => {
    const long = argued(1, 'x'.repeat(1024 * 1024));
    const events = [
      added(0, begun(call('fc_a', ''))),
      argued(0, '{'),
      added(1, begun(call('fc_b', ''))),
      long,
      long,
      long,
      long,
    ];
    expect(() => passed(events)).toThrow(expect.objectContaining({ case: 'upstream-failed' }));
  });
});

test('events in the correct order pass with the same bytes, including unknown ones', () => {
  fc.assert(
    fc.property(arbitraryMessage, fc.nat(), (events, at) => {
      const theirs = provided(events).map((event) => ({ obfuscation: 'x', ...event }));
      theirs.splice(2 + (at % (theirs.length - 2)), 0, { ...unknownEvent, obfuscation: 'x' });
      // No writer of the gateway uses these spaces.
      const sent = theirs.map((event) => JSON.stringify(event, null, 1).replaceAll('\n', ' '));
      const { frames } = framesFor(sent);
      const received = frames.split('\n').filter((line) => line.startsWith('data: {'));
      expect(received.map(comparableData)).toEqual(sent.map((data) => comparableData(`data: ${data}`)));
    }),
    { numRuns: isDeep ? 200 : 40 },
  );
});

const unknownEvent = { type: 'response.unheard_of', sequence_number: 0, gadget: { deep: true } };

/** The number and the response of an event are the gateway's. */
function comparableData(data: string): string {
  return data.replace(/"sequence_number": ?\d+/, '').replace(/"response":.*/s, '');
}

test.each(['content_part', 'reasoning_summary_part', 'output_text', 'function_call_arguments'])(
  'an unknown step of %s passes unchanged and ends nothing',
  (name) => {
    const part = { type: 'output_text', text: 'H', annotations: [], logprobs: [] };
    const updated = { ...contentPart('updated', part), type: `response.${name}.updated`, sequence_number: 4 };
    const events = [added(0, begun(message(''))), contentPart('added', { ...part, text: '' }), said('H'), updated];
    const all = [...events, said('i'), done(0, message('Hi')), end()];
    const { frames, stream } = framesFor(all.map((event) => JSON.stringify(event)));
    const received = eventsIn(frames).slice(1);
    expect(received.map(({ type }) => String(type).replace('response.', ''))).toEqual([
      'in_progress',
      'output_item.added',
      'content_part.added',
      'output_text.delta',
      `${name}.updated`,
      'output_text.delta',
      'output_text.done',
      'content_part.done',
      'output_item.done',
      'completed',
    ]);
    expect(received[4]).toEqual({ ...updated, sequence_number: received[4]?.['sequence_number'] });
    expect(eventsIn(replayedEvents(stream.stored, stream.score)).slice(2)).toEqual(received.slice(1));
  },
);

test('strict clients can read an answer with missing, repeated, swapped or wrongly numbered events', () => {
  const change = fc.record({
    at: fc.nat(),
    how: fc.constantFrom('drop', 'twice', 'swap', 'zero', 'rename', 'unplace'),
  });
  fc.assert(
    fc.property(arbitraryMessage, fc.array(change, { minLength: 1, maxLength: 6 }), (events, changes) => {
      const theirs: Event[] = provided(events).slice(0, -1);
      for (const { at, how } of changes) corrupt(theirs, at % Math.max(1, theirs.length), how);
      expect(() => passed([...theirs, end()])).not.toThrow();
    }),
    { numRuns: isDeep ? 200 : 40 },
  );
});

function corrupt(events: Event[], at: number, how: string): void {
  const event = events[at];
  if (!event) return;
  const { output_index: _index, item_id: _id, content_index: _part, ...unplaced } = event;
  if (how === 'drop') events.splice(at, 1);
  else if (how === 'twice') events.splice(at, 0, event);
  else if (how === 'swap') events.splice(at, 2, ...events.slice(at, at + 2).toReversed());
  else if (how === 'zero') events.splice(at, 1, { ...event, output_index: 0 });
  else if (how === 'rename') events.splice(at, 1, { ...event, item_id: 'msg_other' });
  else events.splice(at, 1, unplaced);
}
