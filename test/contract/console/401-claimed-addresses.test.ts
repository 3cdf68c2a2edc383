import { afterAll, beforeAll, expect, test } from 'vitest';
import { userByEmail } from '../../../src/money/accounts/users.ts';
import { type Browser, goodPassword, newBrowser } from '../../browser.ts';
import { type FakeOidc, fakeOidc } from '../../fakes/fake-oidc.ts';
import { type FakeSmtp, fakeSmtp, readEmail } from '../../fakes/fake-smtp.ts';
import { totpCode } from '../../fakes/totp.ts';
import { type ConsolePerson, newAccount, newPerson } from '../../gateways/console-people.ts';
import { startTestGateway, type TestGateway } from '../../gateways/gateway.ts';

let smtp: FakeSmtp;
let oidc: FakeOidc;
let gateway: TestGateway;
let attacker: ConsolePerson;
let inviter: ConsolePerson;
beforeAll(async () => {
  [smtp, oidc] = [await fakeSmtp(), await fakeOidc('oidc-secret')];
  const mail = {
    host: '127.0.0.1',
    port: smtp.port,
    security: 'none',
    from: 'g@example.com',
    url: 'https://g.example',
  };
  const provider = { issuer: oidc.issuer, client_id: 'gateway', client_secret: 'oidc-secret' };
  gateway = await startTestGateway((base) => ({ ...base, mail, sign_in: { oidc: provider } }));
  attacker = await newPerson(gateway, { accounts: { [await newAccount(gateway, 'evil')]: 'owner' } });
  inviter = await newPerson(gateway, { accounts: { [await newAccount(gateway, 'good')]: 'owner' } });
});
afterAll(async () => {
  await gateway.stop();
  await oidc.close();
  smtp.close();
});

const ownPassword = 'a password of the victim';
const tokenIn = (link: string): string => new URL(link, 'https://g.example').searchParams.get('token') ?? '';

/** Invites an address. Returns the secret that the inviter sees and the one in the e-mail. */
async function invite(by: Browser, email: string): Promise<{ shown: string; mailed: string }> {
  const { link } = await by.post('/account/v1/invitations', { email, role: 'member' });
  return { shown: tokenIn(link), mailed: await mailedTo(email) };
}

let read = 0;
/** The secret of the next e-mail to an address. */
async function mailedTo(email: string): Promise<string> {
  const next = () => smtp.emails.slice(read).findIndex(({ text }) => text.includes(`To: ${email}`));
  await expect.poll(next, { message: `e-mail to ${email}` }).toBeGreaterThanOrEqual(0);
  read += next() + 1;
  return tokenIn(readEmail(smtp.emails[read - 1]!).links[0]!);
}

/** The attacker accepts their own invitation for the address of another person, and adds a second factor. */
async function claim(email: string): Promise<Browser> {
  const { shown } = await invite(attacker, email);
  const browser = newBrowser(gateway.url);
  await browser.post(`/auth/invitations/${shown}/accept`, { name: 'Claimed', password: goodPassword });
  const { secret } = await browser.post('/auth/totp/begin', { password: goodPassword });
  await browser.post('/auth/totp/confirm', { code: totpCode(secret) });
  expect((await browser.get('/auth/session')).user).toMatchObject({ email, is_verified: false, two_factor: true });
  return browser;
}

/** Neither the attacker's session nor the attacker's password leads to the user any more. */
async function expectReclaimed(email: string, attackers: Browser): Promise<void> {
  expect((await attackers.get('/auth/session')).user).toBeNull();
  const reply = await newBrowser(gateway.url).send('POST', '/auth/sign-in', { email, password: goodPassword });
  expect(reply.status).toBe(401);
  expect(await userByEmail(gateway.gateway.store.db, email)).toMatchObject({ isVerified: true, hasTwoFactor: false });
}

async function throughProvider(email: string): Promise<Browser> {
  oidc.person = { sub: email, email, email_verified: true, name: 'Victim' };
  const browser = newBrowser(gateway.url);
  const { url: there } = await browser.post('/auth/oidc/begin');
  const sent = await fetch(there, { redirect: 'manual' });
  await browser.send('GET', (sent.headers.get('location') ?? '').slice(gateway.url.length));
  expect((await browser.get('/auth/session')).user).toMatchObject({ email });
  return browser;
}

test('an invitation that its reader accepts from the e-mail confirms the address', async () => {
  const { mailed } = await invite(inviter, 'reader@example.com');
  const reader = newBrowser(gateway.url);
  await reader.post(`/auth/invitations/${mailed}/accept`, { name: 'Reader', password: ownPassword });
  expect((await reader.get('/auth/session')).user).toMatchObject({ is_verified: true });
});

test('a mailed invitation takes a claimed address back, and the link that the inviter sees does not', async () => {
  const email = 'victim-1@example.com';
  const attackers = await claim(email);
  const { shown, mailed } = await invite(inviter, email);
  const body = { name: 'Victim', password: ownPassword };
  const victim = newBrowser(gateway.url);
  expect((await victim.send('POST', `/auth/invitations/${shown}/accept`, body)).status).toBe(401);
  expect((await victim.send('POST', `/auth/invitations/${shown}.${'0'.repeat(64)}/accept`, body)).status).toBe(401);
  expect(await victim.get(`/auth/invitations/${mailed}`)).toMatchObject({ email, has_user: false });
  await victim.post(`/auth/invitations/${mailed}/accept`, body);
  expect((await victim.get('/auth/session')).accounts.map(({ name }: { name: string }) => name)).toContain('good');
  await expectReclaimed(email, attackers);
});

test('single sign-on takes a claimed address back', async () => {
  const email = 'victim-2@example.com';
  const attackers = await claim(email);
  await throughProvider(email);
  await expectReclaimed(email, attackers);
});

test('a forgotten password takes a claimed address back', async () => {
  const email = 'victim-3@example.com';
  const attackers = await claim(email);
  await newBrowser(gateway.url).post('/auth/resets', { email });
  const secret = await mailedTo(email);
  await newBrowser(gateway.url).post(`/auth/resets/${secret}`, { password: ownPassword });
  await expectReclaimed(email, attackers);
});

test('a password from a reset link that an owner saw does not survive single sign-on', async () => {
  const email = 'victim-4@example.com';
  const { mailed } = await invite(attacker, email);
  await newBrowser(gateway.url).post(`/auth/invitations/${mailed}/accept`, { name: 'Victim', password: ownPassword });
  await throughProvider(email);
  const { data } = await attacker.get('/account/v1/members');
  const { id } = data.find((member: { email: string }) => member.email === email);
  const { link } = await attacker.post(`/account/v1/members/${id}/reset`, { resets: 'password' });
  const attackers = newBrowser(gateway.url);
  await attackers.post(`/auth/resets/${tokenIn(link)}`, { password: goodPassword });
  await throughProvider(email);
  await expectReclaimed(email, attackers);
});
