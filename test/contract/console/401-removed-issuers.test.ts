import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeLink } from '../../../src/accounts/one-time-links.ts';
import { addOrganisationMember } from '../../../src/accounts/organisation-members.ts';
import { organisations } from '../../../src/accounts/organisations.ts';
import { accounts } from '../../../src/accounts/accounts.ts';
import type { AccountId } from '../../../src/accounts/ids.ts';
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

test('the removal of an owner lists the keys that the owner still knows', async () => {
  const { stays, goes } = await team();
  const make = (by: Browser, name: string, member: string | null) => by.post('/account/v1/keys', { name, member });
  await make(goes, 'own', goes.id);
  const shared = await make(goes, 'shared', null);
  await make(stays, 'unknown', null);
  const { id } = await make(stays, 'rotated', stays.id);
  const rotated = await goes.post(`/account/v1/keys/${id}/rotate`, { grace: 'now' });
  const { json } = await stays.send('DELETE', `/account/v1/members/${goes.id}`);
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
