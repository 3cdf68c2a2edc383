import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { auditActions } from '../../../packages/dashboard/src/strings/audit-actions.ts';
import { addMember } from '../../../src/money/accounts/members.ts';
import { addOperator } from '../../../src/money/accounts/operators.ts';
import { createUser } from '../../../src/money/accounts/users.ts';
import { endpoints } from '../../../src/manage/admin/endpoints.ts';
import { systemClock } from '../../../src/core/time/clock.ts';
import type { MailSettings } from '../../../src/operate/notifications/email/smtp.ts';
import { saveCard } from '../../../src/money/payments/saved-cards.ts';
import { endBatch, newBatch } from '../../gateways/admin-batches.ts';
import { type AdminGateway, startAdminGateway } from '../../gateways/admin-gateway.ts';
import { storedFor } from '../../stores/stored-for.ts';

let gateway: AdminGateway;
beforeAll(async () => {
  gateway = await startAdminGateway();
});
afterAll(() => gateway.stop());

test('every kind of write adds one audit row with before and after', async () => {
  const { owner } = gateway;
  const { id: account } = await owner('POST', '/admin/v1/accounts', { name: 'carol' });
  const path = `/admin/v1/accounts/${account}`;
  const { id: organisation } = await owner('POST', '/admin/v1/organisations', { name: 'group' });
  await owner('PATCH', `/admin/v1/organisations/${organisation}`, { display_name: 'The group' });
  await owner('POST', `/admin/v1/organisations/${organisation}/invitations`, {
    email: 'boss@example.com',
    role: 'owner',
  });
  await owner('DELETE', `/admin/v1/organisations/${organisation}`);
  await owner('POST', `${path}/suspend`);
  await owner('POST', `${path}/resume`);
  await owner('PATCH', path, { package: 'none' });
  await owner('POST', `${path}/credits`, { kind: 'grant', amount: '1', reference: 'r', reason: 'why not' });
  const { id: key } = await owner('POST', '/admin/v1/keys', { account, name: 'laptop' });
  await owner('POST', '/admin/v1/keys/import', { account, name: 'old', sha256: 'ab'.repeat(32) });
  await owner('PATCH', `/admin/v1/keys/${key}`, { name: 'desk' });
  const { id: rotated } = await owner('POST', `/admin/v1/keys/${key}/rotate`, { grace: '1h' });
  await owner('POST', `/admin/v1/keys/${key}/revoke`);
  await owner('POST', `/admin/v1/keys/${rotated}/terminate`);
  expect(await owner('POST', `${path}/terminate`)).toMatchObject({ status: 'suspended' });
  const { id: token } = await owner('POST', '/admin/v1/tokens', { name: 'x', role: 'read-only' });
  await owner('POST', `/admin/v1/tokens/${token}/revoke`);
  const specs = {
    upstream: { name: 'u', kind: 'openai', base_url: 'https://u.example/v1', api_key: '${CANARY_NAME}' },
    model: { id: 'm', routes: [{ upstream: 'u' }], price: 'free' },
    package: { name: 'p', models: ['*'] },
    site: { name: 's', domains: ['s.example'], models: ['*'] },
  };
  for (const [kind, spec] of Object.entries(specs)) await owner('POST', `/admin/v1/${kind}s`, spec);
  for (const [kind, spec] of Object.entries(specs)) {
    const name = 'id' in spec ? spec.id : spec.name;
    await owner('PUT', `/admin/v1/${kind}s/${name}`, { ...spec, ...(kind === 'model' && { aliases: ['mm'] }) });
  }
  await owner('POST', '/admin/v1/upstreams/u/disable');
  await owner('POST', '/admin/v1/upstreams/u/enable');
  await owner('POST', '/admin/v1/upstreams/u/keys', { api_keys: ['${CANARY_NAME}'] });
  for (const [kind, name] of ['site s', 'package p', 'model m', 'upstream u'].map((text) => text.split(' '))) {
    await owner('DELETE', `/admin/v1/${kind}s/${name}`);
  }
  await owner('POST', '/admin/v1/model-batches', { models: [{ ...specs.model, routes: [{ upstream: 'filed' }] }] });
  await owner('POST', '/admin/v1/price-batches', { prices: [{ model: 'm', price: { input: '1', output: '2' } }] });
  const { send, ann } = gateway;
  const batch = await owner('POST', '/admin/v1/code-batches', { count: 2, amount: '1', note: 'spring' });
  await send('POST', '/account/v1/redemptions', { token: ann.token, body: { code: batch.codes[0] } });
  await owner('POST', `/admin/v1/code-batches/${batch.id}/withdraw`);
  await send('POST', '/account/v1/payments', { token: ann.token, body: { amount: '5' } });
  const details = { name: 'Ann Ltd', address: ['1 Road'], country: null, tax_number: null, email: null };
  await send('PUT', '/account/v1/billing-details', { token: ann.token, body: details });
  await writeTopUp();
  await writeAlerts(account);
  await send('POST', '/account/v1/playground-keys', { token: ann.token });
  const own = (await send('POST', '/account/v1/keys', { token: ann.token, body: { name: 'own' } })).json;
  await send('PATCH', `/account/v1/keys/${own.id}`, { token: ann.token, body: { honour_stream_false: true } });
  const successor = await send('POST', `/account/v1/keys/${own.id}/rotate`, {
    token: ann.token,
    body: { grace: '1h' },
  });
  await send('POST', `/account/v1/keys/${successor.json.id}/terminate`, { token: ann.token });
  await send('POST', `/account/v1/keys/${own.id}/revoke`, { token: ann.token });
  await send('PATCH', '/account/v1/account', { token: ann.token, body: { time_zone: 'Asia/Tokyo' } });
  await writeBodies();
  await writeBatches();

  const invited = { email: 'guest@example.com', role: 'owner' };
  const invitation = (await send('POST', '/account/v1/invitations', { token: ann.token, body: invited })).json;
  await send('DELETE', `/account/v1/invitations/${invitation.id}`, { token: ann.token });
  await owner('POST', `/admin/v1/accounts/${account}/invitations`, { email: 'new@example.com', role: 'owner' });
  const { id: operatorInvitation } = await owner('POST', '/admin/v1/operators/invitations', invited);
  await owner('DELETE', `/admin/v1/operators/invitations/${operatorInvitation}`);
  const guest = { email: 'guest@example.com', name: 'Guest', passwordHash: '', isVerified: true };
  const { id: userId } = await createUser(gateway.store.db, systemClock, guest);
  await addMember(gateway.store, systemClock, { accountId: ann.account.id, userId, role: 'viewer' });
  const member = `/account/v1/members/${userId}`;
  await send('PATCH', member, { token: ann.token, body: { role: 'member' } });
  const [seen] = (await owner('GET', '/admin/v1/people?q=guest')).data;
  const rename = (name: string) => {
    const headers = { 'if-match': `"${seen.version}"` };
    return send('PATCH', `/admin/v1/people/${userId}`, { token: gateway.tokens.owner, body: { name }, headers });
  };
  expect((await rename('客人 👋')).status).toBe(200);
  expect((await rename('Stranger who saw the old name')).status).toBe(409);
  await send('POST', `${member}/reset`, { token: ann.token, body: { resets: 'password' } });
  await addOperator(gateway.store, systemClock, { userId, role: 'read-only' });
  await owner('PATCH', `/admin/v1/operators/${userId}`, { role: 'operator' });
  const { id: reset } = await owner('POST', `/admin/v1/people/${userId}/reset`, { resets: 'both' });
  await owner('DELETE', `/admin/v1/links/${reset}`);
  await owner('PATCH', `/admin/v1/accounts/${ann.account.id}/members`, { member: userId, max_concurrency: 2 });
  await send('DELETE', `/account/v1/members/${userId}`, { token: ann.token });
  await owner('DELETE', `/admin/v1/operators/${userId}`);

  const { data } = await owner('GET', '/admin/v1/audit?limit=200');
  const used = data.filter((line: { action: string }) => line.action === 'useToken');
  expect(used).toContainEqual(
    expect.objectContaining({ actor_name: 'owner', subject_name: 'owner', address: '127.0.0.1' }),
  );
  const actions = data
    .map((line: { action: string }) => line.action)
    .filter((action: string) => action !== 'useToken')
    .toReversed();
  const all = endpoints.filter(({ isWrite }) => isWrite);
  // Only users belong to organisations: test/contract/teams has their writes.
  const writes = all.filter(({ access }) => access !== 'organisation').map(({ operationId }) => operationId);
  expect(new Set(actions)).toEqual(new Set(writes));
  expect(actions).toHaveLength(writes.length);
  expect(Object.keys(auditActions), 'the action names of the dashboard').toEqual(
    expect.arrayContaining(all.map(({ operationId }) => operationId)),
  );
  const line = (action: string) => data.find((each: { action: string }) => each.action === action);
  expect(line('suspendAccount')).toMatchObject({
    role: 'owner',
    subject_kind: 'account',
    subject_id: account,
    before: { status: 'active' },
    after: { status: 'suspended' },
    request_id: expect.stringMatching(/^\d{17}/),
  });
  expect(line('createAccount')).toMatchObject({ before: null, after: { name: 'carol' } });
  expect(line('creditAccount'), 'a credit is named by its account').toMatchObject({ subject_name: 'carol' });
  expect(line('createCodeBatch'), 'a batch is named by its note').toMatchObject({ subject_name: 'spring' });
  expect(line('removeSite')).toMatchObject({ after: null, before: { spec: specs.site } });
  expect(line('withdrawCodeBatch')).toMatchObject({ subject_id: batch.id, subject_name: 'spring' });
  expect(line('createOwnKey')).toMatchObject({ role: 'account', after: { account_id: ann.account.id } });
  expect(JSON.stringify(data)).not.toMatch(/CANARY_NAME|gw[ak]_live_[0-9A-Za-z]{10}|gwl_/);
});

/** Every write about the saved card of an account. */
async function writeTopUp(): Promise<void> {
  const { send, ann, store } = gateway;
  const shown = { brand: 'visa', last4: '4242', expMonth: 4, expYear: 2031 };
  const card = { ...shown, card: 'pm_1', customer: 'cus_1', setUpAt: 1 };
  const saved = { accountId: ann.account.id, provider: 'stripe', by: 'ann', setup: 'seti_1', card, at: 1 };
  await store.transaction((tx) => saveCard(tx, saved));
  const body = { threshold: '5', amount: '10', monthly_max: '20' };
  await send('PUT', '/account/v1/auto-top-up', { token: ann.token, body });
  await send('DELETE', '/account/v1/auto-top-up', { token: ann.token });
  await send('DELETE', '/account/v1/card', { token: ann.token });
}

/** Every write about stored bodies, in both APIs. */
async function writeBatches(): Promise<void> {
  const { send, owner, ann } = gateway;
  const [first, second, third] = [
    await newBatch(gateway, ann),
    await newBatch(gateway, ann),
    await newBatch(gateway, ann),
  ];
  await owner('POST', `/admin/v1/batches/batch_${first}/cancel`);
  await send('POST', `/account/v1/batches/batch_${second}/cancel`, { token: ann.token });
  await endBatch(gateway, ann, third, ['{}\n', '{}\n']);
  for (const file of ['output', 'errors'])
    await send('POST', `/account/v1/batches/batch_${third}/${file}/read`, { token: ann.token });
}

async function writeBodies(): Promise<void> {
  const { send, ann, owner } = gateway;
  const bodies = await storedFor(gateway, ann, ['read', 'left', 'more']);
  await send('POST', `/account/v1/requests/${bodies[0]}/bodies/read`, { token: ann.token });
  await send('DELETE', `/account/v1/requests/${bodies[0]}/bodies`, { token: ann.token });
  await owner('DELETE', `/admin/v1/requests/${bodies[1]}/bodies`);
  await send('DELETE', `/account/v1/keys/${ann.keyId}/bodies`, { token: ann.token });
  // Bodies of requests from before the key was cleared are not stored any more.
  gateway.clock.at += 1;
  await storedFor(gateway, ann, ['last']);
  await owner('DELETE', `/admin/v1/keys/${ann.keyId}/bodies`);
}

const mailSettings: MailSettings = {
  host: 'smtp.example.com',
  port: 587,
  security: 'starttls',
  from: 'gateway@example.com',
  user: undefined,
  password: undefined,
  url: 'https://house.example.com',
  operators: [],
  languages: ['en', 'zh'],
};

/** Every write to webhooks, thresholds and e-mail, in both APIs. */
async function writeAlerts(account: string): Promise<void> {
  const { send, ann, tokens } = gateway;
  gateway.mailbox.settings = mailSettings;
  const sides = [
    ['/admin/v1', tokens.owner, `/admin/v1/accounts/${account}/alerts`],
    ['/account/v1', ann.token, '/account/v1/alerts'],
  ] as const;
  for (const [path, token, alerts] of sides) {
    const write = async (method: string, where: string, body?: unknown) =>
      (await send(method, where, { token, body })).json;
    const { id } = await write('POST', `${path}/webhooks`, { name: 'hook', url: 'https://hooks.example.com/in' });
    await write('PATCH', `${path}/webhooks/${id}`, { name: 'other' });
    await write('POST', `${path}/webhooks/${id}/rotate`, { overlap: '1h' });
    const { id: delivery } = await write('POST', `${path}/webhooks/${id}/test`);
    await write('POST', `${path}/deliveries/${delivery}/redeliver`);
    await write('DELETE', `${path}/webhooks/${id}`);
    await write('PATCH', alerts, { low_balance: '3' });
  }
  await gateway.owner('POST', '/admin/v1/mail/test', { to: 'ops@example.com' });
  gateway.mailbox.settings = undefined;
}

test('a write that fails or changes nothing adds no audit row', async () => {
  const before = (await gateway.owner('GET', '/admin/v1/audit?limit=200')).data.length;
  const { token } = { token: gateway.tokens.owner };
  await gateway.send('POST', '/admin/v1/accounts', { token, body: { name: 'ann' } });
  await gateway.send('POST', '/admin/v1/keys/key_stranger/revoke', { token });
  const { id } = await gateway.owner('POST', '/admin/v1/keys', { account: gateway.bob.account.id, name: 'k' });
  await gateway.owner('POST', `/admin/v1/keys/${id}/revoke`);
  await gateway.owner('POST', `/admin/v1/keys/${id}/revoke`);
  expect((await gateway.owner('GET', '/admin/v1/audit?limit=200')).data).toHaveLength(before + 2);
});

test('a change is rolled back if its audit row cannot be written', async () => {
  await sql`create trigger no_line before insert on audit begin select raise(abort, 'full'); end`.execute(
    gateway.store.db,
  );
  const body = { name: 'unaudited', models: ['*'] };
  const reply = await gateway.send('POST', '/admin/v1/packages', { token: gateway.tokens.owner, body, mayBreak: true });
  await sql`drop trigger no_line`.execute(gateway.store.db);
  expect(reply.status).toBe(500);
  expect((await gateway.send('GET', '/admin/v1/packages/unaudited', { token: gateway.tokens.owner })).status).toBe(404);
});

test('the audit log is filtered by actor, action, subject and time', async () => {
  const { ann } = gateway;
  await gateway.send('GET', '/admin/v1/system', { token: gateway.tokens.operator });
  gateway.clock.at = Date.parse('2026-05-01T00:00:00Z');
  await gateway.send('POST', `/admin/v1/accounts/${ann.account.id}/suspend`, { token: gateway.tokens.operator });
  const [line] = (await gateway.owner('GET', '/admin/v1/audit?limit=1')).data;
  const matching = [
    `actor=${line.actor}&action=suspendAccount`,
    'since=2026-05-01T00:00:00Z',
    `action=suspendAccount&subject_id=${ann.account.id}`,
    `subject_kind=account&subject_id=${ann.account.id}&since=2026-05-01T00:00:00Z`,
  ];
  for (const query of matching) {
    expect((await gateway.owner('GET', `/admin/v1/audit?${query}`)).data).toEqual([line]);
  }
  expect((await gateway.owner('GET', '/admin/v1/audit?actor=tok_stranger')).data).toEqual([]);
});

test('an operator’s change of a key is in the audit log of its account, and of no other account', async () => {
  const { ann, bob, send, owner } = gateway;
  await owner('PATCH', `/admin/v1/keys/${ann.keyId}`, { name: 'renamed by an operator' });
  const log = async ({ token }: { readonly token: string }) =>
    JSON.stringify((await send('GET', '/account/v1/audit', { token })).json.data);
  expect(await log(ann)).toContain('renamed by an operator');
  expect(await log(bob)).not.toContain('renamed by an operator');
});

test('no route changes the audit log, and the store rejects changes too', async () => {
  expect(endpoints.filter(({ path, isWrite }) => path.includes('audit') && isWrite)).toEqual([]);
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
    for (const path of ['/admin/v1/audit', '/admin/v1/audit/1']) {
      const reply = await gateway.send(method, path, { token: gateway.tokens.owner, body: {} });
      expect([404, 405]).toContain(reply.status);
    }
  }
  const { db } = gateway.store;
  await expect(db.updateTable('audit').set({ actor: 'x' }).execute()).rejects.toThrow('never changed');
  await expect(db.deleteFrom('audit').execute()).rejects.toThrow('never changed');
});
