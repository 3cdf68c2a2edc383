import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Browser, goodPassword, newBrowser, ownerBrowser, setupToken } from '../../browser.ts';
import { expectEnvelope } from '../../expectations.ts';
import { startTestGateway, type TestGateway } from '../../gateway.ts';

let gateway: TestGateway;
let owner: Browser;
beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.stop());

test('nobody is there at first, and the session says that someone has to set it up', async () => {
  const session = await newBrowser(gateway.url).get('/auth/session');
  expect(session).toMatchObject({ user: null, needs_setup: true, site: { name: 'main', sign_up: false }, oidc: null });
});

test('the one-time link makes its opener the owner, once', async () => {
  const token = await setupToken(gateway.gateway);
  owner = newBrowser(gateway.url);
  const body = { token, email: 'Owner@Example.com', name: 'The owner', password: goodPassword };
  expect(await owner.post('/auth/setup', body)).toEqual({ next: 'done' });
  const session = await owner.get('/auth/session');
  expect(session).toMatchObject({
    user: { email: 'owner@example.com', name: 'The owner', two_factor: false },
    operator: 'owner',
    accounts: [],
    currency: 'USD',
    messages_prefix: '/anthropic',
    support_email: 'help@example.com',
  });
  const again = await newBrowser(gateway.url).ask('POST', '/auth/setup', { ...body, email: 'thief@example.com' });
  expectEnvelope(again, { status: 401, code: 'sign_in_refused', type: 'authentication_error' });
});

test('the cookie is bound to the host, out of reach of scripts, and nobody else’s page can use it', async () => {
  const reply = await newBrowser(gateway.url).ask('POST', '/auth/sign-in', {
    email: 'owner@example.com',
    password: goodPassword,
  });
  expect(reply.json).toEqual({ next: 'done' });
  const [cookie = ''] = reply.headers.getSetCookie().filter((each) => each.startsWith('__Host-gateway-session='));
  expect(cookie).toMatch(/; Path=\/; HttpOnly; SameSite=Lax; Secure; Max-Age=43200$/);
  expect(cookie).not.toMatch(/domain/i);
});
