import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AdminGateway, expectRefused, startAdminGateway } from '../../admin-gateway.ts';
import { expectEnvelope } from '../../expectations.ts';

let gateway: AdminGateway;
let owner: AdminGateway['owner'];
beforeAll(async () => {
  gateway = await startAdminGateway();
  ({ owner } = gateway);
});
afterAll(() => gateway.stop());

const asked = (method: string, path: string, body?: unknown) =>
  gateway.ask(method, path, { token: gateway.tokens.operator, body });
const stored = async (name: string) => {
  const row = await gateway.store.db.selectFrom('resources').select('spec').where('name', '=', name).executeTakeFirst();
  return JSON.parse(row?.spec ?? 'null');
};
const upstream = (name: string, more: object = {}) => ({
  name,
  kind: 'openai',
  base_url: 'https://u.example/v1',
  ...more,
});

test('a package that accounts have is changed in its place', async () => {
  await owner('POST', '/admin/v1/packages', { name: 'gold', models: ['*'] });
  await owner('POST', '/admin/v1/accounts', { name: 'rich', package: 'gold' });
  const changed = await owner('PUT', '/admin/v1/packages/gold', { name: 'gold', models: ['filed*'], weight: 3 });
  expect(changed).toMatchObject({ source: 'store', spec: { models: ['filed*'], weight: 3 } });
  expect(await owner('GET', '/admin/v1/packages/gold')).toEqual(changed);
});

test('what the file owns, what is not there and what does not fit is not replaced', async () => {
  const filed = { name: 'filed', kind: 'simulated' };
  expectRefused(await asked('PUT', '/admin/v1/upstreams/filed', filed), 'comes from the configuration file');
  for (const action of ['disable', 'enable']) {
    expectRefused(await asked('POST', `/admin/v1/upstreams/filed/${action}`), 'comes from the configuration file');
  }
  const missing = { status: 404, code: 'not_found', type: 'gateway_error' };
  expectEnvelope(await asked('PUT', '/admin/v1/packages/nope', { name: 'nope', models: [] }), missing);
  expectEnvelope(await asked('POST', '/admin/v1/upstreams/nope/disable'), missing);
  await owner('POST', '/admin/v1/models', { id: 'm1', routes: [{ upstream: 'filed' }], price: 'free' });
  const model = (more: object) =>
    asked('PUT', '/admin/v1/models/m1', { id: 'm1', routes: [{ upstream: 'filed' }], price: 'free', ...more });
  expectRefused(await model({ id: 'm2' }), 'keeps its `id`');
  expectRefused(await model({ aliases: ['filed'] }), 'filed');
  expectRefused(await model({ routes: [{ upstream: 'gone' }] }), 'gone');
  expect((await model({ aliases: ['em-one'] })).status).toBe(200);
});

test('secrets that are left out stay, and never go to another address', async () => {
  const secret = 'sk-canary-0123456789';
  await owner('POST', '/admin/v1/upstreams', upstream('keyed', { api_key: secret }));
  const before = await stored('keyed');
  expect(JSON.stringify(before)).not.toContain(secret);
  const reply = await owner('PUT', '/admin/v1/upstreams/keyed', upstream('keyed', { max_concurrency: 5 }));
  expect(reply).toMatchObject({ secrets: ['api_key'], spec: { max_concurrency: 5 } });
  expect((await stored('keyed')).api_key).toBe(before.api_key);
  for (const more of [
    { base_url: 'https://thief.example/v1' },
    { quirks: { completions_url: 'https://thief.example/v1' } },
    { kind: 'deepseek' },
  ]) {
    const moved = await asked('PUT', '/admin/v1/upstreams/keyed', upstream('keyed', more));
    expectRefused(moved, 'would send its credentials elsewhere');
  }
  const other = { base_url: 'https://other.example/v1', api_key: 'sk-other-0123456789' };
  await owner('PUT', '/admin/v1/upstreams/keyed', upstream('keyed', other));
  expect((await stored('keyed')).api_key).not.toBe(before.api_key);
  const rotated = await owner('POST', '/admin/v1/upstreams/keyed/keys', { api_keys: ['a-key-1', 'a-key-2'] });
  expect(rotated).toMatchObject({ secrets: ['api_keys'] });
  expect(JSON.stringify(await stored('keyed'))).not.toContain('a-key-1');
  const lines = await owner('GET', '/admin/v1/audit?subject_id=keyed');
  expect(JSON.stringify(lines)).not.toMatch(/sk-canary|sk-other|a-key-/);
});

test('an upstream is switched off and on again', async () => {
  await owner('POST', '/admin/v1/upstreams', upstream('lamp'));
  expect((await owner('POST', '/admin/v1/upstreams/lamp/disable')).spec).toMatchObject({ enabled: false });
  expect((await owner('POST', '/admin/v1/upstreams/lamp/enable')).spec).not.toHaveProperty('enabled');
  await owner('POST', '/admin/v1/upstreams/lamp/enable');
  const { data } = await owner('GET', '/admin/v1/audit?subject_id=lamp');
  expect(data.map(({ action }: { action: string }) => action)).toEqual([
    'enableUpstream',
    'disableUpstream',
    'addUpstream',
  ]);
});
