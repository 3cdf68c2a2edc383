import { stringify } from 'yaml';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { accounts } from '../../../src/money/accounts/accounts.ts';
import { addressProof } from '../../../src/money/accounts/address-proof.ts';
import { addMember } from '../../../src/money/accounts/members.ts';
import { makeLink } from '../../../src/money/accounts/one-time-links.ts';
import { markVerified, setLanguage, userByEmail } from '../../../src/money/accounts/users.ts';
import type { Language } from 'chat-formats/reasons/text.ts';
import { invitationsMax } from '../../../src/manage/admin/people/invitation-documents.ts';
import { secretVault } from '../../../src/platform/secrets/secret-vault.ts';
import { systemClock } from '../../../src/core/time/clock.ts';
import { Mailer } from '../../../src/operate/notifications/email/mailer.ts';
import { sendDigests } from '../../../src/operate/notifications/digests/send-digests.ts';
import { recordEvent } from '../../../src/platform/outbox/record-event.ts';
import { atOnce } from '../../stores/at-once.ts';
import { type FakeSmtp, fakeSmtp, readEmail } from '../../fakes/fake-smtp.ts';
import { loadedConfig } from '../../gateways/loaded-config.ts';
import { type Browser, goodPassword, newBrowser, ownerBrowser, setupToken } from '../../browser.ts';
import { expectEnvelope } from '../../expectations.ts';
import { startTestGateway, type TestGateway } from '../../gateways/gateway.ts';

let gateway: TestGateway;
let owner: Browser;
let file: Record<string, unknown>;
let time = 0;
const pauses: number[] = [];
const pause = (ms: number) => Promise.resolve(void pauses.push(ms));
const clock = { ...systemClock, now: () => Date.now() + time, elapsed: systemClock.elapsed };
beforeAll(async () => {
  const sites = [
    {
      name: 'open',
      domains: ['localhost'],
      models: ['*'],
      sign_up: true,
      title: 'Open House',
      sign_up_package: 'basic',
    },
    { name: 'main', domains: ['*'], models: ['*'] },
  ];
  const packages = ['standard', 'basic'].map((name) => ({ name, models: ['*'] }));
  const accountList = [
    { name: 'tester', package: 'standard', credit: '100.00' },
    { name: 'demo', package: 'standard', credit: '5.00' },
  ];
  gateway = await startTestGateway(
    (base) => {
      file = { ...base, sites, packages, accounts: accountList };
      return file;
    },
    { clock, pause },
  );
  owner = await ownerBrowser(gateway.gateway, gateway.url);
});
afterAll(() => gateway.stop());

const refused = { status: 401, code: 'sign_in_refused', type: 'authentication_error' };
const open = (): Browser => newBrowser(gateway.url);
const tokenIn = (link: string): string => new URL(link, gateway.url).searchParams.get('token') ?? '';

test('the first owner owns the demo account too', async () => {
  const { accounts: own } = await owner.get('/auth/session');
  expect(own).toMatchObject([{ name: 'demo', role: 'owner' }]);
});

test('an invitation shows its link once, and the person who accepts it becomes a member', async () => {
  const made = await owner.post('/account/v1/invitations', { email: 'Guest@example.com', role: 'member' });
  expect(made.link).toMatch(/^\/app\/invite\?token=gwl_/);
  const listed = await owner.get('/account/v1/invitations');
  expect(listed.data).toMatchObject([{ id: made.id, email: 'guest@example.com', created_by: 'owner@example.com' }]);
  expect(JSON.stringify(listed)).not.toContain('gwl_');
  const token = tokenIn(made.link);
  const guest = open();
  expect(await guest.get(`/auth/invitations/${token}`)).toEqual({
    email: 'guest@example.com',
    role: 'member',
    account: 'demo',
    organisation: null,
    has_user: false,
  });
  const accept = `/auth/invitations/${token}/accept`;
  expect((await guest.send('POST', accept, {})).status).toBe(400);
  expect((await guest.send('POST', accept, { name: 'Guest', password: 'short' })).status).toBe(400);
  expect(await guest.post(accept, { name: 'Guest', password: goodPassword })).toEqual({ next: 'done' });
  expect(await guest.get('/auth/session')).toMatchObject({
    user: { email: 'guest@example.com' },
    operator: null,
    accounts: [{ name: 'demo', role: 'member' }],
  });
  expectEnvelope(await open().send('GET', `/auth/invitations/${token}`), refused);
  expectEnvelope(await open().send('POST', accept, { name: 'Thief', password: goodPassword }), refused);
  expect((await owner.get('/account/v1/members')).data).toMatchObject([
    { email: 'owner@example.com', role: 'owner' },
    { email: 'guest@example.com', role: 'member' },
  ]);
  const { data } = await owner.get('/admin/v1/audit?action=acceptInvitation');
  expect(data).toMatchObject([{ actor: 'guest@example.com', after: { role: 'member' } }]);
});

test('of concurrent requests with the same invitation link one succeeds', async () => {
  const { link } = await owner.post('/admin/v1/operators/invitations', {
    email: 'raced@example.com',
    role: 'operator',
  });
  const path = `/auth/invitations/${tokenIn(link)}/accept`;
  const accept = () => open().send('POST', path, { name: 'Raced', password: goodPassword });
  const replies = await atOnce(
    gateway.gateway.store,
    Array.from({ length: 5 }, () => accept),
  );
  expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
});

test('an expired, revoked or invented link is refused', async () => {
  const old = await owner.post('/admin/v1/operators/invitations', { email: 'late@example.com', role: 'operator' });
  const back = await owner.post('/admin/v1/operators/invitations', { email: 'no@example.com', role: 'operator' });
  await owner.send('DELETE', `/admin/v1/operators/invitations/${back.id}`);
  expect((await open().send('GET', `/auth/invitations/${tokenIn(old.link)}`)).status).toBe(200);
  for (const token of [tokenIn(back.link), 'gwl_x', `${tokenIn(old.link)}x`]) {
    expectEnvelope(await open().send('GET', `/auth/invitations/${token}`), refused);
  }
  const setup = await setupToken(gateway.gateway);
  expect((await open().send('GET', `/auth/setup/${setup}`)).json).toEqual({ is_first: false });
  expectEnvelope(await open().send('GET', `/auth/setup/${tokenIn(old.link)}`), refused);
  time = 7 * 86_400_000 + 1;
  expectEnvelope(await open().send('GET', `/auth/invitations/${tokenIn(old.link)}`), refused);
  const body = { token: setup, email: 'late@example.com', name: 'Late', password: goodPassword };
  expectEnvelope(await open().send('GET', `/auth/setup/${setup}`), refused);
  expectEnvelope(await open().send('POST', '/auth/setup', body), refused);
  time = 0;
  const invitation = { ...body, token: tokenIn(old.link) };
  expectEnvelope(await open().send('POST', '/auth/setup', invitation), refused);
  expectEnvelope(await open().send('GET', `/auth/invitations/${setup}`), refused);
});

test('an existing user must be signed in to accept an invitation, and no other person can accept it', async () => {
  const made = await owner.post('/admin/v1/operators/invitations', { email: 'guest@example.com', role: 'read-only' });
  const path = `/auth/invitations/${tokenIn(made.link)}`;
  expect((await open().get(path)).has_user).toBe(true);
  const thief = await open().send('POST', `${path}/accept`, { name: 'Thief', password: 'a password of the thief' });
  expectEnvelope(thief, { status: 401, code: 'not_signed_in', type: 'authentication_error' });
  expect((await owner.send('POST', `${path}/accept`, {})).status).toBe(401);
  const guest = open();
  await guest.post('/auth/sign-in', { email: 'guest@example.com', password: goodPassword });
  await guest.post(`${path}/accept`, {});
  expect((await guest.get('/auth/session')).operator).toBe('read-only');
});

test('sign-up is refused on a site that does not allow it', async () => {
  const body = { email: 'new@example.com', name: 'New', password: goodPassword };
  expectEnvelope(await open().send('POST', '/auth/sign-up', body), {
    status: 403,
    code: 'forbidden',
    type: 'gateway_error',
  });
  expect(await userByEmail(gateway.gateway.store.db, 'new@example.com')).toBeUndefined();
});

test('sign-up on a site that allows it creates an account with the site’s package and no credit', async () => {
  const browser = newBrowser(gateway.url.replace('127.0.0.1', 'localhost'));
  expect((await browser.get('/auth/session')).site).toEqual({ name: 'open', sign_up: true, title: 'Open House' });
  const body = { email: 'new@example.com', name: 'New', password: goodPassword };
  expect(await browser.post('/auth/sign-up', body)).toEqual({ next: 'done' });
  const session = await browser.get('/auth/session');
  expect(session).toMatchObject({ operator: null, accounts: [{ name: 'new@example.com', role: 'owner' }] });
  expect((await browser.get('/account/v1/account')).package).toBe('basic');
  expect(Number((await browser.get('/account/v1/balance')).total)).toBe(0);
  // Without e-mail, the reply must reveal that an address is taken. Repeated requests are delayed more and more.
  for (let tries = 0; tries < 6; tries += 1) {
    expect(pauses).toEqual([]);
    expect((await browser.send('POST', '/auth/sign-up', body)).status).toBe(400);
  }
  expect(pauses).toEqual([250]);
  const weird = { ...body, email: "o'neil+tag@example.com" };
  const other = newBrowser(gateway.url.replace('127.0.0.1', 'localhost'));
  await other.post('/auth/sign-up', weird);
  expect((await other.get('/auth/session')).accounts).toMatchObject([{ role: 'owner' }]);
});

test('a session ends 12 hours after the sign-in, also if it is in use', async () => {
  const browser = open();
  await browser.post('/auth/sign-in', { email: 'guest@example.com', password: goodPassword });
  expect((await browser.get('/auth/session')).user).not.toBeNull();
  time = 12 * 3_600_000 + 1000;
  expect((await browser.get('/auth/session')).user).toBeNull();
  time = 0;
});

test('the last owner of an account cannot be removed', async () => {
  const { store } = gateway.gateway;
  const account = await accounts(store, clock).create({ name: 'lonely', packageName: 'standard' });
  const self = (await owner.get('/auth/session')).user.id;
  await addMember(store, clock, { accountId: account.id, userId: self, role: 'owner' });
  const reply = await owner.send('DELETE', `/account/v1/members/${self}`, undefined, { 'x-account': account.id });
  expectEnvelope(reply, { status: 400, code: 'invalid_request', type: 'gateway_error' });
});

test('the number of open invitations of an account is limited', async () => {
  const { store, pepper } = gateway.gateway;
  const account = await accounts(store, clock).create({ name: 'inviting', packageName: 'standard' });
  const self = (await owner.get('/auth/session')).user.id;
  await addMember(store, clock, { accountId: account.id, userId: self, role: 'owner' });
  const guest = { email: 'guest@example.com', role: 'viewer' } as const;
  for (let index = 0; index < invitationsMax; index += 1) {
    await makeLink({ store, pepper, clock }, { kind: 'account', accountId: account.id, ...guest }, 'test');
  }
  const inside = { 'x-account': account.id };
  const reply = await owner.send('POST', '/account/v1/invitations', guest, inside);
  expectEnvelope(reply, { status: 400, code: 'invalid_request', type: 'gateway_error' });
  const [{ id }] = (await owner.get('/account/v1/invitations', inside)).data;
  await owner.send('DELETE', `/account/v1/invitations/${id}`, undefined, inside);
  expect((await owner.send('POST', '/account/v1/invitations', guest, inside)).status).toBe(200);
});

/** A browser on the site that allows sign-up. */
const signUpBrowser = (): Browser => newBrowser(gateway.url.replace('127.0.0.1', 'localhost'));

/** The decoded text of an e-mail. */
function decodedText({ text }: { readonly text: string }): string {
  const decode = (part: string) => Buffer.from(part.replaceAll('=', ''), 'hex').toString('utf8');
  return text.replace(/=\n/g, '').replace(/(?:=[0-9A-F]{2})+/g, decode);
}

function mailAt({ port }: FakeSmtp) {
  const server = { host: '127.0.0.1', port, security: 'none', from: 'gateway@example.com' };
  return { ...server, url: 'https://gateway.example.com' };
}

async function expectEmails({ emails }: FakeSmtp, count: number): Promise<void> {
  await expect.poll(() => emails.length, { message: 'e-mails at the mail server' }).toBe(count);
}

async function withMail(work: (smtp: FakeSmtp) => Promise<void>): Promise<void> {
  const smtp = await fakeSmtp();
  await gateway.gateway.apply(loadedConfig(stringify({ ...file, mail: mailAt(smtp) }), gateway.directory));
  try {
    await work(smtp);
    // Otherwise an e-mail that still waits would go to the mail server of the next test.
    const waiting = gateway.gateway.store.db.selectFrom('deliveries').select('target').where('state', '=', 'waiting');
    await expect.poll(() => waiting.execute(), { message: 'e-mails that wait' }).toEqual([]);
  } finally {
    await gateway.gateway.apply(loadedConfig(stringify(file), gateway.directory));
    smtp.close();
  }
}

test('with a mail server, sign-up creates nothing before the address is confirmed, and reveals no existing users', async () => {
  const { db } = gateway.gateway.store;
  await withMail(async (smtp) => {
    const browser = signUpBrowser();
    const [email, password] = ['later@example.com', goodPassword];
    const chosen = { name: 'Later', password: 'chosen by a stranger', language: 'zh' };
    for (const each of ['owner@example.com', email]) {
      expect(await browser.post('/auth/sign-up', { ...chosen, email: each })).toEqual({ next: 'confirm' });
      // The password of the sign-up gets `confirm`, also for an existing address. Another password is refused.
      const proof = { email: each, password: chosen.password };
      expect(await browser.post('/auth/sign-in', proof)).toEqual({ next: 'confirm' });
      const wrong = { email: each, password: 'another password' };
      expectEnvelope(await browser.send('POST', '/auth/sign-in', wrong), refused);
      expectEnvelope(await browser.send('POST', '/auth/sign-up/again', wrong), refused);
    }
    // A sign-up with another person's address does not reset the throttle for guesses of the real password.
    pauses.length = 0;
    const guess = { email: 'owner@example.com', password: chosen.password };
    for (let tries = 0; tries < 4; tries += 1) await browser.post('/auth/sign-in', guess);
    expect(pauses).toEqual([250]);
    expect((await browser.get('/auth/session')).user).toBeNull();
    expect(await userByEmail(db, email)).toBeUndefined();
    expect(await accounts(gateway.gateway.store, clock).find(email)).toBeUndefined();
    await browser.post('/auth/sign-up', { ...chosen, email, password });
    await browser.post('/auth/sign-up/again', { email, password });
    await expectEmails(smtp, 4);
    const emailTo = (address: string) => smtp.emails.filter(({ to }) => to.join().includes(address)).map(decodedText);
    expect(emailTo('owner@example.com').join()).toContain('You already have an account');
    expect(emailTo('owner@example.com').join()).not.toContain('token=');
    const emails = emailTo(email);
    // The e-mails are in the language of the sign-up.
    expect(emails.join()).toContain('请确认您的邮箱');
    expect(emails.join()).not.toContain('Confirm your e-mail address');
    const tokens = emails.map((text) => /app\/confirm\?token=(gws_\w+)/.exec(text)?.[1] ?? '');
    expect(new Set(tokens).size).toBe(3);
    for (const token of tokens) expect(await browser.get(`/auth/sign-ups/${token}`)).toEqual({ email, name: 'Later' });
    // One e-mail belongs to a sign-up with another password. Confirming it with this password fails.
    const replies = [];
    for (const token of tokens) replies.push(await browser.send('POST', `/auth/sign-ups/${token}`, { password }));
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(replies.filter(({ status }) => status === 401)).toHaveLength(2);
    expect(await browser.get('/auth/session')).toMatchObject({ user: { email, language: 'zh' }, accounts: [{}] });
    expect(await userByEmail(db, email)).toMatchObject({ isVerified: true });
    for (const token of tokens) expectEnvelope(await browser.send('GET', `/auth/sign-ups/${token}`), refused);
    expect(await db.selectFrom('console_sign_ups').selectAll().where('email', '=', email).execute()).toEqual([]);
    const { data } = await owner.get('/admin/v1/audit?action=signUp');
    expect(data[0]).toMatchObject({ actor: email, after: { package: 'basic' } });
  });
});

test('a user who forgot the password gets a link by e-mail; the reply reveals no existing users', async () => {
  const [email, password] = ['guest@example.com', 'chosen after it was forgotten'];
  expectEnvelope(await open().send('POST', '/auth/resets', { email }), {
    status: 403,
    code: 'forbidden',
    type: 'gateway_error',
  });
  await withMail(async (smtp) => {
    for (const each of ['unknown@example.com', email.toUpperCase()]) {
      expect(await open().post('/auth/resets', { email: each })).toEqual({ next: 'email' });
    }
    await expectEmails(smtp, 1);
    expect(JSON.stringify(await owner.get('/admin/v1/links'))).not.toContain('unknown@example.com');
    const [sent] = smtp.emails;
    expect(sent?.to).toEqual([`RCPT TO:<${email}>`]);
    const [, token = ''] = /app\/reset\?token=(gwl_\w+)/.exec(sent ? decodedText(sent) : '') ?? [];
    expect(await open().get(`/auth/resets/${token}`)).toMatchObject({ email, resets: 'password' });
    expect(await open().post(`/auth/resets/${token}`, { password })).toMatchObject({ next: 'done' });
    expectEnvelope(await open().send('GET', `/auth/resets/${token}`), refused);
    expectEnvelope(await open().send('POST', '/auth/sign-in', { email, password: goodPassword }), refused);
    // Back to the password of the other tests.
    const browser = open();
    await browser.post('/auth/sign-in', { email, password });
    await browser.post('/auth/password', { current: password, next: goodPassword });
  });
});

test('a user gets one e-mail about a sign-in from a new place, and none about the first sign-in', async () => {
  const { db } = gateway.gateway.store;
  const [mine, theirs] = ['later@example.com', 'new@example.com'];
  const emailsTo = async (email: string) =>
    (await db.selectFrom('deliveries').select('id').where('target', '=', email).execute()).length;
  const firefox = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0' };
  const newer = { 'user-agent': firefox['user-agent'].replaceAll('140.0', '141.0') };
  const phone = { 'user-agent': 'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0) Version/19.0 Mobile/15E148 Safari/604.1' };
  await withMail(async () => {
    // Three e-mails of the sign-up, and none for the first place.
    expect([await emailsTo(mine), await emailsTo(theirs)]).toEqual([3, 0]);
    const browser = open();
    const signIn = (by: Browser, email: string, headers: Record<string, string>) =>
      by.post('/auth/sign-in', { email, password: goodPassword }, headers);
    await signIn(browser, mine, firefox);
    expect(await emailsTo(mine)).toBe(4);
    // Known are a newer version of the browser without the device cookie, and any browser with the cookie.
    await signIn(open(), mine, newer);
    await signIn(browser, mine, phone);
    expect(await emailsTo(mine)).toBe(4);
    // An unconfirmed address may belong to another person.
    await signIn(open(), theirs, firefox);
    expect(await emailsTo(theirs)).toBe(0);
  });
  // The link that the inviter sees does not confirm the address.
  const { link } = await owner.post('/account/v1/invitations', { email: theirs, role: 'viewer' });
  const invited = open();
  await invited.post('/auth/sign-in', { email: theirs, password: goodPassword });
  await invited.post(`/auth/invitations/${tokenIn(link)}/accept`, {});
  const user = (await userByEmail(db, theirs))!;
  expect(user).toMatchObject({ isVerified: false });
  await markVerified(db, user.id);
});

test('an e-mail to a user has the language of the user only, and one to an unknown address both languages', async () => {
  await owner.post('/auth/language', { language: 'zh' });
  expect((await owner.get('/auth/session')).user.language).toBe('zh');
  expect((await owner.send('POST', '/auth/language', { language: 'fr' })).status).toBe(400);
  const digest = { digest: 'weekly', email: 'owner@example.com', is_verified: true, is_mail_on: false };
  expect(await owner.post('/auth/digest', { digest: 'weekly' })).toEqual(digest);
  expect(await owner.get('/auth/digest')).toEqual(digest);
  const visitor = open();
  await visitor.post('/auth/sign-in', { email: 'later@example.com', password: goodPassword });
  for (const method of ['GET', 'POST']) {
    const reply = await visitor.send(method, '/auth/digest', method === 'GET' ? undefined : { digest: 'daily' });
    expectEnvelope(reply, { status: 403, code: 'forbidden', type: 'gateway_error' });
  }
  await withMail(async (smtp) => {
    await owner.post('/admin/v1/mail/test', { to: 'owner@example.com' });
    await owner.post('/admin/v1/mail/test', { to: 'stranger@example.com' });
    await expectEmails(smtp, 2);
    const [own, unknown] = ['owner@', 'stranger@'].map((name) =>
      decodedText(smtp.emails.find(({ to }) => to.join().includes(name))!),
    );
    expect([own!.includes('已收到'), own!.includes('E-mail works')]).toEqual([true, false]);
    expect([unknown!.includes('已收到'), unknown!.includes('E-mail works')]).toEqual([true, true]);
  });
});

test('a user who signed up without a mail server confirms the address later by e-mail, while signed in', async () => {
  const { db } = gateway.gateway.store;
  const browser = signUpBrowser();
  const [email, password] = ['early@example.com', goodPassword];
  await browser.post('/auth/sign-up', { email, name: 'Early', password });
  const notHere = await browser.send('POST', '/auth/address/email');
  expect(notHere.status).toBe(400);
  const { reason, message } = JSON.parse(notHere.text).error;
  expect([reason, message]).toEqual(['no_mail_to_confirm', expect.stringContaining('This gateway sends no e-mail.')]);
  await withMail(async (smtp) => {
    expect(await browser.get('/auth/session')).toMatchObject({ user: { is_verified: false }, is_mail_on: true });
    await browser.post('/auth/address/email');
    await expectEmails(smtp, 1);
    const { subject, links } = readEmail(smtp.emails[0]!);
    expect([subject.includes('Is this your e-mail address?'), links.length]).toEqual([true, 1]);
    const self = (await userByEmail(db, email))!;
    const old = addressProof(gateway.gateway.pepper, self, clock.now() - 86_400_001);
    const token = new URL(links[0]!).searchParams.get('confirm') ?? '';
    const [digest] = token.match(/[0-9a-f]{64}$/) ?? [''];
    const confirm = (by: Browser, proof: string) => by.send('POST', '/auth/address/confirm', { token: proof });
    // Refused: an invented token, one with a later expiry, a changed one, an expired one, and the right one of another user.
    const later = (clock.now() + 9 * 86_400_000).toString(36);
    const changed = token.replace(/.$/, (last) => (last === '0' ? '1' : '0'));
    for (const wrong of ['gwa_1', `gwa_${later}_${digest}`, changed, old])
      expectEnvelope(await confirm(browser, wrong), refused);
    expectEnvelope(await confirm(owner, token), refused);
    expect(await userByEmail(db, email)).toMatchObject({ isVerified: false });
    for (let twice = 0; twice < 2; twice += 1) expect((await confirm(browser, token)).status).toBe(200);
    expect((await browser.get('/auth/session')).user.is_verified).toBe(true);
    const { data } = await owner.get('/admin/v1/audit?action=confirmAddress');
    expect(data).toMatchObject([{ actor: email, after: { email } }]);
    // A confirmed address gets no further e-mail.
    await browser.post('/auth/address/email');
    const { length } = await db.selectFrom('deliveries').select('id').where('target', '=', email).execute();
    expect(length).toBe(1);
  });
});

/** The subjects of the e-mails in each language. The display name of the account is 演示团队. */
const subjects = {
  en: {
    reset: 'Chat Gateway: Reset your sign-in',
    'balance.low': 'Chat Gateway: The balance of 演示团队 is low',
    'key.cap_reached': 'Chat Gateway: A key of 演示团队 has reached its spend cap',
    digest: 'Chat Gateway: Digest of the gateway, DAY',
    'new-place': 'Chat Gateway: Sign-in from a new location',
    confirm: 'Open House: Confirm your e-mail address',
  },
  zh: {
    reset: 'Chat Gateway：重置登录方式',
    'balance.low': 'Chat Gateway：演示团队 的余额不足',
    'key.cap_reached': 'Chat Gateway：演示团队 的一个密钥已达消费上限',
    digest: 'Chat Gateway：网关摘要，DAY',
    'new-place': 'Chat Gateway：新地点登录提醒',
    confirm: 'Open House：请确认您的邮箱',
  },
} as const;

test.each(['en', 'zh'] as const)(
  'e-mails arrive by SMTP in %s: one per event, with subject, text, HTML and a working link',
  async (language) => {
    const { store, pepper } = gateway.gateway;
    const self = (await owner.get('/auth/session')).user.id;
    await owner.post('/auth/language', { language });
    const guest = (await userByEmail(store.db, 'guest@example.com'))!;
    await setLanguage(store.db, guest.id, language);
    const { id: accountId } = (await accounts(store, clock).find('demo'))!;
    await store.db.updateTable('accounts').set({ display_name: '演示团队' }).where('id', '=', accountId).execute();
    await withMail(async (smtp) => {
      const wanted = Object.values(subjects[language]);
      const newUser = `new-user-${language}@example.com`;
      const sent = { email: newUser, name: '新人', password: goodPassword, language };
      await signUpBrowser().post('/auth/sign-up', sent);
      await open().post('/auth/sign-in', { email: 'owner@example.com', password: goodPassword }, device(language));
      const data = { name: '密钥', display: 'sk-…1', balance: '1.00', threshold: '5.00', cap: '3.00' };
      for (const kind of ['balance.low', 'key.cap_reached'] as const)
        await recordEvent(store.db, { kind, accountId, at: clock.now(), data });
      const settings = loadedConfig(stringify({ ...file, mail: mailAt(smtp) }), gateway.directory).config.mail;
      const parts = { clock, vault: secretVault(pepper), siteAt: () => undefined, currency: () => 'USD' };
      const mailer = new Mailer({ ...parts, settings: () => settings });
      await makeDue(self);
      await Promise.all([sendDigests({ store, mail: mailer }), sendDigests({ store, mail: mailer })]);
      // The next digest is due tomorrow, which may begin during this test.
      await owner.post('/auth/digest', { digest: 'off' });
      await owner.post(`/admin/v1/people/${guest.id}/reset`, { resets: 'password' });
      await expectEmails(smtp, wanted.length);
      const emails = smtp.emails.map(readEmail);
      const withoutDays = (subject: string) => subject.replace(/\d{4}-\d\d-\d\d( – \d{4}-\d\d-\d\d)?/, 'DAY');
      expect(emails.map(({ subject }) => withoutDays(subject)).toSorted()).toEqual(wanted.toSorted());
      for (const { subject, text, html, links, to } of emails) {
        const isReset = subject === subjects[language].reset;
        expect(to).toBe(subject.startsWith('Open') ? newUser : isReset ? guest.email : 'owner@example.com');
        // Text and HTML have the same title, lines and link.
        expect(text).toContain(subject);
        expect(html).toContain(`<h1>${subject}</h1>`);
        for (const line of text.split('\n').slice(2, -2)) expect(html).toContain(line.replaceAll("'", '&#39;'));
        expect(links).toHaveLength(1);
        expect(links[0]).toMatch(/^https:\/\/gateway\.example\.com\/app\/|^https:\/\/localhost\/app\/confirm/);
        const { pathname, search } = new URL(links[0]!);
        expect((await fetch(gateway.url + pathname + search)).status).toBe(200);
      }
      const linkOf = (kind: keyof typeof subjects.en) =>
        emails.find(({ subject }) => subject === subjects[language][kind])!.links[0]!;
      expect((await open().get(`/auth/resets/${tokenIn(linkOf('reset'))}`)).email).toBe(guest.email);
      expect(await signUpBrowser().get(`/auth/sign-ups/${tokenIn(linkOf('confirm'))}`)).toEqual({
        email: newUser,
        name: '新人',
      });
    });
  },
);

function device(language: Language) {
  const system = language === 'en' ? 'Windows NT 10.0' : 'Linux; Android 15';
  return { 'user-agent': `Mozilla/5.0 (${system}) AppleWebKit/537.36 Chrome/140.0 Safari/537.36` };
}

/** Makes the digest of an operator due, for past days with an event. */
async function makeDue(userId: string): Promise<void> {
  const { db } = gateway.gateway.store;
  const at = (days: number) => Date.now() - days * 86_400_000;
  await recordEvent(db, {
    kind: 'upstream.down',
    accountId: undefined,
    at: at(2),
    data: { upstream: 'u', error: 'x' },
  });
  await owner.post('/auth/digest', { digest: 'daily' });
  await db
    .updateTable('digests')
    .set({ since: at(3), due_at: 1 })
    .where('user_id', '=', userId)
    .execute();
}
