import { afterAll, beforeAll, expect, test } from 'vitest';
import { createToken } from '../../../src/manage/admin/api/tokens.ts';
import { systemClock } from '../../../src/core/time/clock.ts';
import { answer, chunk, finish, gate, json, sse, usage } from '../../fakes/fake-provider.ts';
import { type GatewayReply, startTestGateway, type TestGateway } from '../../gateways/gateway.ts';

let gateway: TestGateway;
let token: string;
beforeAll(async () => {
  gateway = await startTestGateway((base) => ({ ...base, egress: { allow: ['127.0.0.1'] } }), {
    configFile: '/secret/place/gateway.yaml',
  });
  const { store, pepper } = gateway.gateway;
  const parts = { store, pepper, clock: systemClock };
  ({ secret: token } = await createToken(parts, { name: 'ops', role: 'operator', accountId: undefined }));
});
afterAll(() => gateway.stop());

async function request(method: string, path: string, body?: unknown): Promise<GatewayReply['json']> {
  const response = await fetch(gateway.url + path, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return response.json();
}

test('a running request is shown at its upstream, and counted in the rates when it ends', async () => {
  const rest = gate();
  const steps = [chunk({ content: 'Hel' }), rest.opened, finish('stop'), usage(7, 3), '[DONE]'];
  gateway.provider.respond('plain', sse(steps));
  const chat = gateway.chat({});
  await gateway.provider.call('plain').received;
  await expect
    .poll(() => request('GET', '/admin/v1/live'), { message: 'the running requests' })
    .toMatchObject({
      totals: { requests: 1, running: 1, waiting: 0 },
      upstreams: [
        {
          name: 'fake',
          state: 'healthy',
          running: 1,
          limit: 64,
          accounts: [{ name: 'tester', running: 1, waiting: 0, fair_share: 1, oldest_wait_ms: null, turn: null }],
        },
      ],
      accounts: [{ name: 'tester', running: 1 }],
    });
  const live = await request('GET', '/admin/v1/live');
  const system = await request('GET', '/admin/v1/system');
  expect(system.config).toMatchObject({ file: 'gateway.yaml', drift: [] });
  expect(system.replicas).toMatchObject([{ id: live.process.id, is_alive: true, is_self: true }]);
  rest.open();
  await chat;
  const totals = async () => (await request('GET', '/admin/v1/live')).totals;
  await expect.poll(totals, { message: 'the running requests' }).toMatchObject({ requests: 0, running: 0 });
  const rates = async () => (await request('GET', '/admin/v1/live')).rates;
  await expect.poll(async () => (await rates()).requests, { message: 'requests a second' }).toBeGreaterThan(0);
  const { prompt_tokens: prompt, completion_tokens: completion } = await rates();
  expect(prompt).toBeGreaterThan(completion);
});

test('a new upstream is tested, disabled and enabled', async () => {
  const { provider } = gateway;
  provider.respond(
    'GET /v1/models',
    json(200, { data: [{ id: 'large' }, { id: 'gpt-4o-2024-08-06' }, { id: 'gemini-2.5-pro' }] }),
  );
  provider.respond('large', answer('Hi'));
  const spec = { name: 'added', kind: 'openai', base_url: provider.url, api_key: 'sk-added-canary-123' };
  await request('POST', '/admin/v1/upstreams', spec);
  expect(await request('POST', '/admin/v1/upstreams/added/test')).toMatchObject({
    ok: true,
    models: ['large', 'gpt-4o-2024-08-06', 'gemini-2.5-pro'],
    known: [
      { model: 'gpt-4o-2024-08-06', known_as: 'gpt-4o', currency: 'USD', price: { input: '2.50', output: '10.00' } },
      { model: 'gemini-2.5-pro', tiers: [{ when: { prompt_over: 200_000 }, input: '2.50', output: '15.00' }] },
    ],
  });
  const chatStatus = async () => (await gateway.chat({ model: 'large' })).status;
  await request('POST', '/admin/v1/models', { id: 'large', routes: [{ upstream: 'added' }], price: 'free' });
  expect(await chatStatus()).toBe(200);
  provider.respond('large', json(401, { error: { message: 'no' } }));
  expect(await chatStatus()).toBe(502);
  const credential = async () => {
    const { upstreams } = await request('GET', '/admin/v1/upstreams/health');
    return upstreams.find(({ name }: { name: string }) => name === 'added').credentials[0];
  };
  const state = async () => (await credential()).state;
  expect(await state()).toBe('disabled');
  provider.respond('large', answer('Hi'));
  // A successful test also ends the `disabled` state of the credential.
  expect(await request('POST', '/admin/v1/upstreams/added/test')).toMatchObject({ ok: true });
  expect(await state()).toBe('ramping');
  // A failed test shows at the credential. Only a refusal of the key itself takes it out of use.
  for (const [status, after] of [
    [503, 'ramping'],
    [401, 'disabled'],
  ] as const) {
    provider.respond('GET /v1/models', json(status, { error: { message: `no ${status}` } }));
    expect(await request('POST', '/admin/v1/upstreams/added/test')).toMatchObject({ ok: false, status });
    expect(await credential()).toMatchObject({ state: after, last_error: expect.stringContaining(String(status)) });
  }
  provider.respond('GET /v1/models', json(200, { data: [{ id: 'large' }] }));
  await request('POST', '/admin/v1/upstreams/added/disable');
  expect(await chatStatus()).toBe(403);
  expect(await request('POST', '/admin/v1/upstreams/added/test')).toMatchObject({ ok: true });
  expect((await request('GET', '/admin/v1/system')).config.problems).toEqual([]);
  await request('POST', '/admin/v1/upstreams/added/enable');
  expect(await chatStatus()).toBe(200);
});
