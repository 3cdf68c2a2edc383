import { afterAll, beforeAll, expect, test } from 'vitest';
import { accounts } from '../../../src/money/accounts/accounts.ts';
import { addMember, type MemberRole } from '../../../src/money/accounts/members.ts';
import { addOperator, type OperatorRole } from '../../../src/money/accounts/operators.ts';
import { createUser } from '../../../src/money/accounts/users.ts';
import { endpoints } from '../../../src/manage/admin/endpoints.ts';
import type { Identity } from '../../../src/manage/console/identity.ts';
import type { ConsoleParts } from '../../../src/manage/console/parts.ts';
import { passwords } from '../../../src/manage/console/passwords.ts';
import { authRoutes } from '../../../src/manage/console/routes/routes.ts';
import { systemClock } from '../../../src/core/time/clock.ts';
import { type Browser, goodPassword, newBrowser, ownerBrowser } from '../../browser.ts';
import { expectEnvelope } from '../../expectations.ts';
import { cheapPasswords, startTestGateway, type TestGateway } from '../../gateways/gateway.ts';

let gateway: TestGateway;
let owner: Browser;
const ids = { ann: '', bob: '' };
beforeAll(async () => {
  gateway = await startTestGateway((base) => ({ ...base, stored_bodies: {} }));
  owner = await ownerBrowser(gateway.gateway, gateway.url);
  const book = accounts(gateway.gateway.store, systemClock);
  for (const name of ['ann', 'bob'] as const) ids[name] = (await book.create({ name, packageName: 'standard' })).id;
});
afterAll(() => gateway.stop());

interface Rights {
  readonly accounts?: Readonly<Partial<Record<'ann' | 'bob', MemberRole>>>;
  readonly operator?: OperatorRole;
}

let people = 0;
/** Creates a user with these rights, and signs in. */
async function person({ accounts: roles = {}, operator }: Rights): Promise<Browser & { email: string; id: string }> {
  people += 1;
  const email = `person-${people}@example.com`;
  const { store } = gateway.gateway;
  const passwordHash = await passwords(cheapPasswords).hash(goodPassword);
  const { id } = await createUser(store.db, systemClock, { email, name: 'Person', passwordHash, isVerified: true });
  for (const [name, role] of Object.entries(roles)) {
    await addMember(store, systemClock, { accountId: ids[name as 'ann' | 'bob'], userId: id, role });
  }
  if (operator) await addOperator(store, systemClock, { userId: id, role: operator });
  const browser = newBrowser(gateway.url);
  await browser.post('/auth/sign-in', { email, password: goodPassword });
  return { ...browser, email, id };
}

const forbidden = { status: 403, code: 'forbidden', type: 'gateway_error' };
const notSignedIn = { status: 401, code: 'not_signed_in', type: 'authentication_error' };
const noToken = { status: 401, code: 'invalid_api_key', type: 'authentication_error' };

interface AccessCase {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

const needsSession: readonly AccessCase[] = [
  { method: 'POST', path: '/auth/password', body: { current: goodPassword, next: goodPassword } },
  { method: 'POST', path: '/auth/language', body: { language: 'en' } },
  { method: 'POST', path: '/auth/address/email' },
  { method: 'POST', path: '/auth/address/confirm', body: { token: 'gwa_x' } },
  { method: 'GET', path: '/auth/digest' },
  { method: 'POST', path: '/auth/digest', body: { digest: 'daily' } },
  { method: 'GET', path: '/auth/sessions' },
  { method: 'DELETE', path: '/auth/sessions/x' },
  { method: 'POST', path: '/auth/sessions/end-others' },
  { method: 'POST', path: '/auth/totp/begin', body: { password: goodPassword } },
  { method: 'POST', path: '/auth/totp/confirm', body: { code: '123456' } },
  { method: 'POST', path: '/auth/totp/backup-codes', body: { password: goodPassword } },
  { method: 'POST', path: '/auth/totp/disable', body: { password: goodPassword } },
  { method: 'GET', path: '/auth/passkeys' },
  { method: 'POST', path: '/auth/passkeys/begin', body: { password: goodPassword } },
  {
    method: 'POST',
    path: '/auth/passkeys/finish',
    body: { response: { response: { clientDataJSON: 'e30', attestationObject: '' } } },
  },
  { method: 'DELETE', path: '/auth/passkeys/x' },
];

test.each(needsSession)('$method $path needs a session', async ({ method, path, body }) => {
  expectEnvelope(await newBrowser(gateway.url).send(method, path, body), notSignedIn);
});

test('a forged or altered cookie is not a session', async () => {
  const [name = '', value = ''] = [...owner.cookies].find(([each]) => each.endsWith('session')) ?? [];
  const { token } = await gateway.gateway.store.db
    .selectFrom('console_sessions')
    .select('token')
    .executeTakeFirstOrThrow();
  for (const forged of ['x', token, `${token}.AAAA`, `${value}x`, value.replace(/^./, '#'), '']) {
    const thief = newBrowser(gateway.url);
    thief.cookies.set(name, forged);
    expect((await thief.get('/auth/session')).user).toBeNull();
    expectEnvelope(await thief.send('GET', '/admin/v1/system'), noToken);
  }
  const wrongName = newBrowser(gateway.url);
  wrongName.cookies.set(name.replace('__Host-', ''), value);
  expect((await wrongName.get('/auth/session')).user).toBeNull();
});

/** All routes that another site could make a browser call with a user's session, from the route tables. */
const unsafe = [...endpoints, ...authRoutes({} as ConsoleParts, {} as Identity)].filter(
  ({ method }) => method !== 'GET',
);

test('routes that only read by POST are in the list too', () => {
  const paths = unsafe.map(({ path }) => path);
  expect(paths).toEqual(expect.arrayContaining(['/admin/v1/ledger/verify', '/auth/password', '/account/v1/keys']));
  expect(paths.length).toBeGreaterThan(50);
});

async function expectRefusedFrom(origin: string, { method, path }: AccessCase): Promise<void> {
  const reply = await owner.send(method, path.replace(':id', 'x'), {}, { origin });
  expectEnvelope(reply, forbidden);
  expect(reply.json.error.message).toContain('Origin');
}

const origins = () => ['https://evil.example', 'null', `${gateway.url}.evil.example`, gateway.url.replace(/\d+$/, '1')];

test('a request from an origin with another host or port, or from an opaque origin, is refused', async () => {
  for (const path of ['/admin/v1/ledger/verify', '/auth/password', '/account/v1/keys']) {
    for (const origin of origins()) await expectRefusedFrom(origin, { method: 'POST', path });
  }
});

// The same code reads the origin for all routes, so each route gets one of the origins.
test.each(unsafe.map((route, index) => ({ ...route, index })))(
  '$method $path is refused from another origin',
  async ({ index, ...route }) => {
    await expectRefusedFrom(origins()[index % 4]!, route);
  },
);

test('a write with a session and without Origin is refused, and a token needs no Origin', async () => {
  const cookie = [...owner.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const send = (headers: Record<string, string>) =>
    fetch(`${gateway.url}/admin/v1/packages`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ name: 'made', models: [] }),
    });
  expect((await send({ cookie })).status).toBe(403);
  expect((await send({ cookie, authorization: 'Bearer gwa_live_x' })).status).toBe(401);
});

test('an operator has the same access as a token of the same role', async () => {
  for (const role of ['read-only', 'operator', 'owner'] as const) {
    const browser = await person({ operator: role });
    expect((await browser.get('/auth/session')).operator).toBe(role);
    expect((await browser.send('GET', '/admin/v1/system')).status).toBe(200);
    const made = await browser.send('POST', '/admin/v1/packages', { name: `by-${role}`, models: [] });
    expect(made.status).toBe(role === 'read-only' ? 403 : 200);
    expect((await browser.send('GET', '/admin/v1/operators')).status).toBe(role === 'owner' ? 200 : 403);
  }
});

test('a user without an operator role is refused by every operator endpoint', async () => {
  const browser = await person({ accounts: { ann: 'owner' } });
  for (const { method, path, access } of endpoints.filter((each) => each.access !== 'account')) {
    const reply = await browser.send(method, path.replace(':id', ids.ann), method === 'GET' ? undefined : {});
    expect([path, access, reply.status]).toEqual([path, access, 403]);
  }
});

test('every change names the user in the audit log', async () => {
  const browser = await person({ operator: 'operator', accounts: { ann: 'owner' } });
  await browser.post('/admin/v1/packages', { name: 'audited', models: [] });
  await browser.post('/account/v1/keys', { name: 'audited' });
  const { data } = await owner.get(`/admin/v1/audit?actor=${encodeURIComponent(browser.email)}`);
  expect(data.map((line: { action: string; role: string }) => [line.action, line.role])).toEqual([
    ['createOwnKey', 'account'],
    ['addPackage', 'operator'],
    ['signIn', 'account'],
  ]);
});

test('two accounts never see each other’s data, with any `x-account` header', async () => {
  const ann = await person({ accounts: { ann: 'owner' } });
  const bob = await person({ accounts: { bob: 'owner' } });
  const { id } = await ann.post('/account/v1/keys', { name: 'of ann' });
  expect((await ann.get('/account/v1/account')).name).toBe('ann');
  for (const { method, path } of endpoints.filter((each) => each.access === 'account')) {
    const body = method === 'GET' ? undefined : {};
    const reply = await bob.send(method, path.replace(':id', id), body, { 'x-account': ids.ann });
    expect([path, reply.status]).toEqual([path, 404]);
  }
  expect((await bob.get('/account/v1/keys')).data).toEqual([]);
  expect((await bob.send('GET', `/account/v1/keys/${id}`)).status).toBe(404);
  expect((await bob.send('POST', `/account/v1/keys/${id}/revoke`)).status).toBe(404);
  expect((await bob.get('/auth/session')).accounts).toEqual([{ id: ids.bob, name: 'bob', role: 'owner' }]);
});

test('only owners and the creator of the key can read stored bodies', async () => {
  const maker = await person({ accounts: { ann: 'member' } });
  const { secret, id: key } = await maker.post('/account/v1/keys', { name: 'stored', store_bodies: true });
  // The bodies of a request refused with 402 are stored too.
  const reply = await gateway.chat({}, { authorization: `Bearer ${secret}` });
  expect(reply.status).toBe(402);
  const id = reply.headers.get('x-gateway-request-id') ?? '';
  const detail = (browser: Browser) => browser.get(`/account/v1/requests/${id}`, { 'x-account': ids.ann });
  const read = (browser: Browser) =>
    browser.send('POST', `/account/v1/requests/${id}/bodies/read`, undefined, { 'x-account': ids.ann });
  const kept = async () => (await maker.send('GET', `/account/v1/requests/${id}`)).json?.bodies;
  await expect.poll(kept, { message: 'the stored bodies of the request' }).toBeTruthy();
  expect((await read(maker)).json).toMatchObject({ answer: { text: reply.text } });
  expect((await read(await person({ accounts: { ann: 'owner' } }))).status).toBe(200);
  for (const rights of [
    { accounts: { ann: 'member' } },
    { accounts: { ann: 'viewer' } },
    { operator: 'owner' },
  ] as const) {
    const other = await person(rights);
    expectEnvelope(await read(other), forbidden);
    expect((await detail(other)).bodies.readable).toBe(false);
  }
  const { id: successor } = await maker.post(`/account/v1/keys/${key}/rotate`, { grace: 'now' });
  expect((await maker.get(`/account/v1/keys/${successor}`)).store_bodies).toBe(true);
});

test('a member of two accounts chooses one, and has its role in each', async () => {
  const both = await person({ accounts: { ann: 'member', bob: 'viewer' } });
  expect((await both.get('/account/v1/account')).name).toBe('ann');
  expect((await both.get('/account/v1/account', { 'x-account': ids.bob })).name).toBe('bob');
  expect((await both.send('POST', '/account/v1/keys', { name: 'mine' })).status).toBe(200);
  expectEnvelope(await both.send('POST', '/account/v1/keys', { name: 'mine' }, { 'x-account': ids.bob }), forbidden);
});

test('a viewer reads everything and writes nothing', async () => {
  const viewer = await person({ accounts: { ann: 'viewer' } });
  await expectOnlyReads(viewer, {});
});

test('an operator reads any account and writes nothing there', async () => {
  const operator = await person({ operator: 'owner' });
  await expectOnlyReads(operator, { 'x-account': ids.bob });
  expect((await operator.get('/account/v1/account', { 'x-account': ids.bob })).name).toBe('bob');
  expectEnvelope(await operator.send('GET', '/account/v1/account'), forbidden);
  expect((await operator.send('GET', '/account/v1/account', undefined, { 'x-account': 'acc_none' })).status).toBe(404);
});

async function expectOnlyReads(browser: Browser, headers: Record<string, string>): Promise<void> {
  for (const { method, path, isWrite } of endpoints.filter((each) => each.access === 'account')) {
    const target = path.replace(':id', 'x').replace(/\/search$/, '/search?q=x');
    const reply = await browser.send(method, target, isWrite ? {} : undefined, headers);
    if (isWrite) expectEnvelope(reply, forbidden);
    // Only owners may read the audit log and open the page where a card is saved. Readers check out no payments.
    else
      expect(
        /^\/account\/v1\/(audit|card\/setup|payments\/:id\/checkout)/.test(path) ? [403] : [200, 404],
        path,
      ).toContain(reply.status);
  }
}

test('only owners of an account manage its members', async () => {
  const member = await person({ accounts: { ann: 'member' } });
  const body = { email: 'guest@example.com', role: 'viewer' };
  expectEnvelope(await member.send('POST', '/account/v1/invitations', body), forbidden);
  expectEnvelope(await member.send('DELETE', `/account/v1/members/${member.id}`), forbidden);
  expect((await member.send('GET', '/account/v1/members')).status).toBe(200);
});

test('a removed role is refused at the next request', async () => {
  const operator = await person({ operator: 'operator', accounts: { ann: 'member' } });
  const annOwner = await person({ accounts: { ann: 'owner' } });
  expect((await owner.send('DELETE', `/admin/v1/operators/${operator.id}`)).status).toBe(200);
  expectEnvelope(await operator.send('GET', '/admin/v1/system'), forbidden);
  expect((await annOwner.send('DELETE', `/account/v1/members/${operator.id}`)).status).toBe(200);
  expectEnvelope(await operator.send('GET', '/account/v1/account'), forbidden);
});

test('the last owner cannot be removed', async () => {
  const { data } = await owner.get('/admin/v1/operators');
  const owners = data.filter(({ role }: { role: string }) => role === 'owner');
  const self = (await owner.get('/auth/session')).user.id;
  for (const { id } of owners) if (id !== self) await owner.send('DELETE', `/admin/v1/operators/${id}`);
  const reply = await owner.send('DELETE', `/admin/v1/operators/${self}`);
  expectEnvelope(reply, { status: 400, code: 'invalid_request', type: 'gateway_error' });
});
