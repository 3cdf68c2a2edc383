import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chunk, endings, finish, gate, sse, usage } from '../../fakes/fake-provider.ts';
import { model, patientTimeouts, startTestGateway, type TestGateway } from '../../gateways/gateway.ts';
import { responseLife } from '../../response-life.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway((base, provider) => ({
    ...base,
    upstreams: [
      ...(base['upstreams'] as object[]),
      { name: 'narrow', kind: 'openai', base_url: provider.url, max_concurrency: 1, timeouts: patientTimeouts },
    ],
    models: [...(base['models'] as object[]), model('narrow', { routes: [{ upstream: 'narrow' }] })],
    waiting: { hold_headers: '50ms', keep_alive_every: '20ms' },
    accounts: [
      { name: 'tester', package: 'standard', credit: '100.00' },
      { name: 'poor', package: 'standard', credit: '0.000000001' },
      { name: 'limited', package: 'standard', credit: '10', limits: [{ amount: '0.000000001', period: 'total' }] },
    ],
  }));
});
afterAll(() => gateway.stop());

const send = (more: object, headers: Record<string, string> = {}) =>
  gateway.post('/v1/responses', { model: 'plain', input: 'hello', ...more }, headers);
const streamed = async (more: object) => responseLife((await send({ stream: true, ...more })).text);

describe('an answer', () => {
  test('streams from created to completed, with the id of its request', async () => {
    const reply = await send({ stream: true, model: 'plain-latest' });
    expect(reply.headers.get('content-type')).toContain('text/event-stream');
    const { response } = responseLife(reply.text);
    expect(response).toMatchObject({
      id: `resp_${reply.headers.get('x-gateway-request-id')}`,
      status: 'completed',
      model: 'plain',
      output: [{ type: 'message', content: [{ text: 'Hello there, friend' }] }],
    });
  });

  test('is one body without stream', async () => {
    const reply = await send({});
    expect(reply.headers.get('content-type')).toContain('application/json');
    expect(reply.json).toMatchObject({
      object: 'response',
      status: 'completed',
      usage: { output_tokens: expect.any(Number) },
    });
    expect(reply.json.output[0].content[0].text).toBe('Hello there, friend');
  });

  test('calls a tool of a namespace by both of its names', async () => {
    const call = {
      index: 0,
      id: 'call_1',
      type: 'function',
      function: { name: 'mcp__fs__read', arguments: '{"p":1}' },
    };
    gateway.provider.respond(
      'other',
      sse([chunk({ role: 'assistant', tool_calls: [call] }), finish('tool_calls'), usage(3, 1), '[DONE]']),
    );
    const tools = [
      {
        type: 'namespace',
        name: 'mcp__fs',
        description: 'Files',
        tools: [{ type: 'function', name: 'read', parameters: {} }],
      },
      { type: 'web_search', external_web_access: false },
    ];
    const { response } = await streamed({ model: 'other', tools, tool_choice: 'auto', store: false });
    expect(response.output).toMatchObject([
      { type: 'function_call', call_id: 'call_1', namespace: 'mcp__fs', name: 'read', arguments: '{"p":1}' },
    ]);
    const { body } = await gateway.provider.call('other').received;
    expect(body).toMatchObject({
      tools: [{ type: 'function', function: { name: 'mcp__fs__read', description: 'Files' } }],
    });
    expect(JSON.stringify(body)).not.toContain('web_search');
  });
});

/** Reads a streamed answer and calls back with the text so far. */
async function readStream(name: string, onText: (text: string) => void): Promise<string> {
  const response = await fetch(`${gateway.url}/v1/responses`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: name, input: 'hello', stream: true }),
  });
  expect(response.status).toBe(200);
  let text = '';
  for await (const piece of response.body!.pipeThrough(new TextDecoderStream())) {
    text += piece;
    onText(text);
  }
  return text;
}

describe('a waiting client', () => {
  test('gets queued events until its request has a slot', async () => {
    const free = gate();
    const answer = [chunk({ role: 'assistant', content: 'Hi' }), finish('stop'), usage(3, 1), '[DONE]'];
    gateway.provider.respond('narrow', sse([free.opened, ...answer]), sse(answer));
    const first = readStream('narrow', () => {});
    await gateway.provider.call('narrow').received;
    const second = await readStream('narrow', (text) => {
      if (text.split('event: response.queued').length > 2) free.open();
    });
    expect(responseLife(await first).response).toMatchObject({ status: 'completed' });
    const { events, response } = responseLife(second);
    expect(events[0]).toMatchObject({ type: 'response.created', response: { status: 'queued' } });
    expect(response).toMatchObject({ status: 'completed' });
  });

  test('gets in_progress events, and then a complete response', async () => {
    const ready = gate();
    gateway.provider.respond(
      'thinker',
      sse([ready.opened, chunk({ role: 'assistant', content: 'Hi' }), finish('stop'), usage(3, 1), '[DONE]']),
    );
    const text = await readStream('thinker', (received) => {
      if (received.split('event: response.in_progress').length > 2) ready.open();
    });
    expect(responseLife(text).response).toMatchObject({ status: 'completed', model: 'thinker' });
  });

  test('gets a failure as events if events were sent before', async () => {
    const broken = gate();
    gateway.provider.respond('thinker', sse([broken.opened, endings.reset]));
    const life = responseLife(await readStream('thinker', () => broken.open()));
    expect(life.response).toMatchObject({ status: 'failed', error: { code: 'server_error' } });
    expect(life.error).toMatchObject({ type: 'upstream_error', code: 'server_error' });
  });
});

test('an interrupted answer ends with an error and a failed response, without closing its open item', async () => {
  gateway.provider.respond('other', sse([chunk({ role: 'assistant', content: 'Hel' }), endings.cut]));
  const { response, error } = await streamed({ model: 'other' });
  expect(response).toMatchObject({ status: 'failed', output: [], usage: null });
  expect(error).toBeDefined();
});

test.each([
  ['balance', 'poor'],
  ['spend limit', 'limited'],
])(
  'beyond the %s a stream ends with the code insufficient_quota, and a request without streaming gets a 402',
  async (_, account) => {
    const authorization = `Bearer ${await gateway.newKey({ account })}`;
    const reply = await send({ stream: true }, { authorization });
    expect(reply.status).toBe(200);
    expect(responseLife(reply.text).response).toMatchObject({
      status: 'failed',
      error: { code: 'insufficient_quota' },
    });
    expect((await send({}, { authorization })).status).toBe(402);
  },
);

test('an answer truncated at max_output_tokens is incomplete', async () => {
  gateway.provider.respond(
    'other',
    sse([chunk({ role: 'assistant', content: 'So far' }), finish('length'), usage(3, 2), '[DONE]']),
  );
  expect((await streamed({ model: 'other', max_output_tokens: 2 })).response).toMatchObject({
    status: 'incomplete',
    incomplete_details: { reason: 'max_output_tokens' },
  });
});
