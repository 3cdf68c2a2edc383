import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AccountId } from '../../../src/money/accounts/ids.ts';
import { credits } from '../../../src/money/billing/ledger/credits.ts';
import { endpoints } from '../../../src/manage/admin/endpoints.ts';
import { systemClock } from '../../../src/core/time/clock.ts';
import { finish, gate, json, sse } from '../../fakes/fake-replies.ts';
import { expectEnvelope } from '../../expectations.ts';
import { type ConsolePerson, newAccount, newPerson } from '../../gateways/console-people.ts';
import { startTestGateway, type TestGateway } from '../../gateways/gateway.ts';

let gateway: TestGateway;
let owner: ConsolePerson;
let member: ConsolePerson;
let colleague: ConsolePerson;
let viewer: ConsolePerson;
/** The owner of another account, and an operator who owns another account. */
let stranger: ConsolePerson;
let operator: ConsolePerson;
let accountId: AccountId;
const webhooks: string[] = [];
/** Opens at the end: no line of a batch runs longer than the tests. */
const held = gate();
beforeAll(async () => {
  gateway = await startTestGateway((base) => ({ ...base, stored_bodies: {}, webhooks: { allow: ['127.0.0.1'] } }));
  gateway.provider.respond('POST /hook', json(200, {}));
  accountId = await newAccount(gateway, 'team');
  const foreign = await newAccount(gateway, 'foreign');
  const by = { reference: 'start', by: 'test', reason: 'start' };
  await credits(gateway.gateway.store, systemClock).grant({ accountId, amount: 10n ** 12n, ...by });
  const person = (role: 'owner' | 'member' | 'viewer') => newPerson(gateway, { accounts: { [accountId]: role } });
  [owner, member, colleague, viewer] = [
    await person('owner'),
    await person('member'),
    await person('member'),
    await person('viewer'),
  ];
  const owns = { accounts: { [foreign]: 'owner' } } as const;
  [stranger, operator] = [await newPerson(gateway, owns), await newPerson(gateway, { ...owns, operator: 'owner' })];
});
afterAll(() => {
  held.open();
  return gateway.stop();
});

/**
 * Which members may act on a thing of the account by its id: each member, the owners and the member of its key, or the
 * owners. Viewers may only read.
 */
interface Rule {
  readonly may: 'all' | 'own key' | 'owners';
  /** Creates the thing for a user, or for a key of no member. */
  readonly thing?: (of: ConsolePerson | undefined) => Promise<string>;
  readonly body?: object;
}

const ofAll: Rule = { may: 'all' };
const ofOwners: Rule = { may: 'owners' };
const ofKey: Rule = { may: 'own key', thing: async (of) => (await newKey(of)).id };
const ofRequest: Rule = { may: 'own key', thing: async (of) => newRequest((await newKey(of)).secret) };
const ofWebhook: Rule = { may: 'owners', thing: async () => newWebhook() };
const ofBatch: Rule = { may: 'all', thing: async (of) => (await newBatch((await newKey(of)).secret)).id };

const rules: Readonly<Record<string, Rule>> = {
  'GET /account/v1/keys/:id': { ...ofKey, may: 'all' },
  'PATCH /account/v1/keys/:id': { ...ofKey, body: { name: 'renamed', models: null } },
  'POST /account/v1/keys/:id/rotate': { ...ofKey, body: { grace: 'now' } },
  'POST /account/v1/keys/:id/revoke': ofKey,
  'POST /account/v1/keys/:id/terminate': ofKey,
  'DELETE /account/v1/keys/:id/bodies': ofKey,
  'GET /account/v1/requests/:id': { ...ofRequest, may: 'all' },
  'POST /account/v1/requests/:id/bodies/read': ofRequest,
  'DELETE /account/v1/requests/:id/bodies': ofRequest,
  // Files, batches and stored responses belong to the account. Each of its keys reaches them, also over the API.
  'GET /account/v1/batches/:id': ofBatch,
  'POST /account/v1/batches/:id/cancel': { may: 'all', thing: async (of) => heldBatch((await newKey(of)).secret) },
  'POST /account/v1/batches/:id/output/read': ofBatch,
  'POST /account/v1/batches/:id/errors/read': ofBatch,
  'GET /account/v1/members/:id': { may: 'all', thing: async () => owner.id },
  'PATCH /account/v1/members/:id': { ...ofOwners, thing: async () => colleague.id, body: { role: 'member' } },
  'POST /account/v1/members/:id/reset': { ...ofOwners, thing: async () => newMember(), body: { resets: 'password' } },
  'DELETE /account/v1/members/:id': { ...ofOwners, thing: async () => newMember() },
  'DELETE /account/v1/invitations/:id': { ...ofOwners, thing: async () => newInvitation() },
  'GET /account/v1/webhooks/:id': { ...ofWebhook, may: 'all' },
  'PATCH /account/v1/webhooks/:id': { ...ofWebhook, body: { name: 'renamed' } },
  'DELETE /account/v1/webhooks/:id': ofWebhook,
  'POST /account/v1/webhooks/:id/rotate': { ...ofWebhook, body: { overlap: 'now' } },
  'POST /account/v1/webhooks/:id/test': ofWebhook,
  'POST /account/v1/deliveries/:id/redeliver': { ...ofOwners, thing: async () => newDelivery() },
  'POST /account/v1/payments/:id/checkout': ofAll,
  'GET /account/v1/documents/:id/pdf': ofAll,
  'GET /account/v1/statements/:id': ofAll,
  'GET /account/v1/statements/:id/lines': ofAll,
  'GET /account/v1/statements/:id/csv': ofAll,
};

const withId = endpoints.filter(({ access, path }) => access === 'account' && path.includes(':id'));

test('each account endpoint with an id has a rule', () => {
  expect(withId.map(({ method, path }) => `${method} ${path}`).toSorted()).toEqual(Object.keys(rules).toSorted());
});

test.each(withId.map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint] as const))(
  '%s: a member does not act for a colleague',
  async (route, { method, path }) => {
    const { may, thing, body } = rules[route] as Rule;
    const send = (browser: ConsolePerson, id: string) => browser.send(method, path.replace(':id', id), body);
    for (const holder of [colleague, undefined]) {
      const id = (await thing?.(holder)) ?? 'x';
      const [before, bodies] = [await rows(), await bodyIds()];
      for (const browser of [...(may === 'all' ? [] : [member]), ...(method === 'GET' ? [] : [viewer])]) {
        expectEnvelope(await send(browser, id), { status: 403, code: 'forbidden', type: 'gateway_error' });
      }
      // The owner of another account, and an operator without a role here, find nothing.
      for (const browser of [stranger, operator]) expect((await send(browser, id)).status).toBe(404);
      expect(await rows()).toEqual(before);
      expect(await bodyIds()).toEqual(expect.arrayContaining(bodies));
      // An id that does not exist is 404 for a user who may act on it.
      const known = thing === undefined || id === 'x' ? [404] : [200];
      if (may === 'all') expect(known).toContain((await send(member, id)).status);
      else if (id !== 'x') expect((await send(owner, id)).status).toBe(200);
    }
    if (may === 'own key' && thing) expect((await send(member, await thing(member))).status).toBe(200);
  },
);

/** Which members may write to the account without naming a thing of it. Viewers may not. */
const writes: Readonly<Record<string, 'all' | 'owners'>> = {
  'POST /account/v1/keys': 'all',
  'POST /account/v1/playground-keys': 'all',
  'POST /account/v1/payments': 'all',
  'POST /account/v1/redemptions': 'all',
  'POST /account/v1/invitations': 'owners',
  'POST /account/v1/webhooks': 'owners',
  'PATCH /account/v1/account': 'owners',
  'PATCH /account/v1/alerts': 'owners',
  'PUT /account/v1/auto-top-up': 'owners',
  'DELETE /account/v1/auto-top-up': 'owners',
  'DELETE /account/v1/card': 'owners',
  'PUT /account/v1/billing-details': 'owners',
};

/** Bodies that an owner could send. */
const sent: Readonly<Record<string, object>> = {
  'POST /account/v1/keys': { name: 'own' },
  'POST /account/v1/payments': { amount: '5' },
  'POST /account/v1/redemptions': { code: 'gwc_none' },
  'POST /account/v1/invitations': { email: 'guest@example.com', role: 'owner' },
  'POST /account/v1/webhooks': { name: 'hook', url: 'https://hooks.example.com/in' },
  'PATCH /account/v1/account': { time_zone: 'Asia/Tokyo' },
  'PATCH /account/v1/alerts': { low_balance: null },
  'PUT /account/v1/auto-top-up': { threshold: '1', amount: '5', monthly_max: '50' },
  'PUT /account/v1/billing-details': { name: null, address: [], country: null, tax_number: null, email: null },
};

const withoutId = endpoints.filter((each) => each.access === 'account' && each.isWrite && !each.path.includes(':id'));

test('each account endpoint that writes without an id has a rule', () => {
  expect(withoutId.map(({ method, path }) => `${method} ${path}`).toSorted()).toEqual(Object.keys(writes).toSorted());
});

test.each(Object.entries(writes))('%s is for %s of the members', async (route, may) => {
  const [method = '', path = ''] = route.split(' ');
  const forbidden = { status: 403, code: 'forbidden', type: 'gateway_error' };
  expectEnvelope(await viewer.send(method, path, sent[route]), forbidden);
  const reply = await member.send(method, path, sent[route]);
  if (may === 'owners') expectEnvelope(reply, forbidden);
  else expect([200, 400, 404]).toContain(reply.status);
});

test('each key of an account reads and deletes its files, batches and stored responses', async () => {
  const { secret } = await newKey(colleague);
  const { id, input_file_id: input, output_file_id: output } = await newBatch(secret);
  const headers = { authorization: `Bearer ${(await newKey(member)).secret}` };
  const { json: response } = await gateway.post(
    '/v1/responses',
    { model: 'plain', input: 'hello' },
    { authorization: `Bearer ${secret}` },
  );
  const paths = [`/v1/batches/${id}`, `/v1/files/${output}/content`, `/v1/responses/${response.id}`];
  for (const path of paths) expect((await gateway.get(path, headers)).status).toBe(200);
  const removed = await fetch(`${gateway.url}/v1/files/${input}`, { method: 'DELETE', headers });
  expect(removed.status).toBe(200);
});

/** The rows that a refused call must not change. */
async function rows(): Promise<unknown> {
  const { db } = gateway.gateway.store;
  const members = await db.selectFrom('console_members').select(['user_id', 'role', 'limits']).execute();
  const links = await db.selectFrom('console_links').select(['id', 'email', 'used_at']).execute();
  const endpoints = await db.selectFrom('delivery_endpoints').select(['id', 'name', 'secret']).execute();
  const keys = await db
    .selectFrom('api_keys')
    .select(['id', 'name', 'member_id', 'expires_at', 'revoked_at'])
    .execute();
  return [keys.toSorted((one, other) => (one.id < other.id ? -1 : 1)), members, links, endpoints];
}

/** Bodies of other requests may be stored meanwhile, and events of other requests delivered. */
async function bodyIds(): Promise<string[]> {
  const { db } = gateway.gateway.store;
  const bodies = await db.selectFrom('sealed_blobs').select('id').execute();
  const deliveries = await db.selectFrom('deliveries').select('id').execute();
  return [...bodies, ...deliveries].map(({ id }) => id);
}

async function newMember(): Promise<string> {
  return (await newPerson(gateway, { accounts: { [accountId]: 'viewer' } })).id;
}

async function newInvitation(): Promise<string> {
  return (await owner.post('/account/v1/invitations', { email: 'guest@example.com', role: 'viewer' })).id;
}

async function newWebhook(): Promise<string> {
  const { id } = await owner.post('/account/v1/webhooks', { name: 'hook', url: `${gateway.provider.url}/hook` });
  webhooks.push(id);
  // An account has at most 20.
  if (webhooks.length > 4) await owner.send('DELETE', `/account/v1/webhooks/${webhooks.shift()}`);
  return id;
}

async function newDelivery(): Promise<string> {
  return (await owner.post(`/account/v1/webhooks/${await newWebhook()}/test`)).id;
}

/** A key that counts for a user, or for no member. */
async function newKey(of: ConsolePerson | undefined): Promise<{ id: string; secret: string }> {
  const fields = { name: 'key', store_bodies: true };
  return of ? of.post('/account/v1/keys', fields) : owner.post('/account/v1/keys', { ...fields, member: null });
}

async function newRequest(secret: string): Promise<string> {
  const { headers } = await gateway.chat({}, { authorization: `Bearer ${secret}` });
  const id = headers.get('x-gateway-request-id') ?? '';
  const state = async () => (await owner.send('GET', `/account/v1/requests/${id}`)).json?.bodies?.state;
  await expect.poll(state).toBe('stored');
  return id;
}

/** A finished batch with one good and one refused line. */
async function newBatch(secret: string) {
  const { id } = await createBatch(secret, [{ model: 'plain' }, { model: 'plain', temperature: 3 }]);
  await expect.poll(async () => (await batchAt(secret, id)).status).toMatch(/completed|failed/);
  return batchAt(secret, id);
}

/** A batch whose line runs until it is cancelled. */
async function heldBatch(secret: string): Promise<string> {
  gateway.provider.respond('other', sse([held.opened, finish('stop')]));
  return (await createBatch(secret, [{ model: 'other' }])).id;
}

async function batchAt(secret: string, id: string) {
  return (await gateway.get(`/v1/batches/${id}`, { authorization: `Bearer ${secret}` })).json;
}

async function createBatch(secret: string, bodies: readonly object[]) {
  const messages = [{ role: 'user', content: 'hello' }];
  const url = '/v1/chat/completions';
  const lines = bodies.map((body, index) => ({
    custom_id: `${index}`,
    method: 'POST',
    url,
    body: { messages, ...body },
  }));
  const form = new FormData();
  form.append('purpose', 'batch');
  form.append('file', new Blob([lines.map((line) => JSON.stringify(line)).join('\n')]), 'lines.jsonl');
  const headers = { authorization: `Bearer ${secret}` };
  const file = (await (await fetch(`${gateway.url}/v1/files`, { method: 'POST', headers, body: form })).json()) as any;
  const batch = { input_file_id: file.id, endpoint: url, completion_window: '24h' };
  const { json, text } = await gateway.post('/v1/batches', batch, headers);
  if (!json?.id) throw new Error(text);
  return json;
}
