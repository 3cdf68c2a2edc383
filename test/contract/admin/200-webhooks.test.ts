import { afterAll, beforeAll, expect, test } from 'vitest';
import { addMember } from '../../../src/money/accounts/members.ts';
import { readersOf } from '../../../src/money/accounts/readers.ts';
import { createUser } from '../../../src/money/accounts/users.ts';
import { systemClock } from '../../../src/core/time/clock.ts';
import { openEmail, postEmail } from '../../../src/operate/notifications/email/post-email.ts';
import { settleCharges } from '../../../src/money/billing/settle.ts';
import { type AdminGateway, expectRefused, startAdminGateway } from '../../gateways/admin-gateway.ts';

let gateway: AdminGateway;
beforeAll(async () => {
  gateway = await startAdminGateway();
});
afterAll(() => gateway.stop());

const hook = { name: 'ops', url: 'https://hooks.example.com/in?team=1' };
const asAnn = (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
  gateway.send(method, `/account/v1${path}`, { token: gateway.ann.token, body, headers });

test('an owner creates a webhook, sees its secret once, changes, tests and removes it', async () => {
  const made = await asAnn('POST', '/webhooks', { ...hook, events: ['key.created', 'balance.low'] });
  const { secret, ...shown } = made.json;
  expect(secret).toMatch(/^whsec_[0-9A-Za-z]{40}$/);
  expect(shown).toMatchObject({ ...hook, status: 'on', source: 'store', events: ['key.created', 'balance.low'] });
  const listed = await asAnn('GET', '/webhooks');
  expect(listed.json.data).toEqual([shown]);
  expect(listed.text).not.toContain(secret);
  const path = `/webhooks/${shown.id}`;
  const paused = await asAnn('PATCH', path, { is_on: false, events: null }, { 'if-match': `"${shown.version}"` });
  expect(paused.json).toMatchObject({ status: 'paused', events: null });
  const stale = await asAnn('PATCH', path, { name: 'lost' }, { 'if-match': `"${shown.version}"` });
  expect(stale.status).toBe(409);
  expectRefused(await asAnn('POST', `${path}/test`), 'The webhook endpoint is disabled. Enable it first.');
  await asAnn('PATCH', path, { is_on: true });
  const tested = await asAnn('POST', `${path}/test`);
  expect(tested.json).toMatchObject({ event: 'webhook.test', state: 'waiting', webhook_id: shown.id });
  expect((await asAnn('GET', `/deliveries?webhook=${shown.id}`)).json.data).toEqual([tested.json]);
  const again = await asAnn('POST', `/deliveries/${tested.json.id}/redeliver`);
  expect(again.json).toMatchObject({ event_id: tested.json.event_id, state: 'waiting', attempt_count: 0 });
  const rotated = await asAnn('POST', `${path}/rotate`, { overlap: '24h' });
  expect(rotated.json.secret).not.toBe(secret);
  expect(rotated.json.old_secret_until).toBe('2026-03-02T00:00:00.000Z');
  expect((await asAnn('DELETE', path)).status).toBe(200);
  expect((await asAnn('GET', '/deliveries')).json.data).toEqual([]);
  const { data } = await gateway.owner('GET', '/admin/v1/audit');
  expect(JSON.stringify(data)).not.toContain('whsec_');
  expect(data.map(({ action }: { action: string }) => action)).toContain('rotateOwnWebhook');
});

test.each([
  [{ url: 'ftp://hooks.example.com' }, '`url` must be a URL that begins with https://'],
  [{ url: 'https://user:word@hooks.example.com' }, '`url` must not contain a user name or password.'],
  [{ url: 'https://hooks.example.com/\r\nx: y' }, '`url` must'],
  [{ events: ['upstream.down'] }, '`events'],
  [{ events: [] }, '`events`'],
])('a webhook with %j is rejected', async (wrong, words) => {
  expectRefused(await asAnn('POST', '/webhooks', { ...hook, ...wrong }), words);
});

test('a repeated creation of a webhook gets the same reply, also if its address is not allowed any more', async () => {
  const newHook = { ...hook, url: 'http://127.0.0.1:8080/hook' };
  const once = { 'idempotency-key': 'made-while-allowed' };
  gateway.webhooks.allow = ['127.0.0.1'];
  const made = await asAnn('POST', '/webhooks', newHook, once);
  gateway.webhooks.allow = [];
  expect((await asAnn('POST', '/webhooks', newHook, once)).text).toBe(made.text);
  expectRefused(await asAnn('POST', '/webhooks', { ...newHook, name: 'other' }, once), 'was used for another request');
  await asAnn('DELETE', `/webhooks/${made.json.id}`);
});

test.each([
  'http://127.0.0.1:8080/hook',
  'https://10.0.0.1',
  'http://[::1]/',
  'http://169.254.169.254/',
  'http://localhost/',
])('a webhook of an account is refused at %s, unless the operator allows that address', async (url) => {
  const words = '`url` is not a public address, so the gateway sends nothing there.';
  expectRefused(await asAnn('POST', '/webhooks', { ...hook, url }), words);
  const { json } = await asAnn('POST', '/webhooks', hook);
  expectRefused(await asAnn('PATCH', `/webhooks/${json.id}`, { url }), words);
  expect((await asAnn('GET', `/webhooks/${json.id}`)).json.url).toBe(hook.url);
  gateway.webhooks.allow = [new URL(url).hostname.replace(/^\[|\]$/g, '')];
  expect((await asAnn('PATCH', `/webhooks/${json.id}`, { url })).json.url).toBe(url);
  gateway.webhooks.allow = [];
  // An existing webhook can still be renamed and paused.
  expect((await asAnn('PATCH', `/webhooks/${json.id}`, { name: 'moved', url, is_on: false })).status).toBe(200);
  await asAnn('DELETE', `/webhooks/${json.id}`);
});

test('an operator’s webhook may have a private address; the file decides whether events are sent there', async () => {
  const made = await gateway.owner('POST', '/admin/v1/webhooks', { name: 'inside', url: 'http://10.0.0.1/' });
  expect(made.url).toBe('http://10.0.0.1/');
  await gateway.owner('DELETE', `/admin/v1/webhooks/${made.id}`);
});

test('an account owner cannot reach the webhooks of the operators', async () => {
  const theirs = await gateway.owner('POST', '/admin/v1/webhooks', { ...hook, events: ['upstream.down'] });
  const delivery = await gateway.owner('POST', `/admin/v1/webhooks/${theirs.id}/test`);
  for (const [method, path, body] of [
    ['PATCH', `/webhooks/${theirs.id}`, { is_on: false }],
    ['DELETE', `/webhooks/${theirs.id}`],
    ['POST', `/webhooks/${theirs.id}/rotate`, { overlap: 'now' }],
    ['POST', `/webhooks/${theirs.id}/test`],
    ['POST', `/deliveries/${delivery.id}/redeliver`],
  ] as const) {
    expect((await asAnn(method, path, body)).status).toBe(404);
  }
  expect((await asAnn('GET', '/deliveries')).json.data).toEqual([]);
  expect((await asAnn('GET', '/webhooks')).json.data).toEqual([]);
});

test('an account has at most 20 webhooks', async () => {
  const make = () => asAnn('POST', '/webhooks', hook);
  for (let made = 0; made < 20; made += 1) expect((await make()).status).toBe(200);
  expectRefused(await make(), 'There are already 20 webhook endpoints. Remove one first.');
});

test('with a mail server, an invitation link is e-mailed: sealed in the store, with the configured URL, and limited in number', async () => {
  const invite = (email: string, host?: string) =>
    gateway.send('POST', '/account/v1/invitations', {
      token: gateway.bob.token,
      body: { email, role: 'viewer' },
      ...(host !== undefined && { headers: { host } }),
    });
  expect((await invite('no@example.com')).json.mailed).toBe(false);
  const url = 'https://house.example.com/';
  const server = { host: 'smtp.example.com', port: 587, security: 'starttls', from: 'gateway@example.com' } as const;
  const others = { user: undefined, password: undefined };
  gateway.mailbox.settings = { ...server, ...others, url, operators: [], languages: ['en', 'zh'] };
  const { json } = await invite('yes@example.com');
  expect(json.mailed).toBe(true);
  const row = await gateway.store.db
    .selectFrom('deliveries')
    .selectAll()
    .where('target', '=', 'yes@example.com')
    .executeTakeFirstOrThrow();
  expect(JSON.stringify(row)).not.toContain('token=');
  expect(openEmail(row, gateway.vault)?.text).toContain(`https://house.example.com${json.link}`);
  expect(openEmail({ ...row, id: 'dlv_other' }, gateway.vault)).toBeUndefined();
  await gateway.owner('POST', '/admin/v1/mail/test', { to: 'ops@example.com' });
  const { emails, ...mail } = await gateway.owner('GET', '/admin/v1/mail');
  expect(mail).toEqual({ is_on: true, host: 'smtp.example.com', from: 'gateway@example.com' });
  expect(emails.map(({ to }: { to: string }) => to).toSorted()).toEqual(['ops@example.com', 'yes@example.com']);
  for (let sent = 1; sent < 100; sent += 1) {
    await postEmail({ db: gateway.store.db, clock: systemClock, vault: gateway.vault }, emailTo(sent), {
      accountId: gateway.bob.account.id,
    });
  }
  expect((await invite('late@example.com')).json.mailed).toBe(false);
  gateway.mailbox.settings = undefined;
  expectRefused(
    await gateway.send('POST', '/admin/v1/mail/test', {
      token: gateway.tokens.operator,
      body: { to: 'a@example.com' },
    }),
    'No mail server is configured.',
  );
});

const emailTo = (number: number) => ({ to: `n${number}@example.com`, subject: '', text: '', html: '' });

test('an owner, or an operator for them, sets the threshold of the low-balance alert', async () => {
  const { id } = gateway.bob.account;
  expect(await gateway.owner('GET', `/admin/v1/accounts/${id}/alerts`)).toMatchObject({ low_balance: null });
  const set = await gateway.send('PATCH', '/account/v1/alerts', {
    token: gateway.bob.token,
    body: { low_balance: '0.000000003' },
  });
  expect(set.json).toMatchObject({ low_balance: '0.000000003' });
  expect(await gateway.owner('GET', `/admin/v1/accounts/${id}`)).toMatchObject({ low_balance: '0.000000003' });
  const money = { cost: 3n, held: 3n, priceVersion: 'v', reason: 'tokens', by: 'gateway', at: 1 } as const;
  const charge = { requestId: 'r', processId: 'p', accountId: id, keyId: gateway.bob.keyId, ...money };
  await gateway.store.commit(settleCharges, [charge]);
  const low = gateway.store.db.selectFrom('events').selectAll().where('kind', '=', 'balance.low');
  expect(await low.execute()).toMatchObject([{ account_id: id }]);
  await gateway.owner('PATCH', `/admin/v1/accounts/${id}/alerts`, { low_balance: null });
  expect(await gateway.owner('GET', `/admin/v1/accounts/${id}/alerts`)).toMatchObject({ low_balance: null });
});

test('owners choose which members get e-mails, and how often a digest is sent', async () => {
  const { store, bob } = gateway;
  const member = async (name: string, isVerified: boolean) => {
    const given = { email: `${name}@example.com`, name, passwordHash: '', isVerified };
    const { id: userId } = await createUser(store.db, systemClock, given);
    await addMember(store, systemClock, { accountId: bob.account.id, userId, role: 'member' });
    return userId;
  };
  const carol = await member('carol', true);
  await member('unsure', false);
  const change = (body: object) => gateway.send('PATCH', '/account/v1/alerts', { token: bob.token, body });
  const { json } = await gateway.send('GET', '/account/v1/alerts', { token: bob.token });
  expect(json).toMatchObject({ recipients: null, digest: 'off', readers: ['carol@example.com'], is_mail_on: false });
  for (const email of ['unsure@example.com', 'stranger@example.com'])
    expectRefused(
      await change({ recipients: [email] }),
      `names ${email}, which is not the confirmed e-mail address of a member`,
    );
  const chosen = { recipients: ['carol@example.com'], digest: 'daily' };
  expect((await change({ ...chosen, recipients: ['Carol@example.com'] })).json).toMatchObject(chosen);
  expect(await readersOf(store.db, bob.account.id)).toEqual(['carol@example.com']);
  expect((await change({ low_balance: '1' })).json).toMatchObject(chosen);
  await store.db.deleteFrom('console_members').where('user_id', '=', carol).execute();
  expect((await change({ digest: 'off' })).json).toMatchObject({ recipients: null, digest: 'off' });
});
