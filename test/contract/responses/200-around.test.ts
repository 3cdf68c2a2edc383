import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectGatewayHeaders } from '../../expectations.ts';
import { answer, json as body } from '../../fakes/fake-provider.ts';
import { type ConfigChange, model, startTestGateway, type TestGateway } from '../../gateways/gateway.ts';
import { longTimerClock } from '../../long-timer-clock.ts';
import { rawExchange } from '../../raw-client.ts';
import { responseLife } from '../../response-life.ts';

let gateway: TestGateway;
beforeAll(async () => {
  const change: ConfigChange = (base) => ({
    ...base,
    models: [...(base['models'] as object[]), model('ailing', { fallbacks: [{ model: 'plain' }] })],
  });
  // The clock leaves the tokenizer time to load, so that all requests are counted in the same way.
  gateway = await startTestGateway(change, { clock: longTimerClock });
});
afterAll(() => gateway.stop());

const sentMessages = () => gateway.provider.calls.at(-1)!.body!['messages'];

test('input tokens are counted, previous responses included, without a provider call or a charge', async () => {
  const { json: first } = await gateway.post('/v1/responses', { model: 'plain', input: 'one two three four five' });
  const calls = gateway.provider.calls.length;
  const count = async (body: object) =>
    (await gateway.post('/v1/responses/input_tokens', { model: 'plain', ...body })).json;
  const alone = await count({ input: 'hello' });
  expect(alone).toEqual({ object: 'response.input_tokens', input_tokens: expect.any(Number) });
  const all = await count({ input: 'hello', previous_response_id: first.id });
  expect(all.input_tokens).toBeGreaterThan(alone.input_tokens + 5);
  expect(gateway.provider.calls).toHaveLength(calls);
  expect((await count({ model: 'nothing', input: 'x' })).error.code).toBe('access_denied');
});

test('a conversation is compacted and continued', async () => {
  gateway.provider.respond('plain', answer('They greeted each other'));
  const input = [
    { role: 'user', content: 'hello' },
    { role: 'assistant', content: 'a long, long answer' },
    { role: 'user', content: 'and then?' },
  ];
  const { json } = await gateway.post('/v1/responses/compact', { model: 'plain', input, tools: [] });
  expect(JSON.stringify(sentMessages())).toContain('Summarise this conversation');
  expect(json).toMatchObject({ object: 'response.compaction', usage: { input_tokens: 7, output_tokens: 4 } });
  expect(json.output.map(({ type, role }: any) => role ?? type)).toEqual(['user', 'user', 'compaction']);
  const [first, second] = json.output;
  const hello = [{ type: 'input_text', text: 'hello' }];
  expect(first).toEqual({ type: 'message', id: first.id, role: 'user', status: 'completed', content: hello });
  expect([first.id, second.id]).toEqual([expect.stringMatching(/^msg_\w+_i0$/), expect.stringMatching(/^msg_\w+_i2$/)]);
  expect(JSON.stringify(json)).not.toContain('They greeted');
  await gateway.post('/v1/responses', { model: 'plain', input: [...json.output, { role: 'user', content: 'go on' }] });
  expect(JSON.stringify(sentMessages())).toContain('They greeted each other');
  expect(JSON.stringify(sentMessages())).not.toContain('a long, long answer');
});

const long = [
  { role: 'user', content: 'hello' },
  { role: 'assistant', content: 'a long, long answer' },
];

test.each([true, false])(
  'a compaction_trigger as the last item compacts the conversation (stream: %s)',
  async (stream) => {
    gateway.provider.respond('plain', answer('They greeted each other'));
    const tools = [{ type: 'function', name: 'look', parameters: { type: 'object', properties: {} } }];
    const request = {
      model: 'plain',
      stream,
      tools,
      tool_choice: 'required',
      text: { format: { type: 'json_object' } },
    };
    const reply = await gateway.post('/v1/responses', { ...request, input: [...long, { type: 'compaction_trigger' }] });
    const sent = gateway.provider.calls.at(-1)!.body!;
    expect(JSON.stringify(sent['messages'])).toContain('Summarise this conversation');
    expect(sent).not.toHaveProperty('tools');
    expect(sent).not.toHaveProperty('response_format');
    const response = stream ? responseLife(reply.text).response : reply.json;
    expect(response).toMatchObject({
      object: 'response',
      status: 'completed',
      tools: [{ name: 'look' }],
      usage: { input_tokens: 7, output_tokens: 4 },
      output: [{ id: expect.stringMatching(/^cmp_/), type: 'compaction', encrypted_content: expect.any(String) }],
    });
    expect(reply.text).not.toContain('They greeted');
    if (stream) {
      expect(responseLife(reply.text).events.map(({ type }) => type)).toEqual([
        'response.created',
        'response.in_progress',
        'response.output_item.added',
        'response.output_item.done',
        'response.completed',
      ]);
      const again = await gateway.get(`/v1/responses/${response.id}?stream=true`);
      expect(again.text).toBe(reply.text);
    }
    expect((await gateway.get(`/v1/responses/${response.id}`)).json).toEqual(response);
    const nextMessage = { role: 'user', content: 'go on' };
    await gateway.post('/v1/responses', { model: 'plain', input: [...response.output, nextMessage] });
    expect(JSON.stringify(sentMessages())).toContain('They greeted each other');
    await gateway.post('/v1/responses', { model: 'plain', previous_response_id: response.id, input: [nextMessage] });
    expect(JSON.stringify(sentMessages())).toContain('They greeted each other');
    expect(JSON.stringify(sentMessages())).toContain('hello');
    expect(JSON.stringify(sentMessages())).not.toContain('a long, long answer');
  },
);

test('a compaction by a fallback is readable by the fallback and by the requested model', async () => {
  gateway.provider.respond('ailing', body(401, { error: { message: 'no' } }));
  gateway.provider.respond('plain', answer('They greeted each other'));
  const trigger = { type: 'compaction_trigger' };
  const nextMessage = { role: 'user', content: 'go on' };
  const { json: stored } = await gateway.post('/v1/responses', { model: 'ailing', input: [...long, trigger] });
  expect(stored).toMatchObject({ model: 'plain', output: [{ type: 'compaction' }] });
  const { json: compacted } = await gateway.post('/v1/responses/compact', { model: 'ailing', input: long });
  const turns = [
    { previous_response_id: stored.id, input: [nextMessage] },
    { input: [...stored.output, nextMessage] },
    { input: [...compacted.output, nextMessage] },
  ];
  const readBy = async (turn: object) => {
    const { json } = await gateway.post('/v1/responses', { model: 'ailing', ...turn });
    const sent = JSON.stringify(sentMessages());
    return [json.model, sent.includes('They greeted each other'), sent.includes('a long, long answer')];
  };
  for (const turn of turns) expect(await readBy(turn)).toEqual(['plain', true, false]);
  gateway.provider.respond('ailing', answer('well again'));
  for (const turn of turns) expect(await readBy(turn)).toEqual(['ailing', true, false]);
});

test('an empty summary or a misplaced compaction_trigger is an error', async () => {
  gateway.provider.respond('plain', answer(''));
  const empty = await gateway.post('/v1/responses', {
    model: 'plain',
    stream: true,
    input: [...long, { type: 'compaction_trigger' }],
  });
  expect(empty).toMatchObject({ status: 502, json: { error: { code: 'upstream_failed' } } });
  const misplaced = await gateway.post('/v1/responses', {
    model: 'plain',
    input: [{ type: 'compaction_trigger' }, ...long],
  });
  expect(misplaced.status).toBe(400);
  expect(misplaced.json.error.message).toContain('input[0]');
});

test('a request with client_version gets the model list of that agent in addition to the usual one', async () => {
  const { json } = await gateway.get('/v1/models?client_version=0.156.0');
  expect(json.object).toBe('list');
  expect(json.models.map(({ slug }: any) => slug)).toEqual(json.data.map(({ id }: any) => id));
  for (const entry of json.models) {
    for (const field of required) expect(entry).toHaveProperty(field);
    expect(entry.base_instructions.length).toBeGreaterThan(500);
  }
  const plain = json.models.find(({ slug }: any) => slug === 'plain');
  expect(plain).toMatchObject({ context_window: 100_000, supported_reasoning_levels: [], shell_type: 'unified_exec' });
  expect(json.models.find(({ slug }: any) => slug === 'thinker').default_reasoning_level).toBe('high');
  expect((await gateway.get('/v1/models')).json).not.toHaveProperty('models');
});

const required = [
  'slug',
  'display_name',
  'description',
  'supported_reasoning_levels',
  'shell_type',
  'visibility',
  'supported_in_api',
  'priority',
  'availability_nux',
  'upgrade',
  'support_verbosity',
  'default_verbosity',
  'apply_patch_tool_type',
  'truncation_policy',
  'experimental_supported_tools',
];

test('a WebSocket upgrade is rejected with 426', async () => {
  const head = [
    'GET /v1/responses HTTP/1.1',
    `host: 127.0.0.1:${gateway.port}`,
    'connection: Upgrade',
    'upgrade: websocket',
    'sec-websocket-version: 13',
    'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==',
    `authorization: Bearer ${gateway.key}`,
  ];
  const { raw: reply } = await rawExchange(gateway.port, `${head.join('\r\n')}\r\n\r\n`);
  expect(reply).toMatch(/^HTTP\/1\.1 426 /);
  expect(reply.toLowerCase()).toMatch(/\r\nconnection: close\r\n/);
  expect(reply).toContain('upgrade_refused');
  const plain = await gateway.get('/v1/responses');
  expect(plain.status).toBe(405);
  expectGatewayHeaders(plain);
});
