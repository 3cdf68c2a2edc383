import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Browser, newBrowser, ownerBrowser } from '../../browser.ts';
import { startTestGateway, type TestGateway } from '../../gateways/gateway.ts';

/** The whole gateway adds reasons to replies, by the path of the request. */
let gateway: TestGateway;
let owner: Browser;
beforeAll(async () => {
  gateway = await startTestGateway();
  owner = await ownerBrowser(gateway.gateway, gateway.url);
});
afterAll(() => gateway.stop());

const upstream = { name: 'keyed', kind: 'openai', base_url: 'https://u.example/v1' };

test('an error reply has its reason and parameters', async () => {
  await owner.post('/admin/v1/upstreams', { ...upstream, api_key: 'sk-canary-0123456789' });
  const moved = { ...upstream, base_url: 'https://thief.example/v1' };
  const { json } = await owner.send('PUT', '/admin/v1/upstreams/keyed', moved);
  expect(json.error).toMatchObject({ reason: 'credentials_needed', params: { name: 'keyed' } });
  expect(json.error).not.toHaveProperty('problems');
  const [{ name }] = (await owner.get('/admin/v1/packages')).data;
  const owned = await owner.send('DELETE', `/admin/v1/packages/${name}`);
  expect(owned.json.error).toMatchObject({
    reason: 'resource_owned_by_file',
    params: { kind: 'package', name, section: 'packages' },
  });
});

test('an error reply without a more precise reason has its error case', async () => {
  const { status, json } = await newBrowser(gateway.url).send('POST', '/auth/address/email');
  expect({ status, ...json.error }).toMatchObject({ status: 401, reason: 'not_signed_in', params: {} });
});

test('every invalid field of a query or body is listed with the rule that it breaks', async () => {
  const query = await owner.send('GET', '/admin/v1/requests?limit=0&cursor=bm9wZQ');
  expect(query.json.error).toMatchObject({
    reason: 'invalid_fields',
    params: {},
    problems: [
      { field: 'limit', reason: 'number_too_small', params: { min: 1 } },
      { field: 'cursor', reason: 'wrong_cursor', params: {} },
    ],
  });
  const [{ id: account }] = (await owner.get('/admin/v1/accounts')).data;
  const key = await owner.send('POST', '/admin/v1/keys', { account, name: 'k', cap_period: 'day' });
  expect(key.json.error).toMatchObject({
    reason: 'invalid_fields',
    problems: [{ field: 'cap_period', reason: 'period_without_cap' }],
  });
});

test('a used name is reported with its field, and in a batch with its entry', async () => {
  await owner.post('/admin/v1/packages', { name: 'late', models: ['*'] });
  const late = await owner.send('POST', '/admin/v1/packages', { name: 'late', models: ['*'] });
  const taken = (name: string, section: string) => ({ reason: 'name_taken', params: { name, owner: name, section } });
  expect(late.json.error).toMatchObject({
    reason: 'resource_invalid',
    params: { kind: 'package', name: 'late' },
    problems: [{ field: 'name', ...taken('late', 'packages') }],
  });
  const model = (id: string, more = {}) => ({ id, routes: [{ upstream: 'keyed' }], price: 'free', ...more });
  const models = [model('b-1'), model('b-2', { price: {} }), model('b-1'), model('b-3', { routes: [] })];
  const { json } = await owner.send('POST', '/admin/v1/model-batches', { models });
  expect(json.error).toMatchObject({ reason: 'models_not_added', params: {} });
  const fix = expect.any(String);
  expect(json.error.problems).toEqual([
    { entry: 'b-2', field: 'models[1].price.input', reason: 'missing', params: {}, fix },
    { entry: 'b-2', field: 'models[1].price.output', reason: 'missing', params: {}, fix },
    { entry: 'b-1', field: 'models[2].id', ...taken('b-1', 'models'), fix },
    { entry: 'b-3', field: 'models[3].routes', reason: 'list_too_short', params: { min: 1 }, fix },
  ]);
});

test('a reply stays short for long names and for many names', async () => {
  const long = await owner.send('GET', `/admin/v1/requests?${'x'.repeat(5000)}=1`);
  expect(long.status).toBe(400);
  expect(long.text.length).toBeLessThan(1200);
  const names = Object.fromEntries(Array.from({ length: 2000 }, (_, index) => [`name-${index}`, 1]));
  const many = await newBrowser(gateway.url).send('POST', '/auth/sign-in', names);
  expect([many.status, many.json.error.problems.length]).toEqual([400, 1000]);
});
