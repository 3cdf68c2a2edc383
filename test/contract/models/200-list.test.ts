import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectEnvelope, expectGatewayHeaders } from '../../expectations.ts';
import { model, startTestGateway, type TestGateway } from '../../gateways/gateway.ts';
import { rawExchange } from '../../raw-client.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway((base) => ({
    ...base,
    models: [
      model('acme-large-2026-06-01', { aliases: ['acme-large'], owned_by: 'acme', surfaces: ['openai', 'anthropic'] }),
      model('acme-small-2026-06-01', { aliases: ['acme-small'] }),
      model('beta-2026-01-01', { surfaces: ['openai-response', 'openai'] }),
    ],
    packages: [
      { name: 'standard', models: ['*'] },
      { name: 'basic', models: ['acme-small*'] },
    ],
    sites: [
      { name: 'main', domains: ['127.0.0.1', 'localhost'], models: ['*'] },
      { name: 'acme', domains: ['*.acme.example', 'acme.example'], models: ['acme-*'] },
    ],
    accounts: [
      { name: 'tester', package: 'standard' },
      { name: 'thrifty', package: 'basic', credit: '1.00' },
    ],
  }));
});
afterAll(() => gateway.stop());

async function idsFor(key: string, host?: string): Promise<string[]> {
  const head = `GET /v1/models HTTP/1.1\r\nHost: ${host ?? '127.0.0.1'}\r\nAuthorization: Bearer ${key}\r\nConnection: close\r\n\r\n`;
  const { body } = await rawExchange(gateway.port, head);
  return (JSON.parse(body) as { data: { id: string }[] }).data.map(({ id }) => id);
}

test('the list has exactly these fields and models', async () => {
  const reply = await gateway.get('/v1/models');
  expectGatewayHeaders(reply);
  expect(reply.status).toBe(200);
  const entry = (id: string, owned_by: string, supported_endpoint_types: string[]) => ({
    id,
    object: 'model',
    created: 1626777600,
    owned_by,
    supported_endpoint_types,
  });
  expect(reply.json).toEqual({
    object: 'list',
    data: [
      entry('acme-large-2026-06-01', 'acme', ['anthropic', 'openai']),
      entry('acme-small-2026-06-01', 'fake', ['anthropic', 'openai-response', 'openai']),
      entry('beta-2026-01-01', 'fake', ['openai-response', 'openai']),
    ],
    success: true,
  });
});

test('a query on the list is ignored', async () => {
  expect((await gateway.get('/v1/models?limit=1')).json.data).toHaveLength(3);
});

test('the site narrows the list, chosen by the request’s domain', async () => {
  expect(await idsFor(gateway.key, 'acme.example')).toEqual(['acme-large-2026-06-01', 'acme-small-2026-06-01']);
  expect(await idsFor(gateway.key, 'EU.Acme.Example:8443')).toEqual(['acme-large-2026-06-01', 'acme-small-2026-06-01']);
});

test('a domain without a site has no models', async () => {
  expect(await idsFor(gateway.key, 'elsewhere.example')).toEqual([]);
});

test('the account’s package narrows the list', async () => {
  expect(await idsFor(await gateway.newKey({ account: 'thrifty' }))).toEqual(['acme-small-2026-06-01']);
});

test('the key’s own limits narrow the list, by id or alias', async () => {
  expect(await idsFor(await gateway.newKey({ models: ['beta-2026-01-01', 'acme-small'] }))).toEqual([
    'acme-small-2026-06-01',
    'beta-2026-01-01',
  ]);
});

test('a model outside the list is refused, and a listed one is served', async () => {
  const key = await gateway.newKey({ account: 'thrifty' });
  const headers = { authorization: `Bearer ${key}` };
  expectEnvelope(await gateway.chat({ model: 'acme-large' }, headers), {
    status: 403,
    code: 'access_denied',
    type: 'gateway_error',
  });
  gateway.provider.respond('acme-small-2026-06-01', (await import('../../fakes/fake-provider.ts')).answer('ok'));
  const served = await gateway.chat({ model: 'acme-small' }, headers);
  expect(served.chunks[0].model).toBe('acme-small-2026-06-01');
});
