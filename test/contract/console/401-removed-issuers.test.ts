import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeLink } from '../../../src/money/accounts/one-time-links.ts';
import { addOrganisationMember } from '../../../src/money/accounts/organisation-members.ts';
import { organisations } from '../../../src/money/accounts/organisations.ts';
import { accounts } from '../../../src/money/accounts/accounts.ts';
import type { AccountId } from '../../../src/money/accounts/ids.ts';
import { systemClock } from '../../../src/core/time/clock.ts';
import { type Browser, goodPassword, newBrowser } from '../../browser.ts';
import { type ConsolePerson, newAccount, newPerson } from '../../gateways/console-people.ts';
import { startTestGateway, type TestGateway } from '../../gateways/gateway.ts';

let gateway: TestGateway;
let root: ConsolePerson;
beforeAll(async () => {
  gateway = await startTestGateway();
  root = await newPerson(gateway, { operator: 'owner' });
});
afterAll(() => gateway.stop());

let count = 0;
/** An account with two owners. */
async function team(): Promise<{ id: AccountId; stays: ConsolePerson; goes: ConsolePerson }> {
  count += 1;
  const id = await newAccount(gateway, `team-${count}`);
  const person = () => newPerson(gateway, { accounts: { [id]: 'owner' } });
  return { id, stays: await person(), goes: await person() };
}

async function linkFor(by: Browser, path: string, role: string): Promise<string> {
  count += 1;
  const { link } = await by.post(path, { email: `back-${count}@example.com`, role });
  return new URL(link, gateway.url).searchParams.get('token') ?? '';
}

async function accept(secret: string): Promise<number> {
  const body = { name: 'Back', password: goodPassword };
  return (await newBrowser(gateway.url).send('POST', `/auth/invitations/${secret}/accept`, body)).status;
}

test('the invitations of a removed owner end', async () => {
  const { id, stays, goes } = await team();
  const [first, own] = [
    await linkFor(goes, '/account/v1/invitations', 'owner'),
    await linkFor(stays, '/account/v1/invitations', 'viewer'),
  ];
  expect((await stays.send('DELETE', `/account/v1/members/${goes.id}`)).status).toBe(200);
  expect(await accept(first)).toBe(401);
  expect((await stays.get('/account/v1/invitations')).data).toMatchObject([{ created_by: stays.email }]);
  expect(await accept(own)).toBe(200);
  const { data } = await stays.get('/account/v1/members', { 'x-account': id });
  expect(data.map(({ role }: { role: string }) => role)).toEqual(['owner', 'viewer']);
});

test('the list of tokens names the creator, so that a revoked token shows what it made', async () => {
  const { secret, id } = await root.post('/admin/v1/tokens', { name: 'first', role: 'owner' });
  const sent = { method: 'POST', headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' } };
  const body = JSON.stringify({ name: 'second', role: 'owner' });
  expect((await fetch(`${gateway.url}/admin/v1/tokens`, { ...sent, body })).status).toBe(200);
  await root.post(`/admin/v1/tokens/${id}/revoke`);
  const { data } = await root.get('/admin/v1/tokens');
  const creators = data.map(({ name, created_by: by }: { name: string; created_by: string }) => [name, by]);
  expect(creators).toEqual(
    expect.arrayContaining([
      ['first', root.email],
      ['second', id],
    ]),
  );
});

test('a removed owner does not come back through a second invitation of a colleague', async () => {
  const { stays } = await team();
  const email = `twice-${count}@example.com`;
  const invite = async () => {
    const { link } = await stays.post('/account/v1/invitations', { email, role: 'owner' });
    return new URL(link, gateway.url).searchParams.get('token') ?? '';
  };
  const [first, second] = [await invite(), await invite()];
  const twice = newBrowser(gateway.url);
  const body = { name: 'Twice', password: goodPassword };
  await twice.post(`/auth/invitations/${first}/accept`, body);
  const { id } = (await twice.get('/auth/session')).user;
  expect((await stays.send('DELETE', `/account/v1/members/${id}`)).status).toBe(200);
  expect((await twice.send('POST', `/auth/invitations/${second}/accept`, {})).status).toBe(401);
  expect((await twice.get('/auth/session')).accounts).toEqual([]);
});

test.each([
  ['member', 'organisation', 'remove'],
  ['member', 'organisation', 'demote'],
  ['operator', 'gateway', 'remove'],
  ['operator', 'gateway', 'demote'],
] as const)('a former %s of the %s has no other invitation left: %s', async (kind, _where, way) => {
  const { store } = gateway.gateway;
  const organisation = await organisations(store, systemClock).create({ name: `twice-${kind}-${way}` });
  const isOperator = kind === 'operator';
  const goes = await newPerson(gateway, isOperator ? { operator: 'owner' } : {});
  const stays = isOperator ? root : await newPerson(gateway, {});
  if (!isOperator) {
    for (const { id: userId } of [stays, goes]) {
      await addOrganisationMember(store, systemClock, { id: organisation.id, userId, role: 'owner' });
    }
  }
  const [path, low] = isOperator
    ? (['/admin/v1/operators', 'read-only'] as const)
    : (['/account/v1/organisation', 'viewer'] as const);
  const { link } = await stays.post(`${path}/invitations`, { email: goes.email, role: 'owner' });
  const token = new URL(link, gateway.url).searchParams.get('token') ?? '';
  const people = isOperator ? path : `${path}/members`;
  if (way === 'remove') await stays.send('DELETE', `${people}/${goes.id}`);
  else await stays.send('PATCH', `${people}/${goes.id}`, { role: low });
  expect((await goes.send('POST', `/auth/invitations/${token}/accept`, {})).status).toBe(401);
});

test('the removal of an owner lists the keys and webhook endpoints that the owner still knows', async () => {
  const { id: account, stays, goes } = await team();
  const make = (by: Browser, name: string, member: string | null) => by.post('/account/v1/keys', { name, member });
  await make(goes, 'own', goes.id);
  const shared = await make(goes, 'shared', null);
  await make(stays, 'unknown', null);
  const { id } = await make(stays, 'rotated', stays.id);
  const rotated = await goes.post(`/account/v1/keys/${id}/rotate`, { grace: 'now' });
  const hook = { name: 'hook', url: 'https://hooks.example.com/in' };
  const webhook = await goes.post('/account/v1/webhooks', hook);
  await stays.post('/account/v1/webhooks', hook);
  const { json } = await stays.send('DELETE', `/account/v1/members/${goes.id}`);
  expect(json.known_webhooks).toEqual([{ id: webhook.id, name: 'hook', account_id: account }]);
  expect(new Set(json.known_keys.map((key: { id: string }) => key.id))).toEqual(new Set([shared.id, rotated.id]));
});

test('the invitations of an owner who becomes a member end', async () => {
  const { stays, goes } = await team();
  const secret = await linkFor(goes, '/account/v1/invitations', 'owner');
  await stays.send('PATCH', `/account/v1/members/${goes.id}`, { role: 'member' });
  expect(await accept(secret)).toBe(401);
});

test.each(['remove', 'demote'])('the invitations of operators end: %s', async (way) => {
  const goes = await newPerson(gateway, { operator: 'owner' });
  const { id } = await team();
  const secrets = [
    await linkFor(goes, '/admin/v1/operators/invitations', 'owner'),
    await linkFor(goes, `/admin/v1/accounts/${id}/invitations`, 'owner'),
  ];
  if (way === 'remove') await root.send('DELETE', `/admin/v1/operators/${goes.id}`);
  else await root.send('PATCH', `/admin/v1/operators/${goes.id}`, { role: 'read-only' });
  for (const secret of secrets) expect(await accept(secret)).toBe(401);
});

test('the invitations of a revoked token end', async () => {
  const { id } = await team();
  const token = await root.post('/admin/v1/tokens', { name: 'short', role: 'operator' });
  const response = await fetch(`${gateway.url}/admin/v1/accounts/${id}/invitations`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token.secret}`, 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'token@example.com', role: 'owner' }),
  });
  const { link } = (await response.json()) as { link: string };
  await root.post(`/admin/v1/tokens/${token.id}/revoke`);
  expect(await accept(new URL(link, gateway.url).searchParams.get('token') ?? '')).toBe(401);
});

test('the invitations of an owner of the organisation end when the account leaves it', async () => {
  const { store } = gateway.gateway;
  const { id } = await team();
  const organisation = await organisations(store, systemClock).create({ name: `group-${count}` });
  const book = accounts(store, systemClock);
  await book.change(id, { organisationId: organisation.id });
  const goes = await newPerson(gateway, {});
  await addOrganisationMember(store, systemClock, { id: organisation.id, userId: goes.id, role: 'owner' });
  const secret = await linkFor(goes, '/account/v1/invitations', 'owner');
  await book.change(id, { organisationId: null });
  expect(await accept(secret)).toBe(401);
});

test('an invitation of a command stays', async () => {
  const { store, pepper } = gateway.gateway;
  const { id } = await team();
  const purpose = { kind: 'account', accountId: id, email: 'cli@example.com', role: 'owner' } as const;
  const { secret } = await makeLink({ store, pepper, clock: systemClock }, purpose, 'cli');
  expect(await accept(secret)).toBe(200);
});

test.each(['remove', 'demote'])('the tokens of an operator end: %s', async (way) => {
  const goes = await newPerson(gateway, { operator: 'owner' });
  const { id } = await team();
  const made = [
    await goes.post('/admin/v1/tokens', { name: 'mine', role: 'owner' }),
    await goes.post('/admin/v1/tokens', { name: 'mine', role: 'account', account: id }),
  ];
  if (way === 'remove') await root.send('DELETE', `/admin/v1/operators/${goes.id}`);
  else await root.send('PATCH', `/admin/v1/operators/${goes.id}`, { role: 'operator' });
  for (const [index, { secret }] of made.entries()) {
    const path = index === 0 ? '/admin/v1/system' : '/account/v1/account';
    const response = await fetch(gateway.url + path, { headers: { authorization: `Bearer ${secret}` } });
    expect(response.status).toBe(401);
  }
  const [line] = (await root.get('/admin/v1/audit?limit=1')).data;
  expect(new Set(line.after.revoked_tokens)).toEqual(new Set(made.map(({ id: token }) => token)));
});

test('the tokens that a token of a removed operator created end too, also if that token was revoked before', async () => {
  const goes = await newPerson(gateway, { operator: 'owner' });
  const create = async (secret: string) => {
    const response = await fetch(`${gateway.url}/admin/v1/tokens`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'made by a token', role: 'owner' }),
    });
    return (await response.json()) as { id: string; secret: string };
  };
  const first = await goes.post('/admin/v1/tokens', { name: 'first', role: 'owner' });
  const second = await create(first.secret);
  const third = await create(second.secret);
  await root.post(`/admin/v1/tokens/${second.id}/revoke`);
  const statusOf = async (secret: string) =>
    (await fetch(`${gateway.url}/admin/v1/system`, { headers: { authorization: `Bearer ${secret}` } })).status;
  expect(await statusOf(third.secret)).toBe(200);
  await root.send('DELETE', `/admin/v1/operators/${goes.id}`);
  expect(await statusOf(third.secret)).toBe(401);
});

test('the removal of an owner of an organisation lists what the owner issued in its accounts', async () => {
  const { store } = gateway.gateway;
  const { id } = await team();
  const organisation = await organisations(store, systemClock).create({ name: `issued-${count}` });
  await accounts(store, systemClock).change(id, { organisationId: organisation.id });
  const [stays, goes] = [await newPerson(gateway, {}), await newPerson(gateway, { accounts: { [id]: 'member' } })];
  for (const { id: userId } of [stays, goes]) {
    await addOrganisationMember(store, systemClock, { id: organisation.id, userId, role: 'owner' });
  }
  const key = await goes.post('/account/v1/keys', { name: 'shared', member: null });
  const { json } = await stays.send('DELETE', `/account/v1/organisation/members/${goes.id}`);
  expect(json).toMatchObject({
    known_keys: [{ id: key.id, name: 'shared', account_id: id }],
    known_webhooks: [],
    accounts: [{ id, role: 'member' }],
  });
});

test('the removal of an operator lists the keys and webhook endpoints that the operator still knows', async () => {
  const { id: account } = await team();
  const goes = await newPerson(gateway, { operator: 'operator' });
  const key = await goes.post('/admin/v1/keys', { account, name: 'of operator' });
  await goes
    .post('/admin/v1/keys', { account, name: 'ended' })
    .then(({ id }) => goes.post(`/admin/v1/keys/${id}/revoke`));
  const hook = await goes.post('/admin/v1/webhooks', { name: 'hook', url: 'https://hooks.example.com/in' });
  const { json } = await root.send('DELETE', `/admin/v1/operators/${goes.id}`);
  expect(json).toMatchObject({
    known_keys: [{ id: key.id, name: 'of operator', account_id: account }],
    known_webhooks: [{ id: hook.id, name: 'hook', account_id: null }],
  });
});
