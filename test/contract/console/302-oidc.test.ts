import { type AddressInfo, createServer } from 'node:net';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Browser, goodPassword, newBrowser, ownerBrowser } from '../../browser.ts';
import { expectEnvelope } from '../../expectations.ts';
import { type FakeOidc, fakeOidc } from '../../fakes/fake-oidc.ts';
import { startTestGateway, type TestGateway } from '../../gateways/gateway.ts';

const clientSecret = 'canary-client-secret';
let oidc: FakeOidc;
let gateway: TestGateway;
let owner: Browser;
beforeAll(async () => {
  oidc = await fakeOidc(clientSecret);
  const sites = [
    { name: 'open', domains: ['localhost'], models: ['*'], sign_up: true },
    { name: 'main', domains: ['*'], models: ['*'] },
  ];
  const provider = { issuer: oidc.issuer, client_id: 'gateway', client_secret: clientSecret, name: 'Example' };
  gateway = await startTestGateway((base) => ({ ...base, sites, sign_in: { oidc: provider } }));
  owner = await ownerBrowser(gateway.gateway, gateway.url);
});
afterAll(async () => {
  await gateway.stop();
  await oidc.close();
});

/** Follows the redirects to the provider and back. Returns the final location. */
async function throughProvider(browser: Browser, url: string): Promise<string> {
  const { url: there } = await browser.post('/auth/oidc/begin');
  const sent = await fetch(there, { redirect: 'manual' });
  const back = sent.headers.get('location') ?? '';
  expect(back).toMatch(new RegExp(`^${url}/auth/callback/oidc\\?`));
  const reply = await browser.send('GET', back.slice(url.length));
  expect(reply.status).toBe(302);
  return reply.headers.get('location') ?? '';
}

test('the session shows the name of the provider, and not its secret', async () => {
  const session = await newBrowser(gateway.url).get('/auth/session');
  expect(session.oidc).toEqual({ name: 'Example' });
});

test('an invited user signs in through the provider', async () => {
  const { link } = await owner.post('/admin/v1/operators/invitations', {
    email: 'guest@example.com',
    role: 'operator',
  });
  const token = new URL(link, gateway.url).searchParams.get('token');
  await newBrowser(gateway.url).post(`/auth/invitations/${token}/accept`, { name: 'Guest', password: goodPassword });
  const guest = newBrowser(gateway.url);
  expect(await throughProvider(guest, gateway.url)).toBe('/app');
  expect(await guest.get('/auth/session')).toMatchObject({
    user: { email: 'guest@example.com' },
    operator: 'operator',
  });
  expect(await throughProvider(newBrowser(gateway.url), gateway.url)).toBe('/app');
});

test('an address that the provider has not verified is refused', async () => {
  oidc.person = { sub: '2', email: 'owner@example.com', email_verified: false, name: 'Thief' };
  const thief = newBrowser(gateway.url);
  expect(await throughProvider(thief, gateway.url)).toMatch(/^\/app\/sign-in\?error=/);
  expect((await thief.get('/auth/session')).user).toBeNull();
});

test('an unknown person can sign in only on a site with sign-up, and gets a new account', async () => {
  oidc.person = { sub: '3', email: 'stranger@example.com', email_verified: true, name: 'Stranger' };
  const stranger = newBrowser(gateway.url);
  expect(await throughProvider(stranger, gateway.url)).toMatch(/error=/);
  expect((await stranger.get('/auth/session')).user).toBeNull();
  const local = gateway.url.replace('127.0.0.1', 'localhost');
  const welcome = newBrowser(local);
  expect(await throughProvider(welcome, local)).toBe('/app');
  const { operator, accounts } = await welcome.get('/auth/session');
  expect({ operator, accounts }).toMatchObject({
    operator: null,
    accounts: [{ name: 'stranger@example.com', role: 'owner' }],
  });
});

test('an unreachable provider is requested again at the next sign-in, and passwords work without it', async () => {
  // A released port could be reused by another server, so this server stays and closes every connection.
  let calls = 0;
  const brokenServer = createServer((socket) => {
    calls += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => brokenServer.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(brokenServer.address() as AddressInfo).port}`;
  const provider = { issuer, client_id: 'gateway', client_secret: clientSecret };
  const other = await startTestGateway((base) => ({ ...base, sign_in: { oidc: provider } }));
  const browser = await ownerBrowser(other.gateway, other.url);
  const first = await browser.send('POST', '/auth/oidc/begin');
  const firstCalls = calls;
  const again = await browser.send('POST', '/auth/oidc/begin');
  expect(firstCalls).toBeGreaterThan(0);
  expect(calls).toBeGreaterThan(firstCalls);
  expect((await browser.get('/auth/session')).user).not.toBeNull();
  await other.stop();
  brokenServer.close();
  for (const reply of [first, again]) expect(reply.status).toBe(401);
});

test('a callback without a started sign-in creates no session', async () => {
  const stranger = newBrowser(gateway.url);
  for (const query of ['', '?code=code-0', '?code=code-0&state=made-up', '?error=access_denied']) {
    const reply = await stranger.send('GET', `/auth/callback/oidc${query}`);
    expect([query, reply.status]).toEqual([query, 302]);
    expect(reply.headers.get('location')).toMatch(/^\/app\/sign-in/);
  }
  expect((await stranger.get('/auth/session')).user).toBeNull();
});

test('no secrets or tokens of the provider are stored', async () => {
  const { rows } = await sql`select * from console_credentials`.execute(gateway.gateway.store.db);
  expect(rows.length).toBeGreaterThan(2);
  expect(JSON.stringify(rows)).not.toMatch(/canary|eyJ/);
});

test('without a provider the sign-in endpoint is a 404', async () => {
  const other = await startTestGateway();
  const reply = await newBrowser(other.url).send('POST', '/auth/oidc/begin');
  await other.stop();
  expectEnvelope(reply, { status: 404, code: 'not_found', type: 'gateway_error' });
});
