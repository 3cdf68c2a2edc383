import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { accounts } from '../../../src/money/accounts/accounts.ts';
import { addMember, type MemberRole, removeMember } from '../../../src/money/accounts/members.ts';
import { addOperator, type OperatorRole } from '../../../src/money/accounts/operators.ts';
import { createUser, userByEmail } from '../../../src/money/accounts/users.ts';
import { passwords } from '../../../src/manage/console/passwords.ts';
import { systemClock } from '../../../src/core/time/clock.ts';
import { atOnce } from '../../stores/at-once.ts';
import { type Browser, goodPassword, newBrowser, ownerBrowser } from '../../browser.ts';
import { expectEnvelope } from '../../expectations.ts';
import { cheapPasswords, startTestGateway, type TestGateway } from '../../gateways/gateway.ts';
import { totpCode } from '../../fakes/totp.ts';

let gateway: TestGateway;
let root: Browser;
let hash: string;
let time = 0;
const clock = { ...systemClock, now: () => Date.now() + time, elapsed: systemClock.elapsed };
const ids = { ann: '', bob: '' };
beforeAll(async () => {
  gateway = await startTestGateway(undefined, { clock });
  root = await ownerBrowser(gateway.gateway, gateway.url);
  hash = await passwords(cheapPasswords).hash(goodPassword);
  const book = accounts(gateway.gateway.store, systemClock);
  for (const name of ['ann', 'bob'] as const) ids[name] = (await book.create({ name, packageName: 'standard' })).id;
});
afterAll(() => gateway.stop());

const refused = { status: 401, code: 'sign_in_refused', type: 'authentication_error' };
const forbidden = { status: 403, code: 'forbidden', type: 'gateway_error' };
const newPassword = 'a brand-new password';
const open = (): Browser => newBrowser(gateway.url);
const secretIn = (link: string): string => new URL(link, gateway.url).searchParams.get('token') ?? '';

let count = 0;
/** Creates a user with these rights, not signed in. */
async function user(roles: Partial<Record<'ann' | 'bob', MemberRole>>, operator?: OperatorRole) {
  count += 1;
  const { store } = gateway.gateway;
  const made = { email: `someone-${count}@example.com`, name: 'Someone', passwordHash: hash, isVerified: true };
  const { id } = await createUser(store.db, systemClock, made);
  for (const [name, role] of Object.entries(roles)) {
    await addMember(store, systemClock, { accountId: ids[name as 'ann'], userId: id, role });
  }
  if (operator) await addOperator(store, systemClock, { userId: id, role: operator });
  return { id, email: made.email };
}

async function signIn(email: string, password = goodPassword): Promise<Browser> {
  const browser = open();
  await browser.post('/auth/sign-in', { email, password });
  return browser;
}

const inAnn = () => ({ 'x-account': ids.ann });

test('an owner’s reset link for a member works once and ends every session; the audit log has both actions', async () => {
  const owner = await signIn((await user({ ann: 'owner' })).email);
  const lost = await user({ ann: 'member' });
  const otherSession = await signIn(lost.email);
  const made = await owner.post(`/account/v1/members/${lost.id}/reset`, { resets: 'password' }, inAnn());
  expect(made.link).toMatch(/^\/app\/reset\?token=gwl_/);
  const path = `/auth/resets/${secretIn(made.link)}`;
  expect(await open().get(path)).toEqual({ email: lost.email, name: 'Someone', resets: 'password' });
  for (const bad of ['short', 'Password1234']) {
    expect((await open().send('POST', path, { password: bad })).status).toBe(400);
  }
  const follow = () => open().send('POST', path, { password: newPassword });
  const replies = await atOnce(
    gateway.gateway.store,
    Array.from({ length: 4 }, () => follow),
  );
  expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 401, 401, 401]);
  expect((await otherSession.get('/auth/session')).user).toBeNull();
  expectEnvelope(await open().send('POST', '/auth/sign-in', { email: lost.email, password: goodPassword }), refused);
  expect((await (await signIn(lost.email, newPassword)).get('/auth/session')).user.email).toBe(lost.email);
  expectEnvelope(await open().send('GET', path), refused);
  const { data } = await root.get(`/admin/v1/audit?subject_id=${lost.id}`);
  const resetLines = data.filter(
    ({ action }: { action: string }) => action.includes('Reset') || action.includes('reset'),
  );
  expect(resetLines).toMatchObject([
    { action: 'followReset', actor: lost.email, after: { resets: 'password' } },
    { action: 'resetMember', after: { email: lost.email, resets: 'password' } },
  ]);
  expect(JSON.stringify(data)).not.toContain('gwl_');
});

test('a reset link for the second factor needs the password, and removes the second factor', async () => {
  const lost = await user({ ann: 'member' });
  const before = await signIn(lost.email);
  const { secret } = await before.post('/auth/totp/begin', { password: goodPassword });
  await before.post('/auth/totp/confirm', { code: totpCode(secret) });
  const made = await root.post(`/admin/v1/people/${lost.id}/reset`, { resets: 'second-factor' });
  const path = `/auth/resets/${secretIn(made.link)}`;
  expectEnvelope(await open().send('POST', path, { password: 'not the password' }), refused);
  const back = open();
  expect(await back.post(path, { password: goodPassword })).toEqual({ next: 'done' });
  expect((await back.get('/auth/session')).user.two_factor).toBe(false);
  expect((await before.get('/auth/session')).user).toBeNull();
});

test('a password reset keeps the second factor, and backup codes are renewed with the password', async () => {
  const lost = await user({ ann: 'member' });
  const before = await signIn(lost.email);
  expect((await before.send('POST', '/auth/totp/backup-codes', { password: goodPassword })).status).toBe(400);
  const { secret, backup_codes: old } = await before.post('/auth/totp/begin', { password: goodPassword });
  await before.post('/auth/totp/confirm', { code: totpCode(secret) });
  const again = await before.send('POST', '/auth/totp/begin', { password: goodPassword });
  expect(again.json.error.message).toContain('already on');
  expectEnvelope(await before.send('POST', '/auth/totp/backup-codes', { password: 'not the password' }), refused);
  const { backup_codes: codes } = await before.post('/auth/totp/backup-codes', { password: goodPassword });
  const phoneless = open();
  await phoneless.post('/auth/sign-in', { email: lost.email, password: goodPassword });
  expectEnvelope(await phoneless.send('POST', '/auth/two-factor', { code: old[0] }), refused);
  expect(await phoneless.post('/auth/two-factor', { code: codes[0] })).toEqual({ next: 'done' });
  const made = await root.post(`/admin/v1/people/${lost.id}/reset`, { resets: 'password' });
  const back = open();
  const path = `/auth/resets/${secretIn(made.link)}`;
  expect(await back.post(path, { password: newPassword })).toEqual({ next: 'two-factor' });
  expect((await back.get('/auth/session')).user).toBeNull();
  const both = await root.post(`/admin/v1/people/${lost.id}/reset`, { resets: 'both' });
  expect(await back.post(`/auth/resets/${secretIn(both.link)}`, { password: newPassword })).toEqual({ next: 'done' });
});

test('account owners cannot reset users with further rights, also if the rights are added later', async () => {
  const boss = await user({ ann: 'owner' });
  const owner = await signIn(boss.email);
  const send = (id: string) => owner.send('POST', `/account/v1/members/${id}/reset`, { resets: 'both' }, inAnn());
  expectEnvelope(await send((await user({ ann: 'member', bob: 'viewer' })).id), forbidden);
  expectEnvelope(await send((await user({ ann: 'viewer' }, 'read-only')).id), forbidden);
  expect((await send((await user({ bob: 'member' })).id)).status).toBe(404);
  expect((await send(boss.id)).status).toBe(400);
  const member = await signIn((await user({ ann: 'member' })).email);
  const target = await user({ ann: 'member' });
  const path = `/account/v1/members/${target.id}/reset`;
  expectEnvelope(await member.send('POST', path, { resets: 'both' }, inAnn()), forbidden);

  const { store } = gateway.gateway;
  const expectRefusedLink = async (link: string): Promise<void> => {
    const reset = `/auth/resets/${secretIn(link)}`;
    expectEnvelope(await open().send('GET', reset), refused);
    expectEnvelope(await open().send('POST', reset, { password: newPassword }), refused);
  };
  const grown = (await send(target.id)).json.link;
  await addMember(store, systemClock, { accountId: ids.bob, userId: target.id, role: 'viewer' });
  await expectRefusedLink(grown);
  await removeMember(store, systemClock, { accountId: ids.bob, userId: target.id });
  await addOperator(store, systemClock, { userId: target.id, role: 'read-only' });
  await expectRefusedLink(grown);

  const other = await user({ ann: 'member' });
  const first = (await send(other.id)).json.link;
  const second = (await send(other.id)).json.link;
  await expectRefusedLink(first);
  const chief = await signIn((await user({ ann: 'owner' })).email);
  expect((await chief.send('PATCH', `/account/v1/members/${boss.id}`, { role: 'viewer' }, inAnn())).status).toBe(200);
  await expectRefusedLink(second);
});

test.each(['password', 'second-factor'] as const)(
  'a reset link for a lost %s is refused if its user gets further rights while it is used',
  async (resets) => {
    const { store } = gateway.gateway;
    const owner = await signIn((await user({ ann: 'owner' })).email);
    const lost = await user({ ann: 'member' });
    const { link } = await owner.post(`/account/v1/members/${lost.id}/reset`, { resets }, inAnn());
    const { transaction } = store;
    let grants = 0;
    // Runs between the check of the link and its use.
    const between = vi.spyOn(store, 'transaction').mockImplementation(async (work, options) => {
      between.mockRestore();
      grants += 1;
      await addOperator(store, systemClock, { userId: lost.id, role: 'owner' });
      return transaction(work, options);
    });
    const password = resets === 'password' ? newPassword : goodPassword;
    expectEnvelope(await open().send('POST', `/auth/resets/${secretIn(link)}`, { password }), refused);
    expect(grants).toBe(1);
    expect((await (await signIn(lost.email)).get('/auth/session')).user.email).toBe(lost.email);
  },
);

test('an operator can reset all users without higher rights, and a link expires after three hours', async () => {
  const operator = await signIn((await user({}, 'operator')).email);
  const send = (id: string) => operator.send('POST', `/admin/v1/people/${id}/reset`, { resets: 'both' });
  const chief = (await userByEmail(gateway.gateway.store.db, 'owner@example.com'))!;
  expectEnvelope(await send(chief.id), forbidden);
  expect((await send('usr_stranger')).status).toBe(404);
  const { id } = await user({ ann: 'owner', bob: 'member' });
  const { link } = (await send(id)).json;
  await addOperator(gateway.gateway.store, systemClock, { userId: id, role: 'owner' });
  expectEnvelope(await open().send('GET', `/auth/resets/${secretIn(link)}`), refused);
  const old = (await send((await user({ ann: 'viewer' })).id)).json.link;
  expect((await open().send('GET', `/auth/resets/${secretIn(old)}`)).status).toBe(200);
  time = 3 * 3_600_000 + 1;
  expectEnvelope(await open().send('GET', `/auth/resets/${secretIn(old)}`), refused);
  time = 0;
  const invitation = await root.post(`/admin/v1/accounts/${ids.ann}/invitations`, { email: 'x@y.zz', role: 'owner' });
  expectEnvelope(await open().send('GET', `/auth/resets/${secretIn(invitation.link)}`), refused);
  expectEnvelope(await open().send('GET', `/auth/invitations/${secretIn(old)}`), refused);
});

test('open links are listed and revoked, but not by operators with lower rights than the link gives', async () => {
  const operator = await signIn((await user({}, 'operator')).email);
  const lost = await user({ ann: 'viewer' });
  const reset = (await operator.send('POST', `/admin/v1/people/${lost.id}/reset`, { resets: 'both' })).json;
  // Two links of the same millisecond have no defined order.
  time += 1;
  const invited = await root.post('/admin/v1/operators/invitations', { email: 'chief@example.com', role: 'owner' });
  const seen = async (by: Browser): Promise<unknown> =>
    (await by.get('/admin/v1/links?limit=2')).data.map(({ id }: { id: string }) => id);
  expect(await seen(root)).toEqual([invited.id, reset.id]);
  expect(await seen(operator)).not.toContain(invited.id);
  expect(await seen(operator)).toContain(reset.id);
  expect((await operator.send('DELETE', `/admin/v1/links/${invited.id}`)).status).toBe(404);
  expect((await open().send('GET', `/auth/invitations/${secretIn(invited.link)}`)).status).toBe(200);
  expect((await operator.send('DELETE', `/admin/v1/links/${reset.id}`)).status).toBe(200);
  expectEnvelope(await open().send('GET', `/auth/resets/${secretIn(reset.link)}`), refused);
  expectEnvelope(await open().send('POST', `/auth/resets/${secretIn(reset.link)}`, { password: newPassword }), refused);
  expect(await seen(root)).not.toContain(reset.id);
});

test('all users are listed with their rights, page by page', async () => {
  const both = await root.get('/admin/v1/people?q=SOMEONE-1%40');
  expect(both.data).toMatchObject([
    { email: 'someone-1@example.com', accounts: [{ id: ids.ann, name: 'ann', role: 'owner' }], operator: null },
  ]);
  const first = await root.get('/admin/v1/people?limit=1&q=someone-1');
  const next = await root.get(`/admin/v1/people?limit=200&q=someone-1&cursor=${first.next}`);
  expect(next.next).toBeNull();
  const emails = [...first.data, ...next.data].map(({ email }: { email: string }) => email);
  expect(new Set(emails).size).toBe(emails.length);
  expect(emails.length).toBe((await root.get('/admin/v1/people?limit=200&q=someone-1')).data.length);
  expect((await root.get('/admin/v1/people?q=owner%40')).data).toMatchObject([{ operator: 'owner' }]);
});

test('a role is changed in place, and the last owner cannot be demoted', async () => {
  const account = await accounts(gateway.gateway.store, systemClock).create({ name: 'roles', packageName: 'standard' });
  const [one, two] = [await user({}), await user({})];
  const { store } = gateway.gateway;
  await addMember(store, systemClock, { accountId: account.id, userId: one.id, role: 'owner' });
  await addMember(store, systemClock, { accountId: account.id, userId: two.id, role: 'viewer' });
  const owner = await signIn(one.email);
  const change = (id: string, role: string) => owner.send('PATCH', `/account/v1/members/${id}`, { role });
  expect((await change(one.id, 'member')).json.error.message).toContain('last owner');
  expect((await change(two.id, 'owner')).json).toMatchObject({ role: 'owner', email: two.email });
  expect((await change(one.id, 'member')).status).toBe(200);
  expectEnvelope(await change(two.id, 'viewer'), forbidden);
  const { data } = await root.get('/admin/v1/audit?action=changeMember');
  expect(data[0]).toMatchObject({ actor: one.email, before: { role: 'owner' }, after: { role: 'member' } });
  const operator = await user({}, 'read-only');
  const raised = await root.send('PATCH', `/admin/v1/operators/${operator.id}`, { role: 'operator' });
  expect(raised.json).toMatchObject({ role: 'operator' });
});

test('a role change with an outdated version is refused, and the error names only actors of the same account', async () => {
  const someone = await user({ ann: 'viewer', bob: 'viewer' });
  const [ann, bob] = [await user({ ann: 'owner' }), await user({ bob: 'owner' })];
  const path = `/account/v1/members/${someone.id}`;
  const there = await signIn(bob.email);
  const seen = await there.get(path);
  expect(seen).toEqual(
    (await there.get('/account/v1/members')).data.find(({ id }: { id: string }) => id === someone.id),
  );
  await there.send('PATCH', path, { role: 'owner' });
  await (await signIn(ann.email)).send('PATCH', path, { role: 'member' });
  const late = await there.send('PATCH', path, { role: 'member' }, { 'if-match': `"${seen.version}"` });
  expectEnvelope(late, { status: 409, code: 'conflict', type: 'gateway_error' });
  expect(late.json.error.message).toContain(`by ${bob.email}`);
  expect(late.json.error.message).not.toContain(ann.email);
  const operator = await user({}, 'read-only');
  const asSeen = await root.get(`/admin/v1/operators/${operator.id}`);
  const raise = (role: string) =>
    root.send('PATCH', `/admin/v1/operators/${operator.id}`, { role }, { 'if-match': `"${asSeen.version}"` });
  expect((await raise('operator')).status).toBe(200);
  expect((await raise('owner')).json.error.message).toContain('`role` is "operator", it was "read-only"');
});

test('owners see the audit log of their account and its members, and of no other account', async () => {
  const owner = await signIn((await user({ ann: 'owner' })).email);
  const both = await user({ ann: 'member', bob: 'owner' });
  const other = await signIn(both.email);
  const invited = { email: 'new-at-bobs@example.com', role: 'viewer' };
  await other.post('/account/v1/invitations', invited, { 'x-account': ids.bob });
  await root.post(`/admin/v1/accounts/${ids.ann}/credits`, {
    kind: 'grant',
    amount: '1',
    reference: 'for the log',
    reason: 'test',
  });
  const { data } = await owner.get('/account/v1/audit?limit=200', inAnn());
  const line = (action: string, actor: string) =>
    data.find((each: { action: string; actor: string }) => each.action === action && each.actor === actor);
  expect(line('signIn', both.email)).toMatchObject({ address: '127.0.0.1', device: 'node' });
  expect(line('creditAccount', 'owner@example.com')).toMatchObject({ address: null, device: null });
  expect(JSON.stringify(data)).not.toContain('new-at-bobs');
  const bobs = await other.get('/account/v1/audit', { 'x-account': ids.bob });
  expect(bobs.data[0]).toMatchObject({ action: 'inviteMember', subject_name: invited.email });
  expect(JSON.stringify(bobs)).not.toContain('for the log');
  expectEnvelope(await other.send('GET', '/account/v1/audit', undefined, inAnn()), forbidden);
  const table = await owner.send('GET', '/account/v1/audit.csv?action=creditAccount', undefined, inAnn());
  expect(table.headers.get('content-disposition')).toContain('audit.csv');
  expect(table.text.split('\r\n')[1]).toContain('for the log');
  const seen = await root.get(`/admin/v1/audit?account=${ids.ann}&action=creditAccount`);
  expect(seen.data[0]).toMatchObject({ subject_id: ids.ann, address: '127.0.0.1' });
});

test('the audit log of an account has no earlier actions of a new member', async () => {
  const owner = await signIn((await user({ ann: 'owner' })).email);
  const late = await user({ bob: 'member' });
  await signIn(late.email);
  await addMember(gateway.gateway.store, systemClock, { accountId: ids.ann, userId: late.id, role: 'member' });
  const { data } = await owner.get(`/account/v1/audit?actor=${late.email}`, inAnn());
  expect(data).toEqual([]);
});

test('a new model is callable immediately, and a removed one is refused immediately', async () => {
  const spec = { id: 'brand-new', routes: [{ upstream: 'fake', model: 'plain' }], price: 'free' };
  for (let round = 0; round < 3; round += 1) {
    await root.post('/admin/v1/models', spec);
    expect((await gateway.chat({ model: 'brand-new' })).status).toBe(200);
    await root.send('DELETE', '/admin/v1/models/brand-new');
    expect((await gateway.chat({ model: 'brand-new' })).status).toBe(403);
  }
});

test('users and accounts can have display names in any script, and every API shows them', async () => {
  const made = await user({ ann: 'owner' });
  const owner = await signIn(made.email);
  await owner.post('/auth/name', { name: '  李\u3000小龙 🐉 ' });
  await owner.send('PATCH', '/account/v1/account', { display_name: 'Café “Ann” 安' }, inAnn());
  const session = await owner.get('/auth/session');
  expect(session.user.name).toBe('李 小龙 🐉');
  expect(session.accounts).toMatchObject([{ name: 'Café “Ann” 安' }]);
  expect(await root.get(`/admin/v1/accounts/${ids.ann}`)).toMatchObject({ name: 'ann', display_name: 'Café “Ann” 安' });
  expect((await root.get(`/admin/v1/accounts?q=${encodeURIComponent('“ann”')}`)).data).toMatchObject([{ id: ids.ann }]);
  expect((await root.get(`/admin/v1/people?q=${encodeURIComponent('李')}`)).data).toMatchObject([
    { email: made.email, accounts: [{ name: 'Café “Ann” 安' }] },
  ]);
  const { data } = await owner.get('/account/v1/audit?limit=2', inAnn());
  expect(data).toMatchObject([
    { action: 'changeOwnAccount', before: { display_name: null } },
    { action: 'changeName', before: { name: 'Someone' }, after: { name: '李 小龙 🐉' } },
  ]);
  for (const name of ['', ' \u200d ', 'a\u202eb', 'x'.repeat(65)]) {
    expect((await owner.send('POST', '/auth/name', { name })).status).toBe(400);
  }
  const member = await signIn((await user({ ann: 'member' })).email);
  expectEnvelope(await member.send('PATCH', '/account/v1/account', { display_name: 'mine' }, inAnn()), forbidden);
  await owner.send('PATCH', '/account/v1/account', { display_name: null }, inAnn());
  expect((await owner.get('/auth/session')).accounts).toMatchObject([{ name: 'ann' }]);
});
