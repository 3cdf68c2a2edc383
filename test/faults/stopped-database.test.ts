import { afterAll, beforeAll, expect, test } from 'vitest';
import { openStore, type Store } from '../../src/platform/store/store.ts';
import { expectAtRest } from '../at-rest.ts';
import { chunk, finish, gate, sse, usage } from '../fakes/fake-provider.ts';
import { startTestGateway, type TestGateway } from '../gateways/gateway.ts';
import { type Postgres, startPostgres } from '../services/postgres.ts';

/** A server of its own, because all of its processes are stopped. */
let server: Postgres;
let store: Store;
let first: TestGateway;
let second: TestGateway;
beforeAll(async () => {
  server = await startPostgres();
  const database = await server.createDatabase();
  const settings = { database, secret: 's'.repeat(32), waiting: { hold_headers: '0s', keep_alive_every: '100ms' } };
  first = await startTestGateway((base) => ({ ...base, ...settings }));
  second = await startTestGateway((base) => ({ ...base, ...settings }));
  store = await openStore({ database });
});
afterAll(async () => {
  await server.signal('SIGCONT');
  await first.stop();
  await second.stop();
  await store.close();
  await server.stop();
});

test('a retry at another gateway that arrives while PostgreSQL is stopped joins the answer, which is charged once', async () => {
  const { opened, open } = gate();
  first.provider.respond('other', sse([chunk({ content: 'once' }), opened, finish('stop'), usage(5, 2), '[DONE]']));
  const authorization = `Bearer ${first.key}`;
  for (const each of [first, second]) await each.chat({}, { authorization });
  const headers = { 'idempotency-key': 'stopped', authorization };
  const calls = second.provider.calls.length;
  const whole = first.chat({ model: 'other' }, headers);
  await first.provider.call('other').received;
  await server.signal('SIGSTOP');
  const retry = second.chat({ model: 'other' }, headers);
  await expect.poll(() => second.gateway.alive().requests, { message: 'running requests' }).toBe(1);
  // This reply comes when a statement is given up, which is later than the gateway once gave up the claim.
  expect((await second.get('/v1/user/balance', { authorization })).status).toBe(503);
  await server.signal('SIGCONT');
  const claims = store.db.selectFrom('reply_claims').select('claim').where('read_until', 'is not', null);
  await expect.poll(() => claims.execute(), { message: 'the claim that the retry reads' }).toHaveLength(1);
  open();
  expect((await retry).frames).toEqual((await whole).frames);
  expect((await whole).frames.at(-1)).toBe('[DONE]');
  expect(second.provider.calls).toHaveLength(calls);
  const charges = store.db.selectFrom('transfers').select('reference').where('kind', '=', 'charge');
  await expect.poll(async () => (await charges.execute()).length).toBe(3);
  await expectAtRest(second.gateway);
});
