import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { json, sse } from '../fakes/fake-provider.ts';
import { joined, model, patientTimeouts, startTestGateway, type TestGateway } from '../gateways/gateway.ts';
import { messageLife } from '../message-life.ts';
import { responseLife } from '../response-life.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway((base, provider) => {
    const upstream = { api_key: 'sk-upstream-canary', timeouts: patientTimeouts };
    return {
      ...base,
      upstreams: [
        { ...upstream, name: 'messages', kind: 'anthropic', base_url: provider.url.replace('/v1', '') },
        { ...upstream, name: 'responses', kind: 'openai', base_url: provider.url, quirks: { responses: 'only' } },
      ],
      models: [
        model('messages', { routes: [{ upstream: 'messages' }], thinking: true }),
        model('responses', { routes: [{ upstream: 'responses' }], thinking: true }),
      ],
    };
  });
});
afterAll(() => gateway.stop());

type Wire = 'messages' | 'responses';
const wires: readonly Wire[] = ['messages', 'responses'];
const usage = { input_tokens: 3, output_tokens: 2 };

const frame = (type: string, fields: object) => ({
  raw: `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`,
});
const message = (content: readonly object[], stop_reason: string | null) => ({
  id: 'msg_theirs',
  type: 'message',
  role: 'assistant',
  model: 'm',
  content,
  stop_reason,
  stop_sequence: null,
  usage,
});
const response = (text: string, status: string) => ({
  id: 'resp_theirs',
  status,
  model: 'm',
  output: [
    {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text, annotations: [], logprobs: [] }],
    },
  ],
  usage,
});

/** A stream of the provider with a text in these pieces. */
const streams: Readonly<Record<Wire, (pieces: readonly string[]) => readonly { raw: string }[]>> = {
  messages: (pieces) => [
    frame('message_start', { message: message([], null) }),
    frame('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
    ...pieces.map((text) => frame('content_block_delta', { index: 0, delta: { type: 'text_delta', text } })),
    frame('content_block_stop', { index: 0 }),
    frame('message_delta', { delta: { stop_reason: 'end_turn', stop_sequence: null }, usage }),
    frame('message_stop', {}),
  ],
  responses: (pieces) => [
    frame('response.created', { response: { ...response('', 'in_progress'), output: [] } }),
    frame('response.output_item.added', { output_index: 0, item: { id: 'msg_1', type: 'message', content: [] } }),
    ...pieces.map((delta) =>
      frame('response.output_text.delta', { output_index: 0, item_id: 'msg_1', content_index: 0, delta }),
    ),
    frame('response.completed', { response: response(pieces.join(''), 'completed') }),
  ],
};
const bodies = {
  messages: (text: string) => message([{ type: 'text', text }], 'end_turn'),
  responses: (text: string) => response(text, 'completed'),
};

const user = [{ role: 'user', content: 'hello' }];
const onMessages = (wire: Wire, more: object) =>
  gateway.post(
    '/anthropic/v1/messages',
    { model: wire, max_tokens: 100, messages: user, ...more },
    { 'x-api-key': gateway.key },
  );
const onResponses = (wire: Wire, more: object) => gateway.post('/v1/responses', { model: wire, input: user, ...more });
const messageBlocks = [
  { type: 'thinking', thinking: 'Hm.' },
  { type: 'text', text: 'Hi there' },
];
const responseItems = [{ type: 'reasoning' }, { type: 'message', content: [{ text: 'Hi there' }] }];

describe.each(wires)('reasoning in the text of a provider of the %s format', (wire) => {
  const splits = [
    ['<think>Hm.</think>Hi there'],
    ['<th', 'ink>', 'H', 'm.</', 'think>', '\n\nHi', ' there'],
    ['\n<think>\nHm.\n</think>\n\nHi there'],
  ];

  test.each(splits.map((pieces) => [pieces]))('is separated on every surface: %j', async (pieces) => {
    gateway.provider.respond(wire, sse([...streams[wire](pieces)]));
    const chat = await gateway.chat({ model: wire, messages: user });
    expect(joined(chat, 'reasoning_content').trim()).toBe('Hm.');
    expect(joined(chat, 'content').trim()).toBe('Hi there');
    const native = messageLife((await onMessages(wire, { stream: true })).text).message.content;
    expect(native.map(({ type }) => type)).toEqual(['thinking', 'text']);
    expect(String(native[1]?.['text']).trim()).toBe('Hi there');
    const items = responseLife((await onResponses(wire, { stream: true })).text).response['output'];
    expect(items).toMatchObject([{ type: 'reasoning' }, { type: 'message' }]);
    expect(JSON.stringify(items)).not.toContain('think>');
  });

  test('is separated in answers without streaming', async () => {
    gateway.provider.respond(wire, json(200, bodies[wire]('<think>Hm.</think>Hi there')));
    expect((await onMessages(wire, {})).json.content).toMatchObject(messageBlocks);
    expect((await onResponses(wire, {})).json.output).toMatchObject(responseItems);
  });

  test('is dropped if the client disabled thinking', async () => {
    gateway.provider.respond(wire, sse([...streams[wire](['<think>Hm.', '</think>', 'Hi there'])]));
    const reply = await onMessages(wire, { stream: true, thinking: { type: 'disabled' } });
    expect(messageLife(reply.text).message.content).toMatchObject([{ type: 'text', text: 'Hi there' }]);
  });
});

test('an answer that only mentions the tags is passed on unchanged', async () => {
  const stream = streams.messages(['Write ', '<think>', ' before </think>.']);
  gateway.provider.respond('messages', sse([...stream]));
  const reply = await onMessages('messages', { stream: true });
  const sent = stream.map(({ raw }) => raw).join('');
  expect(reply.text).toBe(sent.replace('"model":"m"', '"model":"messages"'));
});
