import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { command } from '../../gateways/command.ts';
import { joined, startTestGateway, type TestGateway } from '../../gateways/gateway.ts';
import { ownerBrowser } from '../../browser.ts';
import { dropDatabase, newDatabase } from '../../stores/stores.ts';

/** A gateway on the embedded store stops, its store is copied, and a gateway on PostgreSQL replaces it. */
let before: TestGateway;
let after: TestGateway;
let database: string;
let balance: unknown;
let response: { id: string };
let requestId: string | null;

beforeAll(async () => {
  database = await newDatabase('nothing');
  before = await startTestGateway();
  const owner = await ownerBrowser(before.gateway, before.url);
  await owner.post('/admin/v1/upstreams', {
    name: 'stored',
    kind: 'openai',
    base_url: 'https://api.example.com/v1',
    api_key: 'sk-stored',
  });
  const reply = await before.chat({});
  requestId = reply.headers.get('x-gateway-request-id');
  response = (await before.post('/v1/responses', { model: 'plain', input: 'remember me' })).json;
  balance = (await before.get('/v1/user/balance')).json;
  await before.gateway.stop({ graceMs: 1000 });
  const data = join(before.directory, 'data');
  const { status, err } = await command('store', 'copy', '--to', database, '--data', data);
  expect([status, err]).toEqual([0, expect.stringContaining('requests: 2 rows')]);
  const secret = secretOfFile();
  after = await startTestGateway((base) => ({ ...base, database, secret, upstreams: upstreamsOf(base, before) }));
});
afterAll(async () => {
  await after.stop();
  await before.stop();
  await dropDatabase(database);
});

const sameKey = () => ({ authorization: `Bearer ${before.key}` });

test('the same key is accepted and has the same balance', async () => {
  expect((await after.get('/v1/user/balance', sameKey())).json).toEqual(balance);
});

test('stored provider keys can be decrypted, and requests and stored responses are found', async () => {
  const { db } = after.gateway.store;
  const found = db.selectFrom('requests').select('status').where('id', '=', String(requestId));
  expect(await found.execute()).toEqual([{ status: 200 }]);
  expect((await after.get(`/v1/responses/${response.id}`, sameKey())).json).toMatchObject({ id: response.id });
  const stored = after.gateway.current().upstreams.find(({ name }) => name === 'stored');
  expect(stored).toMatchObject({ apiKey: 'sk-stored' });
});

test('new requests are answered, charged and recorded, and the ledger is valid', async () => {
  expect(joined(await after.chat({}, sameKey()))).toBe('Hello there, friend');
  const { json } = await after.get('/v1/user/balance', sameKey());
  expect(json).not.toEqual(balance);
  const { status, out } = await command('ledger', 'verify', '--database', database);
  expect([status, out]).toEqual([0, expect.stringContaining('The ledger is sound.')]);
});

test('the secret of the key file can be replaced by another one', async () => {
  const newSecret = 'n'.repeat(32);
  const { directory } = before;
  const file = join(directory, 'commands.yaml');
  const both = { database, secret: newSecret, other_secrets: [secretOfFile()] };
  writeFileSync(file, JSON.stringify(both));
  await after.gateway.stop({ graceMs: 1000 });
  const changed = await startTestGateway((base) => ({ ...base, ...both, upstreams: upstreamsOf(base, before) }));
  expect((await changed.get('/v1/user/balance', sameKey())).status).toBe(200);
  expect((await changed.get('/v1/user/balance', { authorization: `Bearer ${after.key}` })).status).toBe(200);
  const rotate = async () => JSON.parse((await command('secret', 'rotate', '--config', file, '--json')).out);
  expect(await rotate()).toMatchObject({ complete: true, keys: [], unreadable: 0 });
  expect(await rotate()).toMatchObject({ complete: true, sealed: 0 });
  await changed.stop();
  const alone = { database, secret: newSecret };
  const last = await startTestGateway((base) => ({ ...base, ...alone, upstreams: upstreamsOf(base, before) }));
  expect((await last.get(`/v1/responses/${response.id}`, sameKey())).json).toMatchObject({ id: response.id });
  await last.stop();
});

function secretOfFile(): string {
  return `hex:${readFileSync(join(before.directory, 'data', 'secret.key'), 'utf8').trim()}`;
}

function upstreamsOf(base: Record<string, unknown>, { provider }: TestGateway): unknown {
  return (base.upstreams as Record<string, unknown>[]).map((upstream) => ({ ...upstream, base_url: provider.url }));
}
