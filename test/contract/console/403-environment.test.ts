import { afterAll, beforeAll, expect, test } from 'vitest';
import { json } from '../../fakes/fake-replies.ts';
import { expectEnvelope } from '../../expectations.ts';
import { type ConsolePerson, newPerson } from '../../gateways/console-people.ts';
import { startTestGateway, type TestGateway } from '../../gateways/gateway.ts';

let gateway: TestGateway;
let owner: ConsolePerson;
let operator: ConsolePerson;
beforeAll(async () => {
  const env = { STRIPE_SECRET_KEY: 'sk-canary', ACME_KEY: 'sk-acme' };
  const models = json(200, { data: [{ id: 'large' }] });
  const egress = { allow: ['127.0.0.1'], variables: ['ACME_KEY'] };
  gateway = await startTestGateway((base) => ({ ...base, egress }), { env });
  gateway.provider.respond('GET /v1/models', models);
  owner = await newPerson(gateway, { operator: 'owner' });
  operator = await newPerson(gateway, { operator: 'operator' });
});
afterAll(() => gateway.stop());

const reference = '${STRIPE_SECRET_KEY}';
const upstream = (name: string, fields: object) => ({
  name,
  kind: 'openai',
  base_url: gateway.provider.url,
  ...fields,
});
const forbidden = { status: 403, code: 'forbidden', type: 'gateway_error' };

test.each([
  { api_key: reference },
  { api_keys: ['sk-literal', reference] },
  { headers: { 'x-key': reference } },
  { headers: { 'x-key': `Bearer ${reference}` } },
])('an operator who is no owner cannot let an upstream read a variable: %o', async (fields) => {
  expectEnvelope(await operator.send('POST', '/admin/v1/upstreams', upstream('mine', fields)), forbidden);
  expect((await owner.send('GET', '/admin/v1/upstreams/mine')).status).toBe(404);
});

test('an operator who is no owner cannot add a reference to an upstream that exists', async () => {
  await operator.post('/admin/v1/upstreams', upstream('own', { api_key: 'sk-literal' }));
  const replaced = upstream('own', { api_key: reference });
  expectEnvelope(await operator.send('PUT', '/admin/v1/upstreams/own', replaced), forbidden);
  expectEnvelope(await operator.send('POST', '/admin/v1/upstreams/own/keys', { api_keys: [reference] }), forbidden);
  expect(await operator.post('/admin/v1/upstreams/own/test')).toMatchObject({ ok: true });
  expect(keysSent()).toContain('Bearer sk-literal');
});

test('no other field of a stored upstream is replaced by a variable', async () => {
  const fields = { api_key: 'sk-other', base_url: `${gateway.provider.url}/${reference}` };
  await operator.send('POST', '/admin/v1/upstreams', upstream('address', fields));
  await operator.send('POST', '/admin/v1/upstreams/address/test');
  expect(callsText()).not.toContain('sk-canary');
});

test('a reference of an owner is used only if the configuration allows its variable', async () => {
  await owner.post('/admin/v1/upstreams', upstream('secret', { api_key: reference }));
  await owner.post('/admin/v1/upstreams', upstream('headers', { headers: { 'x-key': reference } }));
  await owner.post('/admin/v1/upstreams', upstream('allowed', { api_key: '${ACME_KEY}' }));
  for (const name of ['secret', 'headers']) {
    expect((await owner.send('POST', `/admin/v1/upstreams/${name}/test`)).status).toBe(400);
  }
  expect(await owner.post('/admin/v1/upstreams/allowed/test')).toMatchObject({ ok: true });
  expect(keysSent()).toContain('Bearer sk-acme');
  expect(callsText()).not.toContain('sk-canary');
  expect((await owner.get('/admin/v1/system')).config.problems).toContainEqual(
    expect.stringContaining('egress.variables'),
  );
});

function keysSent(): readonly unknown[] {
  return gateway.provider.calls.map(({ headers }) => headers['authorization']);
}

function callsText(): string {
  return JSON.stringify(gateway.provider.calls.map(({ headers, path, text }) => [headers, path, text]));
}
