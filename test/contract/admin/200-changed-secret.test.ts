import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Browser, newBrowser, ownerBrowser } from '../../browser.ts';
import { command } from '../../gateways/command.ts';
import { startTestGateway, type TestGateway } from '../../gateways/gateway.ts';
import { accounts } from '../../../src/money/accounts/accounts.ts';
import { redeemCode } from '../../../src/money/codes/redeem.ts';
import { systemClock } from '../../../src/core/time/clock.ts';

/** Gateways run on one store, one after another: with the old secret, with both, and with the new one only. */
const [oldSecret, newSecret] = ['o'.repeat(32), 'n'.repeat(32)];
let first: TestGateway;
let gateway: TestGateway;
let owner: Browser;
let usedKey: string;
let idleKey: string;
let token: string;
let response: { id: string };
let batchId: string;
let code: string;

beforeAll(async () => {
  first = await startTestGateway((base) => ({ ...base, secret: oldSecret, stored_bodies: { keep: '1d' } }));
  owner = await ownerBrowser(first.gateway, first.url);
  await owner.post('/admin/v1/upstreams', {
    name: 'stored',
    kind: 'openai',
    base_url: 'https://api.example.com/v1',
    api_key: 'sk-stored',
  });
  await owner.post('/admin/v1/webhooks', { name: 'ops', url: 'https://hooks.example.com/in' });
  token = (await owner.post('/admin/v1/tokens', { name: 'robot', role: 'read-only' })).secret;
  const batch = await owner.post('/admin/v1/code-batches', { amount: '1.00', count: 2, kind: 'top_up', note: 'two' });
  [batchId, code] = [batch.id, batch.codes[0]];
  usedKey = first.key;
  idleKey = await first.newKey();
  response = (await first.post('/v1/responses', { model: 'plain', input: 'remember me' })).json;
  await first.gateway.stop({ graceMs: 1000 });
  gateway = await startWith({ secret: newSecret, other_secrets: [oldSecret] });
});
afterAll(async () => {
  await gateway.stop();
  await first.stop();
});

test('with both secrets, everything made with the old one works: keys, tokens, sessions, provider keys, responses', async () => {
  expect(await statusOf(usedKey)).toBe(200);
  expect((await gateway.get(`/v1/responses/${response.id}`, bearer(usedKey))).json).toMatchObject({ id: response.id });
  expect(gateway.gateway.current().upstreams.find(({ name }) => name === 'stored')).toMatchObject({
    apiKey: 'sk-stored',
  });
  expect((await gateway.get('/admin/v1/accounts', bearer(token))).status).toBe(200);
  expect((await movedBrowser().get('/auth/session')).user).toMatchObject({ email: 'owner@example.com' });
  const { store, pepper } = gateway.gateway;
  const account = await accounts(store, systemClock).find('tester');
  if (!account) throw new Error('there is no account tester');
  const redemption = { code, account, site: 'main', by: 'test' };
  expect(await redeemCode({ store, pepper, clock: systemClock }, redemption)).toMatchObject({ kind: 'top_up' });
});

test('a gateway with only one of the two secrets does not start while keys need both', async () => {
  for (const secret of [oldSecret, newSecret]) {
    await expect(startWith({ secret })).rejects.toThrow('`other_secrets`');
  }
});

test('the command seals everything with the new secret, and lists the keys not used since', async () => {
  // The first test used its key and its token with the new secret.
  const { status, out, err } = await rotate();
  expect(err).toBe('');
  const report = JSON.parse(out);
  expect(status).toBe(1);
  expect(report).toMatchObject({ complete: false, keys: [{ name: 'test' }], tokens: [], codes: 1, unreadable: 0 });
  expect(report.keys).toHaveLength(1);
  expect(report.sealed).toBeGreaterThan(3);
});

test('after every key was used, the old secret can be removed: nothing in the store needs it', async () => {
  expect(await statusOf(idleKey)).toBe(200);
  await movedBrowser().post(`/admin/v1/code-batches/${batchId}/withdraw`);
  expect(JSON.parse((await rotate()).out)).toMatchObject({ complete: true, keys: [], tokens: [], codes: 0 });
  await gateway.gateway.stop({ graceMs: 1000 });
  gateway = await startWith({ secret: newSecret });
  for (const key of [usedKey, idleKey]) expect(await statusOf(key)).toBe(200);
  expect((await gateway.get(`/v1/responses/${response.id}`, bearer(usedKey))).json).toMatchObject({ id: response.id });
  expect(gateway.gateway.current().problems).toEqual([]);
  expect((await gateway.get('/admin/v1/accounts', bearer(token))).status).toBe(200);
  expect((await movedBrowser().get('/auth/session')).user).toMatchObject({ email: 'owner@example.com' });
  await expect(startWith({ secret: oldSecret })).rejects.toThrow('`secret` is not the one');
  expect(await keyIdsInUse()).toHaveLength(1);
});

const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` });

async function statusOf(key: string): Promise<number> {
  return (await gateway.chat({}, bearer(key))).status;
}

function startWith(secrets: { secret: string; other_secrets?: readonly string[] }): Promise<TestGateway> {
  const data = join(first.directory, 'data');
  return startTestGateway((base) => ({ ...base, ...secrets, data, upstreams: upstreamsOf(base) }));
}

function upstreamsOf(base: Record<string, unknown>): unknown {
  return (base.upstreams as Record<string, unknown>[]).map((upstream) => ({
    ...upstream,
    base_url: first.provider.url,
  }));
}

/** The owner's session in a browser that uses the current gateway. */
function movedBrowser(): Browser {
  const browser = newBrowser(gateway.url);
  for (const [name, value] of owner.cookies) browser.cookies.set(name, value);
  return browser;
}

function rotate() {
  const file = join(first.directory, 'commands.yaml');
  writeFileSync(file, `data: ./data\nsecret: ${newSecret}\nother_secrets: [${oldSecret}]\n`);
  return command('secret', 'rotate', '--config', file, '--json');
}

/** The ids of the keys that seal values in any table of the store. */
async function keyIdsInUse(): Promise<readonly string[]> {
  const { db } = gateway.gateway.store;
  const keyIds = new Set<string>();
  for (const { name } of await db.introspection.getTables()) {
    const { rows } = await sql`select * from ${sql.table(name)}`.execute(db);
    for (const [, id = ''] of JSON.stringify(rows).matchAll(/enc:v1:([0-9a-f]{8}):/g)) keyIds.add(id);
  }
  return [...keyIds];
}
