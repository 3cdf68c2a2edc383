import { afterAll, beforeAll, expect, test } from 'vitest';
import { answer } from '../../fakes/fake-provider.ts';
import { type GatewayReply, startTestGateway, type TestGateway } from '../../gateways/gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway((base) => ({
    ...base,
    sites: [
      { name: 'main', domains: ['127.0.0.1'], models: ['*'] },
      { name: 'lenient', domains: ['localhost'], models: ['*'], messages_bearer: true },
    ],
  }));
  gateway.provider.respond('plain', answer('Hello'));
});
afterAll(() => gateway.stop());

const prompt = { model: 'plain', messages: [{ role: 'user', content: 'hello' }] };

const endpoints: Record<string, (headers: Record<string, string>) => Promise<GatewayReply>> = {
  messages: (headers) => gateway.post('/anthropic/v1/messages', { ...prompt, max_tokens: 10 }, headers),
  count_tokens: (headers) => gateway.post('/anthropic/v1/messages/count_tokens', prompt, headers),
  models: (headers) => gateway.get('/anthropic/v1/models?limit=1000', headers),
  'one model': (headers) => gateway.get('/anthropic/v1/models/plain', headers),
};
const names = Object.keys(endpoints);
const send = (name: string, headers: Record<string, string>) => endpoints[name]!({ authorization: '', ...headers });
const bearer = () => ({ authorization: `Bearer ${gateway.key}`, 'anthropic-version': '2023-06-01' });

test.each(names)('%s: a bearer token without a known client header is rejected', async (name) => {
  const reply = await send(name, bearer());
  expect([reply.status, reply.json.type, reply.json.error.code]).toEqual([401, 'error', 'invalid_api_key']);
});

test.each(names)('%s: a bearer token of a client library is accepted', async (name) => {
  expect((await send(name, { ...bearer(), 'x-stainless-lang': 'python' })).status).toBe(200);
});

test.each(names)('%s: a bearer token of Claude Code is accepted, by its user agent', async (name) => {
  expect((await send(name, { ...bearer(), 'user-agent': 'claude-cli/2.1.136 (external, cli)' })).status).toBe(200);
  expect((await send(name, { ...bearer(), 'user-agent': 'claude-code/2.1.136' })).status).toBe(200);
  expect((await send(name, { ...bearer(), 'user-agent': 'not-claude-code/1' })).status).toBe(401);
});

test.each(names)('%s: x-api-key decides if both are sent', async (name) => {
  const library = { ...bearer(), 'x-stainless-lang': 'js' };
  expect((await send(name, { ...library, 'x-api-key': 'stranger' })).status).toBe(401);
  expect((await send(name, { ...library, authorization: 'Bearer stranger', 'x-api-key': gateway.key })).status).toBe(
    200,
  );
});

test('a site with messages_bearer accepts bearer tokens of any client, on every endpoint of the surface', async () => {
  const url = `http://localhost:${gateway.port}/anthropic/v1`;
  const body = JSON.stringify({ ...prompt, max_tokens: 10 });
  const headers = { authorization: `Bearer ${gateway.key}`, 'content-type': 'application/json' };
  for (const path of ['/messages', '/messages/count_tokens']) {
    const reply = await fetch(url + path, { method: 'POST', headers, body });
    expect([path, reply.status]).toEqual([path, 200]);
    await reply.body?.cancel();
  }
  for (const path of ['/models', '/models/plain']) {
    const reply = await fetch(url + path, { headers });
    expect([path, reply.status]).toEqual([path, 200]);
    await reply.body?.cancel();
  }
  const stranger = await fetch(`${url}/models`, { headers: { authorization: 'Bearer stranger' } });
  expect(stranger.status).toBe(401);
  await stranger.body?.cancel();
});
