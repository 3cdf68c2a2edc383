import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AdminGateway, expectRefused, startAdminGateway } from '../../gateways/admin-gateway.ts';
import { expectEnvelope } from '../../expectations.ts';

let gateway: AdminGateway;
let owner: AdminGateway['owner'];
beforeAll(async () => {
  gateway = await startAdminGateway();
  ({ owner } = gateway);
});
afterAll(() => gateway.stop());

const notFound = { status: 404, code: 'not_found', type: 'gateway_error' };
const request = (method: string, path: string, body?: unknown) =>
  gateway.send(method, path, { token: gateway.tokens.operator, body });

test('an account is created with credit, suspended, resumed and moved to another package', async () => {
  const { id } = await owner('POST', '/admin/v1/accounts', { name: 'carol', credit: '2.50' });
  expect(await owner('GET', `/admin/v1/accounts/${id}/balance`)).toMatchObject({ total: '2.50', granted: '2.50' });
  expect(await owner('POST', `/admin/v1/accounts/${id}/suspend`)).toMatchObject({ status: 'suspended' });
  expect((await owner('GET', '/admin/v1/accounts?status=suspended')).data).toMatchObject([{ id }]);
  expect(await owner('POST', `/admin/v1/accounts/${id}/resume`)).toMatchObject({ status: 'active' });
  expect(await owner('PATCH', `/admin/v1/accounts/${id}`, { package: 'none' })).toMatchObject({ package: 'none' });
  expect(await owner('GET', `/admin/v1/accounts/${id}`)).toMatchObject({ package: 'none', name: 'carol' });
});

test('an account with a used name or an unknown package is rejected', async () => {
  expectRefused(await request('POST', '/admin/v1/accounts', { name: 'ann' }), '`name` is taken by another account.');
  expectRefused(
    await request('POST', '/admin/v1/accounts', { name: 'dora', package: 'nope' }),
    '`package` does not name an existing package.',
  );
  expectRefused(await request('POST', '/admin/v1/accounts', { name: 'dora', credit: 5 }), '`credit` must be');
  expectRefused(
    await request('POST', '/admin/v1/accounts', { name: 'dora', colour: 1 }),
    '`colour` is not a known field',
  );
  expectRefused(await request('POST', '/admin/v1/accounts', []), 'The body must be');
  expectEnvelope(await request('POST', '/admin/v1/accounts'), { status: 400, code: '', type: 'gateway_error' });
  expect((await owner('GET', '/admin/v1/accounts?name=dora')).data).toEqual([]);
});

test('entries of the configuration file are shown and cannot be changed', async () => {
  const [account] = (await owner('GET', '/admin/v1/accounts?name=filed')).data;
  expect(account.source).toBe('file');
  expectRefused(
    await request('PATCH', `/admin/v1/accounts/${account.id}`, { package: 'none' }),
    'The package of this account is set in the configuration file.',
  );
  for (const [section, kind, name] of [
    ['upstreams', 'upstream', 'filed'],
    ['models', 'model', 'filed-model'],
    ['packages', 'package', 'standard'],
  ]) {
    expect(await owner('GET', `/admin/v1/${section}/${name}`)).toMatchObject({ name, source: 'file' });
    const reply = await request('DELETE', `/admin/v1/${section}/${name}`);
    expectRefused(reply, `The ${kind} \`${name}\` is set in the configuration file.`);
  }
});

test('credits of every kind are booked once per reference, with the actor and the reason', async () => {
  const { id } = await owner('POST', '/admin/v1/accounts', { name: 'eve' });
  const credit = (kind: string, amount: string, reference = kind) =>
    request('POST', `/admin/v1/accounts/${id}/credits`, { kind, amount, reference, reason: 'because' });
  expect((await credit('grant', '1')).json).toMatchObject({ is_new: true, granted: '1.00' });
  expect((await credit('top_up', '10.000000001')).json).toMatchObject({ topped_up: '10.000000001' });
  expect((await credit('refund', '0.5')).json).toMatchObject({ topped_up: '10.500000001' });
  expect((await credit('adjust', '-0.5')).json).toMatchObject({ total: '11.000000001', granted: '0.50' });
  expect((await credit('grant', '1')).json).toMatchObject({ is_new: false, granted: '0.50' });
  const { data } = await owner('GET', `/admin/v1/accounts/${id}/ledger`);
  expect(data.map((line: { kind: string }) => line.kind).sort()).toEqual(['adjust', 'grant', 'refund', 'top_up']);
  const adjusted = data.find((line: { kind: string }) => line.kind === 'adjust');
  expect(adjusted).toMatchObject({ reason: 'because', by: expect.stringMatching(/^tok_/), amount: '-0.50' });
  expectRefused(await credit('grant', '-1', 'x'), '`amount` must not be negative, except for `adjust`.');
  expectRefused(await credit('adjust', '0', 'x'), '`amount` must not be zero.');
  for (const amount of ['1e9', '', '1.', '٣', '0.0000000001']) {
    expectRefused(await credit('grant', amount, 'x'), '`amount` must be a decimal');
  }
});

test('a key shows its secret once, is limited and revoked', async () => {
  const { id: account } = await owner('POST', '/admin/v1/accounts', { name: 'frank' });
  const newKey = { account, name: 'laptop', models: ['filed-*'], expires_at: '2026-03-02T00:00:00+01:00' };
  const { secret, ...made } = await owner('POST', '/admin/v1/keys', newKey);
  expect(secret).toMatch(/^gwk_live_[0-9A-Za-z]{38}$/);
  expect(made).toMatchObject({ state: 'active', expires_at: '2026-03-01T23:00:00.000Z', models: ['filed-*'] });
  expect(await owner('GET', `/admin/v1/keys/${made.id}`)).toEqual(made);
  expect((await owner('GET', `/admin/v1/keys?account=${account}`)).data).toEqual([made]);
  const wider = await owner('PATCH', `/admin/v1/keys/${made.id}`, { models: null, expires_at: null });
  expect(wider).toEqual({ ...made, models: null, expires_at: null, version: wider.version });
  expect(await owner('POST', `/admin/v1/keys/${made.id}/revoke`)).toMatchObject({ state: 'revoked' });
  const past = { ...newKey, expires_at: '2026-01-01T00:00:00Z' };
  expectRefused(await request('POST', '/admin/v1/keys', past), '`expires_at` is in the past.');
  expectRefused(
    await request('POST', '/admin/v1/keys', { ...newKey, name: 'a\u0007' }),
    '`name` must not contain control characters',
  );
  expectEnvelope(await request('POST', '/admin/v1/keys', { ...newKey, account: 'acc_stranger' }), notFound);
});

test('packages, sites, models and upstreams are added and removed', async () => {
  const added = [
    ['upstreams', { name: 'mine', kind: 'openai', base_url: 'https://api.example.com/v1', api_key: '${CANARY_KEY}' }],
    ['models', { id: 'mine/large:1', routes: [{ upstream: 'mine' }], price: { input: '1', output: '2' } }],
    ['packages', { name: 'gold', models: ['mine*'] }],
    ['sites', { name: 'partner', domains: ['p.example'], models: ['*'] }],
  ] as const;
  for (const [section, spec] of added) expect(await owner('POST', `/admin/v1/${section}`, spec)).toBeTruthy();
  const upstream = await owner('GET', '/admin/v1/upstreams/mine');
  expect(upstream).toMatchObject({ source: 'store', secrets: ['api_key'], spec: { name: 'mine' } });
  expect(JSON.stringify(upstream)).not.toContain('CANARY_KEY');
  expect(await owner('GET', `/admin/v1/models/${encodeURIComponent('mine/large:1')}`)).toMatchObject({
    name: 'mine/large:1',
  });
  expectRefused(await request('DELETE', '/admin/v1/upstreams/mine'), 'The upstream `mine` is used by `mine/large:1`.');
  for (const [section, spec] of added.toReversed()) {
    const name = encodeURIComponent('id' in spec ? spec.id : spec.name);
    await owner('DELETE', `/admin/v1/${section}/${name}`);
    expectEnvelope(await request('GET', `/admin/v1/${section}/${name}`), notFound);
    expectEnvelope(await request('DELETE', `/admin/v1/${section}/${name}`), notFound);
  }
});

test('a batch of models is added completely or not at all, and the error explains every invalid model', async () => {
  const model = (id: string, more = {}) => ({ id, routes: [{ upstream: 'filed' }], price: 'free', ...more });
  const names = async () => {
    const { data } = await owner('GET', '/admin/v1/models?limit=200');
    return data.map(({ name }: { name: string }) => name);
  };
  const before = await names();
  const wrong = [
    model('batch-1'),
    model('batch-2', { price: { input: '1' } }),
    model('batch-1'),
    model('batch-3', { routes: [] }),
  ];
  const { status, json } = await request('POST', '/admin/v1/model-batches', { models: wrong });
  expect(status).toBe(400);
  for (const words of [
    'No model was added. Correct or remove the invalid ones.',
    'batch-2: `price.output` is missing.',
    'batch-1: `id` `batch-1` is already taken by `batch-1` in `models`. Choose another',
    'batch-3: `routes` must have 1 or more entries.',
  ]) {
    expect(json.error.message).toContain(words);
  }
  expect(json.error.message.match(/batch-1: /g)).toHaveLength(1);
  expect(await names()).toEqual(before);
  const { data } = await owner('POST', '/admin/v1/model-batches', { models: [model('batch-1'), model('batch-2')] });
  expect(data).toMatchObject([{ name: 'batch-1', source: 'store' }, { name: 'batch-2' }]);
  expect(await names()).toEqual([...before, 'batch-1', 'batch-2']);
  const audit = await owner('GET', '/admin/v1/audit?action=addModels');
  expect(audit.data).toMatchObject([{ subject_kind: 'model', subject_id: '2 models' }]);
  for (const id of ['batch-1', 'batch-2']) await owner('DELETE', `/admin/v1/models/${id}`);
});

test('prices of several models are changed completely or not at all', async () => {
  const model = (id: string) => ({ id, routes: [{ upstream: 'filed' }], price: { input: '1', output: '2' } });
  const { data: added } = await owner('POST', '/admin/v1/model-batches', {
    models: [model('price-1'), model('price-2')],
  });
  const send = (prices: unknown) => request('POST', '/admin/v1/price-batches', { prices });
  const priceOf = async (id: string) => (await owner('GET', `/admin/v1/models/${id}`)).spec.price;
  const right = {
    model: 'price-1',
    version: added[0].version,
    price: { input: '3', output: '4', source: 'list of today' },
  };
  expectRefused(
    await send([right, { model: 'price-2', price: { input: '-1' } }]),
    'No price was changed. Correct or remove the invalid ones. price-2: `price.input` must be',
  );
  expectRefused(await send([right, { model: 'filed-model', price: right.price }]), 'is set in the configuration file');
  expectRefused(await send([right, { model: 'price-3', price: right.price }]), 'There is no model `price-3`.');
  await owner('PUT', '/admin/v1/models/price-2', { ...model('price-2'), aliases: ['alias-2'] });
  expectRefused(await send([{ model: 'alias-2', price: right.price }]), '`price-2` has this alias.');
  expectRefused(await send([right, right]), '`prices` must not name the same entry twice');
  const stale = await send([right, { ...right, model: 'price-2', version: 'old' }]);
  expectEnvelope(stale, { status: 409, code: 'conflict', type: 'gateway_error' });
  expect(stale.json.error.message).toContain('The model price-2 was changed after you read it.');
  expect(await priceOf('price-1')).toEqual({ input: '1', output: '2' });
  const { json } = await send([right, { model: 'price-2', price: right.price }]);
  expect(json.data).toMatchObject([{ name: 'price-1', spec: { price: right.price } }, { name: 'price-2' }]);
  expect(await priceOf('price-2')).toEqual(right.price);
  const audit = await owner('GET', '/admin/v1/audit?action=changePrices');
  expect(audit.data).toMatchObject([
    {
      subject_id: '2 models',
      before: { prices: [{ model: 'price-1', price: { input: '1', output: '2' } }, { model: 'price-2' }] },
      after: { prices: [{ model: 'price-1', price: right.price }, { model: 'price-2' }] },
    },
  ]);
  for (const id of ['price-1', 'price-2']) await owner('DELETE', `/admin/v1/models/${id}`);
});

test('an invalid entry is rejected with the name of the field', async () => {
  expectRefused(await request('POST', '/admin/v1/packages', { name: 'x' }), '`models` is missing');
  expectRefused(
    await request('POST', '/admin/v1/packages', { name: 'standard', models: [] }),
    'The package `standard` is not valid. `name` `standard` is already taken by `standard` in `packages`.',
  );
  const model = { id: 'x', routes: [{ upstream: 'nowhere' }], price: 'free' };
  expectRefused(await request('POST', '/admin/v1/models', model), 'names `nowhere`, which is not in `upstreams`. ');
});

test('the catalog shows the models of a key on a domain', async () => {
  const { ann } = gateway;
  const view = (key: string) => owner('GET', `/admin/v1/catalog?key=${key}&domain=any.example`);
  expect(await view(ann.keyId)).toMatchObject({
    site: 'main',
    key_state: 'active',
    models: [{ id: 'filed-model', tool_calls: null }],
  });
  const limited = await owner('POST', '/admin/v1/keys', { account: ann.account.id, name: 'l', models: ['other'] });
  expect(await view(limited.id)).toMatchObject({ models: [] });
  await owner('POST', `/admin/v1/keys/${limited.id}/revoke`);
  expect(await view(limited.id)).toMatchObject({ key_state: 'revoked', models: [] });
});

test('the system shows its engine and its schema version', async () => {
  expect(await owner('GET', '/admin/v1/system')).toMatchObject({
    engine: 'sqlite',
    release: expect.stringMatching(/^\d+\.\d+\.\d+/),
    schema_version: expect.stringMatching(/^\d{4}-/),
  });
});

test('a token of the role account needs an account, and other tokens have none', async () => {
  const token = (body: object) => gateway.send('POST', '/admin/v1/tokens', { token: gateway.tokens.owner, body });
  const rule = '`account` is required for tokens of the role `account` and not allowed for other roles.';
  expectRefused(await token({ name: 'x', role: 'account' }), rule);
  expectRefused(await token({ name: 'x', role: 'owner', account: gateway.ann.account.id }), rule);
  expectRefused(await token({ name: 'x', role: 'emperor' }), '`role` must be');
  const made = (await token({ name: 'x', role: 'account', account: gateway.bob.account.id })).json;
  const { json } = await gateway.send('GET', '/account/v1/account', { token: made.secret });
  expect(json.id).toBe(gateway.bob.account.id);
});

test('a key has a spend cap, is rotated with a grace period, and is terminated', async () => {
  const { id: account } = await owner('POST', '/admin/v1/accounts', { name: 'grace' });
  const made = await owner('POST', '/admin/v1/keys', { account, name: 'laptop', spend_cap: '2.50' });
  expect(made).toMatchObject({ spend_cap: '2.50', state: 'active' });
  const rotated = await owner('POST', `/admin/v1/keys/${made.id}/rotate`, { grace: '1h' });
  expect(rotated).toMatchObject({ name: 'laptop', spend_cap: '2.50', state: 'active' });
  expect(rotated.secret).not.toBe(made.secret);
  expect(await owner('GET', `/admin/v1/keys/${made.id}`)).toMatchObject({ expires_at: '2026-03-01T01:00:00.000Z' });
  expect(await owner('POST', `/admin/v1/keys/${rotated.id}/terminate`)).toMatchObject({ state: 'revoked' });
  expectRefused(
    await request('POST', `/admin/v1/keys/${rotated.id}/rotate`, { grace: 'now' }),
    'The key is no longer valid.',
  );
  expectRefused(await request('POST', `/admin/v1/keys/${made.id}/rotate`, { grace: 'soon' }), 'grace');
});
