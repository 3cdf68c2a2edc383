import { afterAll, beforeAll, expect, test } from 'vitest';
import { atOnce } from '../../stores/at-once.ts';
import { type AdminGateway, expectRefused, startAdminGateway } from '../../gateways/admin-gateway.ts';
import { expectEnvelope } from '../../expectations.ts';

let gateway: AdminGateway;
let owner: AdminGateway['owner'];
beforeAll(async () => {
  gateway = await startAdminGateway();
  ({ owner } = gateway);
});
afterAll(() => gateway.stop());

const request = (method: string, path: string, body?: unknown) =>
  gateway.send(method, path, { token: gateway.tokens.operator, body });
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

test('a package in use by accounts is changed in place', async () => {
  await owner('POST', '/admin/v1/packages', { name: 'gold', models: ['*'] });
  await owner('POST', '/admin/v1/accounts', { name: 'rich', package: 'gold' });
  const changed = await owner('PUT', '/admin/v1/packages/gold', { name: 'gold', models: ['filed*'], weight: 3 });
  expect(changed).toMatchObject({ source: 'store', spec: { models: ['filed*'], weight: 3 } });
  expect(await owner('GET', '/admin/v1/packages/gold')).toEqual(changed);
});

test('an entry of the file, a missing entry and an invalid entry are not replaced', async () => {
  const filed = { name: 'filed', kind: 'simulated' };
  expectRefused(
    await request('PUT', '/admin/v1/upstreams/filed', filed),
    'The upstream `filed` is set in the configuration file.',
  );
  for (const action of ['disable', 'enable']) {
    expectRefused(
      await request('POST', `/admin/v1/upstreams/filed/${action}`),
      'The upstream `filed` is set in the configuration file.',
    );
  }
  const missing = { status: 404, code: 'not_found', type: 'gateway_error' };
  expectEnvelope(await request('PUT', '/admin/v1/packages/nope', { name: 'nope', models: [] }), missing);
  expectEnvelope(await request('POST', '/admin/v1/upstreams/nope/disable'), missing);
  await owner('POST', '/admin/v1/models', { id: 'm1', routes: [{ upstream: 'filed' }], price: 'free' });
  const model = (more: object) =>
    request('PUT', '/admin/v1/models/m1', { id: 'm1', routes: [{ upstream: 'filed' }], price: 'free', ...more });
  expectRefused(await model({ id: 'm2' }), 'The `id` of the model `m1` cannot be changed.');
  expectRefused(await model({ aliases: ['filed'] }), 'filed');
  expectRefused(await model({ routes: [{ upstream: 'gone' }] }), 'gone');
  expect((await model({ aliases: ['em-one'] })).status).toBe(200);
});

test('omitted secrets are kept, and are never sent to another address', async () => {
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
    const moved = await request('PUT', '/admin/v1/upstreams/keyed', upstream('keyed', more));
    expectRefused(moved, 'The base URL of the upstream `keyed` has changed. Send the credentials for the new URL too.');
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

test('an upstream is disabled and enabled again', async () => {
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

const requestIfMatch = (method: string, path: string, version: string, body?: unknown) =>
  gateway.send(method, path, { token: gateway.tokens.operator, body, headers: { 'if-match': `"${version}"` } });
const conflict = { status: 409, code: 'conflict', type: 'gateway_error' };

test('a write with an outdated version changes nothing, and its error names the last change and its actor', async () => {
  const model = (input: string, output: string) => ({
    id: 'edited',
    routes: [{ upstream: 'filed' }],
    price: { input, output },
  });
  const { version } = await owner('POST', '/admin/v1/models', model('1.1', '2'));
  const read = await request('GET', '/admin/v1/models/edited');
  expect(read.json.version).toBe(version);
  expect(read.headers.get('etag')).toBe(`"${version}"`);
  const first = await requestIfMatch('PUT', '/admin/v1/models/edited', version, model('7', '2'));
  expect(first.status).toBe(200);
  const late = await requestIfMatch('PUT', '/admin/v1/models/edited', version, model('1.1', '3'));
  expectEnvelope(late, conflict);
  const { message } = late.json.error;
  expect(message).toContain('`spec.price.input` is "7", it was "1.1"');
  const [line] = (await owner('GET', '/admin/v1/audit?subject_id=edited')).data;
  expect(message).toContain(`by ${line.actor} at ${line.at}`);
  expectEnvelope(await requestIfMatch('DELETE', '/admin/v1/models/edited', version), conflict);
  expect((await owner('GET', '/admin/v1/models/edited')).spec.price).toEqual({ input: '7', output: '2' });
  const seen = await requestIfMatch('PUT', '/admin/v1/models/edited', first.json.version, model('7', '3'));
  expect(seen.status).toBe(200);
  expect((await requestIfMatch('DELETE', '/admin/v1/models/edited', '*')).status).toBe(200);
});

test('of concurrent writes with the same version, exactly one succeeds', async () => {
  const { version } = await owner('POST', '/admin/v1/packages', { name: 'raced', models: ['*'] });
  const change = (weight: number) =>
    requestIfMatch('PUT', '/admin/v1/packages/raced', version, { name: 'raced', models: ['*'], weight });
  // The first use of a token is also a write.
  expect((await request('GET', '/admin/v1/packages/raced')).status).toBe(200);
  const replies = await atOnce(
    gateway.store,
    [2, 3, 4].map((weight) => () => change(weight)),
  );
  const statuses = replies.map(({ status }) => status);
  expect(statuses.toSorted((one, other) => one - other)).toEqual([200, 409, 409]);
});

test('the versions of upstreams change with their credentials; accounts, keys and entries of the file have versions too', async () => {
  const keyed = await owner('POST', '/admin/v1/upstreams', upstream('versioned', { api_key: 'sk-0123456789-old' }));
  await owner('POST', '/admin/v1/upstreams/versioned/keys', { api_keys: ['sk-0123456789-new'] });
  expectEnvelope(await requestIfMatch('POST', '/admin/v1/upstreams/versioned/disable', keyed.version), conflict);
  expect((await owner('GET', '/admin/v1/upstreams/filed')).version).toMatch(/^[0-9a-f]{16}$/);

  const account = await owner('POST', '/admin/v1/accounts', { name: 'watched' });
  const path = `/admin/v1/accounts/${account.id}`;
  await owner('POST', `${path}/suspend`);
  expectEnvelope(await requestIfMatch('PATCH', path, account.version, { package: 'standard' }), conflict);
  await owner('POST', `${path}/resume`);
  expect((await requestIfMatch('PATCH', path, account.version, { package: 'standard' })).status).toBe(200);

  const key = await owner('POST', '/admin/v1/keys', { account: account.id, name: 'mine' });
  await owner('PATCH', `/admin/v1/keys/${key.id}`, { name: 'yours' });
  expectEnvelope(await requestIfMatch('PATCH', `/admin/v1/keys/${key.id}`, key.version, { name: 'ours' }), conflict);
  expectRefused(
    await gateway.send('POST', `${path}/credits`, {
      token: gateway.tokens.operator,
      body: { kind: 'grant', amount: '1', reference: 'r1', reason: 'x' },
      headers: { 'if-match': '"0"' },
    }),
    '`If-Match` is only for resources that have a `version`.',
  );
});
