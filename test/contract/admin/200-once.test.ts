import { afterAll, beforeAll, expect, test } from 'vitest';
import { atOnce } from '../../stores/at-once.ts';
import { type AdminGateway, expectRefused, startAdminGateway } from '../../gateways/admin-gateway.ts';

let gateway: AdminGateway;
beforeAll(async () => {
  gateway = await startAdminGateway();
});
afterAll(() => gateway.stop());

let used = 0;
function newKey(): string {
  used += 1;
  return `key-${used}`;
}

const make = (key: string, name: string, token = gateway.tokens.operator) =>
  gateway.send('POST', '/admin/v1/keys', {
    token,
    body: { account: gateway.ann.account.id, name },
    headers: { 'idempotency-key': key },
  });

test('a repeated write is done once and gets the same reply, the secret included', async () => {
  const key = newKey();
  const first = await make(key, 'once');
  const lines = (await gateway.owner('GET', '/admin/v1/audit')).data.length;
  const again = await make(key, 'once');
  expect(again.text).toBe(first.text);
  expect(again.json.secret).toMatch(/^gwk_live_/);
  expect(await keysNamed('once')).toBe(1);
  expect((await gateway.owner('GET', '/admin/v1/audit')).data).toHaveLength(lines);
});

test('concurrent requests with the same Idempotency-Key make one write', async () => {
  const key = newKey();
  // The first use of a token is also a write.
  await make(newKey(), 'before');
  const replies = await atOnce(
    gateway.store,
    Array.from({ length: 8 }, () => () => make(key, 'raced')),
  );
  expect(new Set(replies.map(({ text }) => text)).size).toBe(1);
  expect(await keysNamed('raced')).toBe(1);
});

test('the same Idempotency-Key with another body is rejected', async () => {
  const key = newKey();
  await make(key, 'mine');
  expectRefused(await make(key, 'other'), 'was used for another request');
  expect(await keysNamed('other')).toBe(0);
});

test('the same Idempotency-Key with another path is rejected', async () => {
  const headers = { 'idempotency-key': newKey() };
  const { token } = { token: gateway.tokens.operator };
  const { id } = gateway.bob.account;
  await gateway.send('POST', `/admin/v1/accounts/${id}/suspend`, { token, headers });
  expectRefused(await gateway.send('POST', `/admin/v1/accounts/${id}/resume`, { token, headers }), 'another request');
});

test('the same Idempotency-Key of two tokens makes two writes', async () => {
  const key = newKey();
  await make(key, 'shared');
  await make(key, 'shared', gateway.tokens.owner);
  expect(await keysNamed('shared')).toBe(2);
});

test('a failed write can be retried with its Idempotency-Key', async () => {
  const key = newKey();
  const send = () =>
    gateway.send('POST', '/admin/v1/packages', {
      token: gateway.tokens.operator,
      body: { name: 'late', models: ['*'] },
      headers: { 'idempotency-key': key },
    });
  await gateway.owner('POST', '/admin/v1/packages', { name: 'late', models: ['*'] });
  const taken = await send();
  expectRefused(taken, 'The package `late` is not valid. `name` `late` is already taken by `late` in `packages`.');
  await gateway.owner('DELETE', '/admin/v1/packages/late');
  expect((await send()).status).toBe(200);
});

test('an Idempotency-Key expires after 24 hours', async () => {
  const key = newKey();
  await make(key, 'old');
  gateway.clock.at += 86_400_001;
  await make(key, 'old');
  expect(await keysNamed('old')).toBe(2);
});

test('neither idempotency keys nor replies are readable in the store', async () => {
  const { json } = await make('canary-idempotency-key', 'sealed');
  const rows = JSON.stringify(await gateway.store.db.selectFrom('admin_writes').selectAll().execute());
  for (const text of ['canary', json.secret, json.id]) expect(rows).not.toContain(text);
});

test.each(['', 'a b', 'é', 'x'.repeat(256)])('the Idempotency-Key %j is rejected', async (key) => {
  expectRefused(await make(key, 'never'), 'Idempotency-Key must have');
});

async function keysNamed(name: string): Promise<number> {
  return (await gateway.store.db.selectFrom('api_keys').select('id').where('name', '=', name).execute()).length;
}
