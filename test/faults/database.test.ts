import { afterAll, beforeAll, expect, test } from 'vitest';
import { balanceOf } from '../../src/billing/balance.ts';
import { verifyLedger } from '../../src/billing/verify.ts';
import { openStore, type Store } from '../../src/store/store.ts';
import { expectEnvelope } from '../expectations.ts';
import { chunk, finish, gate, sse, usage } from '../fake-provider.ts';
import { startTestGateway, type TestGateway } from '../gateway.ts';
import { type TcpProxy, tcpProxy } from '../services/tcp-proxy.ts';
import { dropDatabase, newDatabase } from '../stores.ts';

let database: string;
let wire: TcpProxy;
let gateway: TestGateway;
/** The same database, past the wire that the test cuts. */
let store: Store;
beforeAll(async () => {
  database = await newDatabase();
  const address = new URL(database);
  wire = await tcpProxy(Number(address.port));
  address.port = String(wire.port);
  gateway = await startTestGateway((base) => ({ ...base, database: address.href, secret: 's'.repeat(32) }));
  store = await openStore({ database });
});
afterAll(async () => {
  wire.thaw();
  await gateway.stop();
  await store.close();
  await wire.close();
  await dropDatabase(database);
});

const spent = async () => {
  const account = await store.db
    .selectFrom('accounts')
    .select('id')
    .where('name', '=', 'tester')
    .executeTakeFirstOrThrow();
  return 100_000_000_000n - (await balanceOf(store, account.id)).granted;
};

test('with the database frozen a running answer finishes, its charge is not lost, and new requests are told', async () => {
  const { opened, open } = gate();
  gateway.provider.respond(
    'other',
    sse([chunk({ content: 'one' }), opened, chunk({ content: ' two' }), finish('stop'), usage(5, 2), '[DONE]']),
  );
  const warm = await gateway.chat({});
  expect(warm.frames.at(-1)).toBe('[DONE]');
  const before = await spent();
  const running = gateway.chat({ model: 'other' });
  await gateway.provider.call('other').received;
  wire.freeze();
  open();
  const reply = await running;
  expect(reply.frames.at(-1)).toBe('[DONE]');
  expect(await spent()).toBe(before);
  const cold = await gateway.chat({}, { authorization: `Bearer ${gateway.key.slice(0, -6)}000000` });
  expect(cold.status).toBe(401);

  wire.thaw();
  await expect.poll(spent).toBe(before + BigInt(5 * 1000 + 2 * 2000));
  expect((await verifyLedger(store)).isSound).toBe(true);
});

test('a database that is gone for longer than anyone waits costs 503, and comes back by itself', async () => {
  wire.freeze();
  await expect.poll(async () => (await gateway.chat({})).status, { interval: 500 }).toBe(503);
  const refused = await gateway.chat({});
  expectEnvelope(refused, { status: 503, code: 'overloaded', type: 'gateway_error' });
  wire.thaw();
  await expect.poll(async () => (await gateway.chat({})).status).toBe(200);
  expect((await verifyLedger(store)).isSound).toBe(true);
});
