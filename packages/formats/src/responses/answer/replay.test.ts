import fc from 'fast-check';
import { expect, test } from 'vitest';
import { eventsIn, responseLife } from '../../../../../test/response-life.ts';
import type { StreamEvent } from '../../chat/stream-event.ts';
import { arbitraryEvents, arbitraryMessage } from '../../../../../test/fixtures/dialects/arbitrary-message.ts';
import { ResponseStream } from '../encode-stream.ts';
import { replayedEvents } from './replay.ts';

const stream = (body: object) =>
  new ResponseStream({
    id: '20261115t',
    created: 1000,
    model: 'model-1',
    body: { model: 'm', input: 'x', stream: true, ...body },
    now: () => 1001,
    logprobs: true,
  });

/** The frames that a client receives, with a keep-alive event before some of the events. */
function send(response: ResponseStream, events: readonly StreamEvent[], pauses: readonly boolean[]): string {
  const frames = events.map((event, at) => (pauses[at] ? response.keepAlive(at === 0) : '') + response.encode([event]));
  return frames.join('') + response.close() + response.done();
}

test('a replay has exactly the frames that were sent, including keep-alive events', () => {
  const body = { tools: [{ type: 'custom', name: 'x' }] };
  fc.assert(
    fc.property(fc.oneof(arbitraryEvents, arbitraryMessage), fc.array(fc.boolean()), (events, pauses) => {
      const response = stream(body);
      const frames = send(response, events, pauses);
      expect(replayedEvents(response.stored, response.score)).toBe(frames);
    }),
    { numRuns: 150 },
  );
});

test('a replay of passed-on events has the same numbers, whatever their order', () => {
  const types = [
    'output_item.added',
    'content_part.added',
    'output_text.delta',
    'output_text.done',
    'content_part.done',
  ];
  const event = fc.record({
    type: fc.constantFrom(...types, 'output_item.done', 'web_search_call.searching', 'function_call_arguments.delta'),
    at: fc.nat({ max: 2 }),
    delta: fc.constantFrom('a', 'bc', ''),
  });
  const item = { id: 'msg_1', type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'abc' }] };
  fc.assert(
    fc.property(fc.array(event, { maxLength: 12 }), (events) => {
      const response = stream({});
      const wire = events.map(({ type, at, delta }) => ({
        type: `response.${type}`,
        sequence_number: 7,
        output_index: at,
        content_index: 0,
        ...(type.startsWith('output_item') ? { item } : { delta, part: { type: 'output_text', text: '' } }),
      }));
      const end = { type: 'response.completed', response: { status: 'completed', output: [item] } };
      const text = [...wire, end].map((each) => `data: ${JSON.stringify(each)}\n\n`).join('');
      const frames = response.encode([{ type: 'verbatim', text }]) + response.close() + response.done();
      const numbers = (all: string) => [...all.matchAll(/"sequence_number":(\d+)/g)].map(([, number]) => number);
      expect(numbers(replayedEvents(response.stored, response.score))).toEqual(numbers(frames));
    }),
    { numRuns: 200 },
  );
});

test('a replay of the events after an unknown part has all their fields', () => {
  const at = (content_index: number) => ({ item_id: 'msg_1', output_index: 0, content_index });
  const known = { type: 'output_text', text: 'Hi', annotations: [], logprobs: [] };
  const unknownPart = { type: 'gadget', deep: true };
  const item = { id: 'msg_1', type: 'message', role: 'assistant', status: 'completed', content: [unknownPart, known] };
  const events = [
    { type: 'response.output_item.added', output_index: 0, item: { ...item, status: 'in_progress', content: [] } },
    { type: 'response.content_part.added', ...at(0), part: unknownPart },
    { type: 'response.content_part.done', ...at(0), part: unknownPart },
    { type: 'response.content_part.added', ...at(1), part: { ...known, text: '' }, obfuscation: 'a' },
    { type: 'response.output_text.delta', ...at(1), delta: 'Hi', logprobs: [], obfuscation: 'b' },
    { type: 'response.output_text.done', ...at(1), text: 'Hi', logprobs: [], obfuscation: 'c' },
    { type: 'response.content_part.done', ...at(1), part: known, obfuscation: 'd' },
    { type: 'response.output_item.done', output_index: 0, item },
    { type: 'response.completed', response: { status: 'completed', output: [item] } },
  ];
  const response = stream({});
  const frames = passOn(response, events);
  const received = eventsIn(frames).slice(2);
  expect(received.slice(0, -1)).toMatchObject(events.slice(0, -1));
  expect(eventsIn(replayedEvents(response.stored, response.score)).slice(2)).toEqual(received);
});

test('a large item of an unknown type does not move the items after it', () => {
  const image = { id: 'ig_1', type: 'image_generation_call', status: 'completed', result: 'x'.repeat(70_000) };
  const content = [{ type: 'output_text', text: 'Hi', annotations: [], logprobs: [] }];
  const item = { id: 'msg_1', type: 'message', role: 'assistant', status: 'completed', content };
  const response = stream({});
  const frames = passOn(response, [
    { type: 'response.output_item.done', output_index: 0, item: image },
    { type: 'response.output_item.done', output_index: 1, item },
    { type: 'response.completed', response: { status: 'completed', output: [image, item] } },
  ]);
  const again = eventsIn(replayedEvents(response.stored, response.score)).slice(2);
  expect(again.filter(({ type }) => type !== 'keepalive')).toEqual(
    eventsIn(frames)
      .slice(2)
      .filter(({ type, output_index: index }) => type !== 'response.output_item.done' || index !== 0),
  );
});

function passOn(response: ResponseStream, events: readonly object[]): string {
  const text = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
  return response.encode([{ type: 'verbatim', text }]) + response.close() + response.done();
}

test('an event beyond the stored limit is replayed as a keep-alive event with its number', () => {
  const response = stream({});
  const unknownEvent = (at: number) => ({
    type: 'response.unheard_of',
    sequence_number: at,
    gadget: 'x'.repeat(40_000),
  });
  const end = { type: 'response.completed', response: { status: 'completed', output: [] } };
  const text = [unknownEvent(0), unknownEvent(1), end].map((each) => `data: ${JSON.stringify(each)}\n\n`).join('');
  response.encode([{ type: 'verbatim', text }]);
  response.close();
  const again = replayedEvents(response.stored, response.score);
  const events = again.match(/^event: (.*)$/gm);
  expect(events?.slice(2)).toEqual(['event: response.unheard_of', 'event: keepalive', 'event: response.completed']);
});

test('a response that is not stored or not streamed has no event log', () => {
  expect(stream({ store: false }).score).toBeUndefined();
  expect(stream({ stream: false }).score).toBeUndefined();
});

test('a response that was not streamed is replayed in order', () => {
  const response = stream({ stream: false });
  send(
    response,
    [
      { type: 'text-delta', choice: 0, text: 'Hi' },
      { type: 'finish', choice: 0, reason: 'stop', raw: 'stop' },
    ],
    [],
  );
  expect(() => responseLife(replayedEvents({ ...response.stored, usage: usage() }))).not.toThrow();
});

function usage() {
  const details = { input_tokens_details: { cached_tokens: 0 }, output_tokens_details: { reasoning_tokens: 0 } };
  return { input_tokens: 1, output_tokens: 1, total_tokens: 2, ...details };
}
