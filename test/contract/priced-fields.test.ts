import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { requestDetail } from '../../src/manage/admin/requests/request-detail.ts';
import { answer, json, sse } from '../fakes/fake-provider.ts';
import { model, patientTimeouts, type GatewayReply, startTestGateway, type TestGateway } from '../gateways/gateway.ts';
import { isInFastPath, warmFastPath, watchedFastPath } from '../fast-path/warm-fast-path.ts';

let gateway: TestGateway;
beforeAll(async () => {
  watchedFastPath();
  gateway = await startTestGateway((base, provider) => ({
    ...base,
    upstreams: [
      ...(base['upstreams'] as object[]),
      upstream('native', { base_url: provider.url, quirks: { responses: true } }),
      upstream('legacy', { base_url: provider.url, quirks: { completions: true } }),
      upstream('anthropic', { kind: 'anthropic', base_url: provider.url.replace('/v1', '') }),
      upstream('insistent', {
        kind: 'anthropic',
        base_url: provider.url.replace('/v1', ''),
        headers: { 'anthropic-beta': 'fast-mode-2026-02-01' },
      }),
    ],
    models: [
      model('plain'),
      model('speaker', { routes: [{ upstream: 'native' }] }),
      model('legacy', { routes: [{ upstream: 'legacy' }] }),
      model('claude', { routes: [{ upstream: 'anthropic' }] }),
      model('insistent', { routes: [{ upstream: 'insistent' }] }),
    ],
  }));
});
afterAll(() => gateway.stop());

function upstream(name: string, more: object): object {
  return { name, kind: 'openai', api_key: 'sk-upstream-canary', timeouts: patientTimeouts, ...more };
}

const message = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'claude',
  content: [{ type: 'text', text: 'ok' }],
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: { input_tokens: 3, output_tokens: 2 },
};
const messages = [{ role: 'user', content: 'hello' }];

beforeEach(() => {
  for (const name of ['plain', 'legacy']) gateway.provider.respond(name, answer('ok'));
  for (const name of ['claude', 'insistent']) gateway.provider.respond(name, json(200, message));
});

/** Waits for the record of a request. Returns its notes and the call at the provider. */
async function outcome(reply: GatewayReply) {
  expect(reply.status, reply.text).toBe(200);
  const id = reply.headers.get('x-gateway-request-id') ?? '';
  const detail = () => requestDetail(gateway.gateway.store, id);
  await expect.poll(async () => (await detail())?.state, { message: 'the state of the request' }).toBe('recorded');
  return { call: gateway.provider.calls.at(-1), notes: (await detail())?.record?.notes };
}

const leftOut = (...names: readonly string[]) => [
  `left out, because it changes the provider's price: ${names.join(', ')}`,
];

describe('chat completions', () => {
  test.each(['priority', 'flex', 'auto', 'default'])(
    'the service tier %s is removed, and the record notes it',
    async (tier) => {
      const { call, notes } = await outcome(await gateway.chat({ service_tier: tier, seed: 7 }));
      expect(call?.body).toEqual({
        model: 'plain',
        messages,
        seed: 7,
        stream: true,
        stream_options: { include_usage: true },
      });
      expect(notes).toEqual(leftOut('service_tier'));
    },
  );

  test('a request with a service tier does not take the fast path, and the next one does', async () => {
    await warmFastPath(gateway, 'plain');
    const { call, notes } = await outcome(await gateway.chat({ service_tier: 'priority' }));
    expect(isInFastPath()).toBe(false);
    expect(call?.body).not.toHaveProperty('service_tier');
    expect(notes).toEqual(leftOut('service_tier'));
    await gateway.chat({});
    expect(isInFastPath()).toBe(true);
  });

  test('a field with another spelling or inside provider options is removed too', async () => {
    const { call, notes } = await outcome(
      await gateway.chat({
        serviceTier: 'priority',
        speed: 'fast',
        inference_geo: 'us',
        extra_body: { service_tier: 'priority', kept: 1 },
        providerOptions: { openai: { serviceTier: 'priority', store: false } },
        metadata: { speed: 'of light' },
      }),
    );
    expect(call?.body).toMatchObject({
      extra_body: { kept: 1 },
      providerOptions: { openai: { store: false } },
      metadata: { speed: 'of light' },
    });
    expect(call?.text).not.toMatch(/service_?tier|inference_geo|fast/i);
    expect(notes).toEqual(
      leftOut('serviceTier', 'speed', 'inference_geo', 'extra_body.service_tier', 'providerOptions.openai.serviceTier'),
    );
  });

  test('a field that is null gets no note', async () => {
    const { call, notes } = await outcome(await gateway.chat({ service_tier: null }));
    expect(call?.body).not.toHaveProperty('service_tier');
    expect(notes).toEqual([]);
  });

  test('the record of a translated request has the note too', async () => {
    const { call, notes } = await outcome(await gateway.chat({ model: 'claude', service_tier: 'priority' }));
    expect(call?.body).not.toHaveProperty('service_tier');
    expect(notes).toEqual(leftOut('service_tier'));
  });
});

describe('completions', () => {
  test.each(['plain', 'legacy'])('the service tier of a prompt is removed for the provider of %s', async (name) => {
    const ended = {
      id: 'cmpl-1',
      object: 'text_completion',
      choices: [{ index: 0, text: 'ok', finish_reason: 'stop' }],
    };
    if (name === 'legacy')
      gateway.provider.respond(name, sse([{ raw: `data: ${JSON.stringify(ended)}\n\ndata: [DONE]\n\n` }]));
    const body = { model: name, prompt: 'hello', service_tier: 'priority' };
    const { call, notes } = await outcome(await gateway.post('/v1/completions', body));
    expect(call?.path).toBe(name === 'legacy' ? '/v1/completions' : '/v1/chat/completions');
    expect(call?.body).not.toHaveProperty('service_tier');
    expect(notes).toEqual(leftOut('service_tier'));
  });
});

describe('messages', () => {
  const path = '/anthropic/v1/messages';
  const own = (more: Record<string, string> = {}) => ({ 'x-api-key': gateway.key, ...more });

  test('tier, speed, region and the fast-mode header are removed, and the rest is sent as written', async () => {
    const rest = `"max_tokens":10, "messages":[{"role":"user","content":"hello"}],"b\\u00e9ta":1.0`;
    const text = `{"sp\\u0065ed":"fast",${rest},"model":"claude","service_tier":"auto", "inference_geo":"us","speed":"fast"}`;
    const beta = 'context-1m-2025-08-07, fast-mode-2026-02-01';
    const { call, notes } = await outcome(await gateway.postText(path, text, own({ 'anthropic-beta': beta })));
    expect(call?.text).toBe(
      `{"max_tokens":10,"messages":[{"role":"user","content":"hello"}],"b\\u00e9ta":1.0,"model":"claude"}`,
    );
    expect(call?.headers['anthropic-beta']).toBe('context-1m-2025-08-07');
    expect(notes).toEqual(leftOut('speed', 'service_tier', 'inference_geo', 'anthropic-beta: fast-mode-2026-02-01'));
  });

  test('without another beta the header is removed', async () => {
    const body = { model: 'claude', max_tokens: 10, messages, providerOptions: { anthropic: { speed: 'fast' } } };
    const beta = { 'anthropic-beta': 'fast-mode-2026-02-01' };
    const { call, notes } = await outcome(await gateway.post(path, body, own(beta)));
    expect(call?.headers).not.toHaveProperty('anthropic-beta');
    expect(call?.body).toMatchObject({ providerOptions: { anthropic: {} } });
    expect(notes).toEqual(leftOut('providerOptions.anthropic.speed', 'anthropic-beta: fast-mode-2026-02-01'));
  });

  test('a header from the configuration is sent', async () => {
    const body = { model: 'insistent', max_tokens: 10, messages };
    const { call } = await outcome(await gateway.post(path, body, own()));
    expect(call?.headers['anthropic-beta']).toBe('fast-mode-2026-02-01');
  });

  test('the record of a translated request has the note too', async () => {
    const body = { model: 'plain', max_tokens: 10, messages, speed: 'fast', service_tier: 'auto' };
    const { call, notes } = await outcome(await gateway.post(path, body, own()));
    expect(call?.text).not.toMatch(/service_tier|fast/);
    expect(notes).toEqual(leftOut('speed', 'service_tier'));
  });

  test('token counting is sent without these fields', async () => {
    gateway.provider.respond('claude', json(200, { input_tokens: 3 }));
    const body = { model: 'claude', messages, speed: 'fast' };
    await gateway.post(`${path}/count_tokens`, body, own({ 'anthropic-beta': 'fast-mode-2026-02-01' }));
    const call = gateway.provider.calls.at(-1);
    expect(call?.body).toEqual({ model: 'claude', messages });
    expect(call?.headers).not.toHaveProperty('anthropic-beta');
  });
});

test('the service tier of a pass-through response is removed', async () => {
  const usage = { input_tokens: 3, output_tokens: 2, total_tokens: 5 };
  const response = {
    id: 'resp_1',
    object: 'response',
    created_at: 1,
    status: 'completed',
    model: 'speaker',
    output: [],
    service_tier: 'default',
    usage,
  };
  gateway.provider.respond('speaker', json(200, response));
  const body = { model: 'speaker', input: 'hello', service_tier: 'priority' };
  const { call, notes } = await outcome(await gateway.post('/v1/responses', body));
  expect(call?.path).toBe('/v1/responses');
  expect(call?.body).not.toHaveProperty('service_tier');
  expect(notes).toEqual(leftOut('service_tier'));
});
