import { afterAll, beforeAll, expect, test } from 'vitest';
import { accounts } from '../../../src/money/accounts/accounts.ts';
import { settleCharges } from '../../../src/money/billing/settle.ts';
import { systemClock } from '../../../src/core/time/clock.ts';
import { type Browser, goodPassword, newBrowser, ownerBrowser } from '../../browser.ts';
import { expectEnvelope } from '../../expectations.ts';
import { answer } from '../../fakes/fake-provider.ts';
import { startTestGateway, type TestGateway } from '../../gateways/gateway.ts';
import { teamStore } from './store.ts';

let gateway: TestGateway;
let operator: Browser;
let acme: { readonly id: string };
let east: { readonly id: string };
let west: { readonly id: string };

beforeAll(async () => {
  const store = await teamStore();
  gateway = await startTestGateway((base) => ({
    ...base,
    ...store,
    organisations: [{ name: 'filed', models: ['plain'], limits: [{ amount: '50', period: 'month' }] }],
    accounts: [
      { name: 'tester', package: 'standard', credit: '100.00' },
      { name: 'east', package: 'standard', credit: '10.00' },
      { name: 'west', package: 'standard', credit: '10.00', billing: 'postpaid' },
      { name: 'listed', package: 'standard', organisation: 'filed', limits: [{ amount: '5', period: 'day' }] },
    ],
  }));
  for (const name of ['other', 'thinker']) gateway.provider.respond(name, answer('Hello'));
  operator = await ownerBrowser(gateway.gateway, gateway.url);
  acme = await operator.post('/admin/v1/organisations', { name: 'acme', display_name: 'Acme Ltd' });
  [east, west] = [await accountNamed('east'), await accountNamed('west')];
});
afterAll(() => gateway.stop());

async function accountNamed(name: string): Promise<{ readonly id: string }> {
  return (await operator.get(`/admin/v1/accounts?name=${name}`)).data[0];
}

async function change(path: string, body: unknown) {
  const reply = await operator.send('PATCH', path, body);
  expect(reply.json).toMatchObject({ version: expect.any(String) });
  return reply.json;
}

/** Follows an invitation as a new user, and signs in. */
async function invited(path: string, by: Browser, email: string, role: string): Promise<Browser> {
  const { link } = await by.post(path, { email, role });
  const token = new URL(link, gateway.url).searchParams.get('token');
  const browser = newBrowser(gateway.url);
  await browser.post(`/auth/invitations/${token}/accept`, { name: email.split('@')[0], password: goodPassword });
  return browser;
}

test('the configuration file creates organisations with their models, limits and accounts', async () => {
  const filed = (await operator.get('/admin/v1/organisations?q=filed')).data[0];
  expect(filed).toMatchObject({
    name: 'filed',
    models: ['plain'],
    limits: [{ amount: '50.00', period: 'month' }],
    accounts: 1,
    source: 'file',
  });
  const listed = await accountNamed('listed');
  expect(listed).toMatchObject({
    organisation_id: filed.id,
    organisation: 'filed',
    billing: 'prepaid',
    limits: [{ amount: '5.00', period: 'day' }],
    windows: [{ period: 'day', amount: '5.00', spent: '0.00', left: '5.00', resets_at: expect.any(String) }],
  });
  expect(await accountNamed('west')).toMatchObject({ billing: 'postpaid' });
});

test('the models of an organisation narrow those of its accounts, from the next request on', async () => {
  const headers = { authorization: `Bearer ${await gateway.newKey({ account: 'east' })}` };
  expect((await gateway.chat({ model: 'other' }, headers)).status).toBe(200);
  await change(`/admin/v1/accounts/${east.id}`, { organisation: 'acme' });
  await change(`/admin/v1/organisations/${acme.id}`, { models: ['plain', 'thinker'] });
  const denied = { status: 403, code: 'access_denied', type: 'access_denied_error' };
  await expect.poll(async () => (await gateway.chat({ model: 'other' }, headers)).status).toBe(403);
  const refused = await gateway.chat({ model: 'other' }, headers);
  expect(refused.json.error).toMatchObject({ code: denied.code });
  expect((await gateway.chat({ model: 'plain' }, headers)).status).toBe(200);
  const listed = await gateway.get('/v1/models', headers);
  expect(listed.json.data.map(({ id }: { id: string }) => id)).toEqual(['plain', 'thinker']);
  await change(`/admin/v1/organisations/${acme.id}`, { models: null });
  await expect.poll(async () => (await gateway.chat({ model: 'other' }, headers)).status).toBe(200);
});

test('an owner of an organisation owns each of its accounts, and a viewer reads them', async () => {
  for (const { id } of [east, west]) await change(`/admin/v1/accounts/${id}`, { organisation: acme.id });
  const path = `/admin/v1/organisations/${acme.id}/invitations`;
  const owner = await invited(path, operator, 'olga@example.com', 'owner');
  const session = await owner.get('/auth/session');
  expect(session.organisations).toEqual([{ id: acme.id, name: 'Acme Ltd', role: 'owner' }]);
  expect(session.accounts.map(({ name, role }: { name: string; role: string }) => [name, role])).toEqual([
    ['east', 'owner'],
    ['west', 'owner'],
  ]);
  expect(await owner.get('/account/v1/organisation')).toMatchObject({ id: acme.id, accounts: 2 });
  const { data } = await owner.get('/account/v1/organisation/accounts');
  expect(data.map(({ name }: { name: string }) => name)).toEqual(['east', 'west']);
  const key = await owner.post('/account/v1/keys', { name: 'hers' }, { 'x-account': west.id });
  expect(key).toMatchObject({ account_id: west.id, member: 'olga@example.com' });

  const viewer = await invited('/account/v1/organisation/invitations', owner, 'vera@example.com', 'viewer');
  expect(await viewer.get('/account/v1/account', { 'x-account': east.id })).toMatchObject({ name: 'east' });
  const writes = await viewer.send('POST', '/account/v1/keys', { name: 'no' }, { 'x-account': east.id });
  expectEnvelope(writes, { status: 403, code: 'forbidden', type: 'gateway_error' });
  const invites = await viewer.send('POST', '/account/v1/organisation/invitations', {
    email: 'x@example.com',
    role: 'owner',
  });
  expectEnvelope(invites, { status: 403, code: 'forbidden', type: 'gateway_error' });
  const other = await viewer.send('GET', '/account/v1/organisation', undefined, { 'x-organisation': 'org_other' });
  expect(other.status).toBe(404);

  // The last owner stays. A removed member loses the accounts, and the keys that count for the member are revoked.
  const members = (await owner.get('/account/v1/organisation/members')).data;
  const [olga, vera] = members as readonly { readonly id: string }[];
  const self = await owner.send('DELETE', `/account/v1/organisation/members/${olga!.id}`);
  expect(self.json.error).toMatchObject({ reason: 'last_owner' });
  await change(`/admin/v1/accounts/${west.id}`, { organisation: null });
  const gone = await operator.get(`/admin/v1/keys/${key.id}`);
  expect(gone).toMatchObject({ state: 'revoked' });
  const removed = await owner.send('DELETE', `/account/v1/organisation/members/${vera!.id}`);
  expect(removed.status).toBe(200);
  const left = await viewer.send('GET', '/account/v1/account', undefined, { 'x-account': east.id });
  expect(left.status).toBe(404);
  await change(`/admin/v1/accounts/${west.id}`, { organisation: acme.id });
});

test('an organisation with accounts cannot be removed, and one without can', async () => {
  const refused = await operator.send('DELETE', `/admin/v1/organisations/${acme.id}`);
  expect(refused.json.error).toMatchObject({ reason: 'organisation_has_accounts' });
  const { id } = await operator.post('/admin/v1/organisations', { name: 'brief' });
  expect((await operator.send('DELETE', `/admin/v1/organisations/${id}`)).status).toBe(200);
  expect((await operator.send('GET', `/admin/v1/organisations/${id}`)).status).toBe(404);
  const taken = await operator.send('POST', '/admin/v1/organisations', { name: 'acme' });
  expect(taken.json.error.problems).toMatchObject([{ field: 'name', reason: 'organisation_name_taken' }]);
  const unknown = await operator.send('PATCH', `/admin/v1/accounts/${east.id}`, { organisation: 'acm' });
  expect(unknown.json.error.problems).toMatchObject([{ field: 'organisation', reason: 'no_such_organisation' }]);
});

test('the bill of a month has a line for each account that belonged to the organisation at its end', async () => {
  const { store } = gateway.gateway;
  const month = new Date(Date.now() - 40 * 86_400_000).toISOString().slice(0, 7);
  const within = Date.parse(`${month}-10T00:00:00Z`);
  const old = await accounts(store, { ...systemClock, now: () => within - 1000 }).create({
    name: 'old',
    packageName: 'standard',
    organisationId: acme.id as never,
  });
  await operator.post(`/admin/v1/accounts/${old.id}/credits`, {
    kind: 'grant',
    amount: '2',
    reference: 'first',
    reason: 'first',
  });
  await store.db.updateTable('accounts').set({ created_at: within }).where('id', 'in', [east.id]).execute();
  await store.db.updateTable('accounts').set({ organisation_since: within }).where('id', 'in', [east.id]).execute();
  const charge = { processId: 'p', held: 0n, priceVersion: 'p_1', by: 'gateway', reason: 'request' } as const;
  for (const [accountId, cost] of [
    [old.id, 2_000_000_000n],
    [east.id, 3_000_000_000n],
    [west.id, 5_000_000_000n],
  ] as const) {
    await store.commit(settleCharges, [
      { ...charge, accountId, keyId: 'k', requestId: `r ${accountId}`, cost, at: within },
    ]);
  }
  const owner = newBrowser(gateway.url);
  await owner.post('/auth/sign-in', { email: 'olga@example.com', password: goodPassword });
  // `west` joined after that month, so the bill has no line for it.
  const bill = await owner.get(`/account/v1/organisation/bills/${month}`);
  expect(bill).toMatchObject({
    is_closed: true,
    document: expect.stringMatching(/^B-\d{4}-000001$/),
    charges: '-5.00',
    open_amount: '5.00',
    lines: [
      { account: 'east', charges: '-3.00', closing: '-3.00' },
      { account: 'old', charges: '-2.00', closing: '-2.00' },
    ],
  });
  const csv = await owner.send('GET', `/account/v1/organisation/bills/${month}/csv`);
  expect(csv.text.split('\r\n').slice(0, 4)).toEqual([
    'month,account,account_id,opening,credits,charges,closing,currency',
    `${month},east,${east.id},0.00,0.00,-3.00,-3.00,USD`,
    `${month},old,${old.id},0.00,0.00,-2.00,-2.00,USD`,
    `${month},total,,0.00,0.00,-5.00,-5.00,USD`,
  ]);
  const pdf = await fetch(`${gateway.url}/account/v1/organisation/bills/${month}/pdf`, {
    headers: { cookie: [...owner.cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
  });
  expect(pdf.headers.get('content-type'), pdf.ok ? '' : await pdf.text()).toMatch(/^application\/pdf/);
  expect((await pdf.arrayBuffer()).byteLength).toBeGreaterThan(1000);
  // An account that leaves stays on the bill, which never changes.
  await change(`/admin/v1/accounts/${old.id}`, { organisation: null });
  const again = (await operator.get(`/admin/v1/organisations/${acme.id}/bills`)).data;
  expect(again.find((each: { month: string }) => each.month === month)).toEqual(bill);
});
