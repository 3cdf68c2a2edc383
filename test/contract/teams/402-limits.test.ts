import { afterAll, beforeAll, expect, test } from 'vitest';
import { addMember } from '../../../src/money/accounts/members.ts';
import { createUser } from '../../../src/money/accounts/users.ts';
import { settleCharges } from '../../../src/money/billing/settle.ts';
import { systemClock } from '../../../src/core/time/clock.ts';
import { type Browser, ownerBrowser } from '../../browser.ts';
import { answer } from '../../fakes/fake-provider.ts';
import { startTestGateway, type TestGateway } from '../../gateways/gateway.ts';
import { teamStore } from './store.ts';

let gateway: TestGateway;
let operator: Browser;

beforeAll(async () => {
  const store = await teamStore();
  gateway = await startTestGateway((base) => ({
    ...base,
    ...store,
    organisations: [{ name: 'acme', limits: [{ amount: '2', period: 'month' }] }],
    accounts: [
      { name: 'tester', package: 'standard', credit: '100.00' },
      { name: 'later', package: 'standard', billing: 'postpaid', limits: [{ amount: '1', period: 'day' }] },
      { name: 'east', package: 'standard', credit: '10.00', organisation: 'acme' },
      { name: 'west', package: 'standard', credit: '10.00', organisation: 'acme' },
      { name: 'team', package: 'standard', credit: '10.00' },
    ],
  }));
  gateway.provider.respond('other', answer('Hello'));
  operator = await ownerBrowser(gateway.gateway, gateway.url);
});
afterAll(() => gateway.stop());

async function accountNamed(name: string) {
  return (await operator.get(`/admin/v1/accounts?name=${name}`)).data[0];
}

async function keyOf(account: string, more: object = {}) {
  const { id } = await accountNamed(account);
  const { id: keyId, secret } = await operator.post('/admin/v1/keys', { account: id, name: 'test', ...more });
  return { id: keyId, accountId: id, headers: { authorization: `Bearer ${secret}` } };
}

let charged = 0;
/** Books a charge of a request of this key, as another process would. */
async function charge(key: { readonly id: string; readonly accountId: string }, cost: bigint): Promise<void> {
  charged += 1;
  const terms = { processId: 'other', held: 0n, priceVersion: 'p_1', by: 'gateway', reason: 'request' } as const;
  const settlement = { ...terms, accountId: key.accountId, keyId: key.id, requestId: `charge ${charged}`, cost };
  await gateway.gateway.store.commit(settleCharges, [{ ...settlement, at: Date.now() }]);
}

const refusal = async (headers: Record<string, string>) => (await gateway.chat({}, headers)).json?.error;

test('a postpaid account without money is served, owes the charge, and ends at its limit', async () => {
  const key = await keyOf('later');
  expect((await gateway.chat({}, key.headers)).status).toBe(200);
  const balance = async () => operator.get(`/admin/v1/accounts/${key.accountId}/balance`);
  await expect.poll(async () => Number((await balance()).open_amount)).toBeGreaterThan(0);
  expect(await balance()).toMatchObject({ billing: 'postpaid', spendable: null });
  await charge(key, 1_000_000_000n);
  await operator.send('PATCH', `/admin/v1/accounts/${key.accountId}`, { limits: [{ amount: '0.5', period: 'day' }] });
  await expect.poll(async () => (await gateway.chat({}, key.headers)).status).toBe(402);
  expect(await refusal(key.headers)).toMatchObject({ code: 'insufficient_balance' });
  const { windows } = await accountNamed('later');
  expect(windows).toMatchObject([{ period: 'day', amount: '0.50', left: '0.00' }]);
  // A payment settles the open amount.
  const { open_amount: open } = await balance();
  await operator.post(`/admin/v1/accounts/${key.accountId}/credits`, {
    kind: 'top_up',
    amount: open,
    reference: 'INV-1',
    reason: 'invoice paid',
  });
  expect(await balance()).toMatchObject({ open_amount: '0.00', total: '0.00' });
});

test('the limit of an organisation counts the spend of all its accounts', async () => {
  const [east, west] = [await keyOf('east'), await keyOf('west')];
  await charge(east, 2_000_000_000n);
  expect(await refusal(west.headers)).toMatchObject({ code: 'insufficient_balance' });
  const { data } = await operator.get('/admin/v1/organisations');
  expect(data[0].windows).toMatchObject([{ period: 'month', amount: '2.00', spent: '2.00', left: '0.00' }]);
  await operator.send('PATCH', `/admin/v1/accounts/${west.accountId}`, { organisation: null });
  await expect.poll(async () => (await gateway.chat({}, west.headers)).status).toBe(200);
});

test('the limit and the models of a member hold for all keys of the member, and for no other key', async () => {
  const { store } = gateway.gateway;
  const team = await accountNamed('team');
  const user = { email: 'grace@example.com', name: 'Grace', passwordHash: '', isVerified: true };
  const { id: userId } = await createUser(store.db, systemClock, user);
  await addMember(store, systemClock, { accountId: team.id, userId, role: 'member' });
  const [first, second, free] = [
    await keyOf('team', { member: userId }),
    await keyOf('team', { member: userId }),
    await keyOf('team'),
  ];
  expect((await gateway.chat({ model: 'other' }, second.headers)).status).toBe(200);
  const terms = { member: userId, limits: [{ amount: '1', period: 'week' }], models: ['plain'] };
  await operator.send('PATCH', `/admin/v1/accounts/${team.id}/members`, terms);
  await expect.poll(async () => (await gateway.chat({ model: 'other' }, second.headers)).status).toBe(403);
  expect((await gateway.chat({ model: 'other' }, free.headers)).status).toBe(200);
  await charge(first, 1_000_000_000n);
  await operator.send('PATCH', `/admin/v1/accounts/${team.id}/members`, {
    member: userId,
    limits: [{ amount: '0.9', period: 'week' }],
  });
  await expect.poll(async () => (await gateway.chat({}, second.headers)).status).toBe(402);
  expect((await gateway.chat({}, free.headers)).status).toBe(200);
  const { data } = await operator.get(`/admin/v1/accounts/${team.id}/members`);
  expect(data).toMatchObject([{ email: 'grace@example.com', keys: 2, windows: [{ period: 'week', left: '0.00' }] }]);
  // A rotated key still counts for the member. Without a member, the limit does not hold.
  const rotated = await operator.post(`/admin/v1/keys/${second.id}/rotate`, { grace: 'now' });
  expect(rotated).toMatchObject({ member_id: userId });
  await operator.send('PATCH', `/admin/v1/keys/${rotated.id}`, { member: null });
  const headers = { authorization: `Bearer ${rotated.secret}` };
  await expect.poll(async () => (await gateway.chat({}, headers)).status).toBe(200);
});

test('an owner of an account creates a key for themselves, for no member, and moves it to another member', async () => {
  const { store } = gateway.gateway;
  const { id: accountId } = await accountNamed('team');
  const { user } = await operator.get('/auth/session');
  await addMember(store, systemClock, { accountId, userId: user.id, role: 'owner' });
  const ida = { email: 'ida@example.com', name: 'Ida', passwordHash: '', isVerified: true };
  const { id: idaId } = await createUser(store.db, systemClock, ida);
  await addMember(store, systemClock, { accountId, userId: idaId, role: 'member' });
  const own = await operator.post('/account/v1/keys', { name: 'own' });
  const free = await operator.post('/account/v1/keys', { name: 'free', member: null });
  expect([own.member_id, free.member_id]).toEqual([user.id, null]);
  await operator.send('PATCH', `/account/v1/keys/${free.id}`, { member: idaId });
  expect(await operator.get(`/account/v1/keys/${free.id}`)).toMatchObject({ member_id: idaId, member: ida.email });
});
