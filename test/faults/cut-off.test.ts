import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { balanceOf } from '../../src/money/billing/wallet/balance.ts';
import { credits } from '../../src/money/billing/ledger/credits.ts';
import { ledgerLines } from '../../src/money/billing/ledger/ledger-lines.ts';
import { processTtlMs, reap } from '../../src/money/billing/recovery/processes.ts';
import { systemClock } from '../../src/core/time/clock.ts';
import { openStore, type Store } from '../../src/platform/store/store.ts';
import { expectAtRest } from '../at-rest.ts';
import { chat } from '../chat-client.ts';
import { answer, chunk, finish, gate, sse, usage } from '../fakes/fake-provider.ts';
import { freezeBetweenTransactions } from '../stores/frozen-wire.ts';
import { startTestGateway, type TestGateway } from '../gateways/gateway.ts';
import { type HeldClock, heldClock } from '../clocks/held-clock.ts';
import { type TcpProxy, tcpProxy } from '../services/tcp-proxy.ts';
import { dropDatabase, newDatabase } from '../stores/stores.ts';
import { catchUp } from '../../src/money/requests/rollups/rollup-worker.ts';
import { rollupTotals } from '../../src/money/requests/rollups/usage-rollups.ts';

/** A gateway whose connection to the database fails in ways that look like a slow database. */
let gateway: TestGateway;
let wire: TcpProxy;
let database: string;
/** The same database, reached without the proxy. */
let store: Store;
let clock: HeldClock;
beforeEach(async () => {
  clock = heldClock();
  database = await newDatabase();
  const address = new URL(database);
  wire = await tcpProxy(Number(address.port));
  address.port = String(wire.port);
  gateway = await startTestGateway((base) => ({ ...base, database: address.href, secret }), { clock });
  store = await openStore({ database });
});
afterEach(async () => {
  clock.release();
  wire.thaw();
  await expectAtRest(gateway.gateway);
  await gateway.stop();
  const { reserved } = await balanceOf(store, await accountId());
  expect(reserved).toBe(0n);
  await store.close();
  await wire.close();
  await dropDatabase(database);
});

const spentElsewhere = { reference: 'elsewhere', by: 'op', reason: 'spent elsewhere' };
const secret = 's'.repeat(32);
const begun = chunk({ role: 'assistant', content: 'one' });
/** Enough text for a checkpoint above the cost that the provider finally reports. */
const words = Array.from({ length: 10 }, () => chunk({ content: ' more' }));
const ending = [finish('stop'), usage(5, 3), '[DONE]'] as const;
const cost = 5n * 1000n + 3n * 2000n;

const freeze = () => freezeBetweenTransactions(wire, store);

async function accountId(): Promise<string> {
  const query = store.db.selectFrom('accounts').select('id').where('name', '=', 'tester');
  return (await query.executeTakeFirstOrThrow()).id;
}

async function charges() {
  const lines = await ledgerLines(store, { accountId: await accountId(), limit: 100 });
  return lines.filter(({ kind }) => kind.startsWith('charge')).toReversed();
}

/** An answer that has begun, and continues after `open()`. */
async function running(end: readonly (typeof begun | string)[] = ending) {
  const { opened, open } = gate();
  gateway.provider.respond('other', sse([begun, ...words, opened, ...end]));
  const request = chat(gateway);
  await request.started;
  return { ...request, open };
}

test('a charge whose commit was not confirmed is booked once', async () => {
  gateway.provider.respond('other', sse([begun, ...ending]));
  const lost = wire.loseAnswerTo(/insert transfers[^]*commit/);
  const outcome = await chat(gateway).over;
  expect(outcome).toMatchObject({ status: 200, isDone: true });
  await lost;
  // If the store is slow, the charge is only in the journal until then.
  const once = [{ reference: outcome.id, kind: 'charge', amount: -cost }];
  await expect.poll(charges, { message: 'the charge whose commit was not confirmed' }).toMatchObject(once);
  expect(await chat(gateway).over).toMatchObject({ isDone: true });
  await expect.poll(charges, { message: 'the charges of both requests' }).toHaveLength(2);
});

test('a record whose commit was not confirmed is kept and counted once', async () => {
  gateway.provider.respond('other', sse([begun, ...ending]));
  const lost = wire.loseAnswerTo(/insert requests[^]*commit/);
  const outcome = await chat(gateway).over;
  await lost;
  const stored = store.db.selectFrom('requests').select('id');
  await expect.poll(() => stored.execute(), { message: 'the first record' }).toEqual([{ id: outcome.id }]);
  expect(await chat(gateway).over).toMatchObject({ isDone: true });
  await expect.poll(() => stored.execute(), { message: 'both records' }).toHaveLength(2);
  await catchUp(store);
  const always = { from: 0, to: Number.MAX_SAFE_INTEGER };
  expect(await rollupTotals(store, always)).toMatchObject({ requests: 2, prompt_tokens: 10 });
});

test('a lease whose commit was not confirmed is returned when the account is idle', async () => {
  // The account does not become idle before the test advances the clock.
  clock.hold();
  gateway.provider.respond('other', sse([begun, ...ending]));
  const lost = wire.loseAnswerTo(/insert leases[^]*commit/);
  expect(await chat(gateway).over).toMatchObject({ isDone: true });
  await lost;
  await expectAtRest(gateway.gateway);
  expect((await balanceOf(store, await accountId())).reserved).toBeGreaterThan(0n);
  clock.advance(60_000);
  clock.release();
  const reserved = async () => (await balanceOf(store, await accountId())).reserved;
  await expect.poll(reserved, { message: 'reserved money' }).toBe(0n);
  expect(await chat(gateway).over).toMatchObject({ isDone: true });
});

test('with neither database nor disk space, new requests are rejected and running ones are charged once', async () => {
  // The cached key does not age after the first request, so no later one reads the store.
  clock.hold();
  const answering = await running();
  const concurrent = chat(gateway);
  await concurrent.started;
  const [process] = await store.db.selectFrom('processes').select('id').execute();
  const journal = join(gateway.directory, 'data/journal');
  await mkdir(journal, { recursive: true });
  // Every write to this file fails as on a full disk.
  await symlink('/dev/full', join(journal, `${process?.id}.0.jsonl`));
  await freeze();
  // A request that arrives before the gateway detects the fault waits until it is over, like the running ones.
  const between = chat(gateway);
  await expect
    .poll(() => gateway.gateway.alive().requests, { message: 'requests before the gateway detects the fault' })
    .toBe(3);
  clock.release();
  answering.open();
  const ledger = async () => (await gateway.get('/readyz')).json.checks.ledger;
  const stuck = 'Charges can be kept neither in the store nor on the disk.';
  await expect.poll(ledger, { message: 'the ledger in /readyz' }).toBe(stuck);
  const calls = gateway.provider.calls.length;
  const overloaded = { code: 'overloaded', type: 'gateway_error' };
  expect(await chat(gateway).over).toMatchObject({ status: 503, error: overloaded });
  expect(gateway.provider.calls).toHaveLength(calls);
  expect(await charges()).toEqual([]);
  wire.thaw();
  const done = await Promise.all([answering, concurrent, between].map(({ over }) => over));
  for (const outcome of done) expect(outcome).toMatchObject({ status: 200, isDone: true });
  const ids = done.map(({ id }) => id).toSorted();
  const charged = async () => (await charges()).map(({ reference }) => reference).toSorted();
  await expect.poll(charged, { message: 'requests that are charged' }).toEqual(ids);
  expect(new Set((await charges()).map(({ amount }) => amount))).toEqual(new Set([-cost]));
  const status = async () => (await chat(gateway).over).status;
  await expect.poll(status, { message: 'the status of a new request' }).toBe(200);
});

test('an answer whose lease was spent by others after its gateway expired ends with an error, and no loss is booked', async () => {
  const begins = gate();
  const { opened, open } = gate();
  gateway.provider.respond('other', sse([begins.opened, begun, ...words, opened, ...ending]));
  const answering = chat(gateway);
  await gateway.provider.call('other').received;
  const [process] = await store.db.selectFrom('processes').select('id').execute();
  // Before the first token, so the store has no checkpoint of the answer.
  await freeze();
  begins.open();
  await answering.started;
  await store.db.updateTable('processes').set({ heartbeat_at: 1 }).execute();
  expect(await reap(store, systemClock)).toBe(1);
  const id = await accountId();
  const { granted } = await balanceOf(store, id);
  await credits(store, systemClock).adjust({ ...spentElsewhere, accountId: id, amount: -granted + 1n });
  wire.thaw();
  const outcome = await answering.over;
  expect(outcome).toMatchObject({ status: 200, isDone: false, error: { code: 'insufficient_balance' } });
  await expectAtRest(gateway.gateway);
  expect(await store.db.selectFrom('processes').select('id').execute()).not.toContainEqual(process);
  const entries = store.db.selectFrom('entries').select('account').where('account', '=', 'loss');
  expect(await entries.execute()).toEqual([]);
  expect(await chat(gateway).over).toMatchObject({ status: 402, error: { code: 'insufficient_balance' } });
  open();
});

test.each([
  ['above its checkpoint', [finish('stop'), usage(500, 3), '[DONE]'], 506_000n, ['charge', 'charge-rest']],
  ['below its checkpoint', [finish('stop'), usage(1, 1), '[DONE]'], 3000n, ['charge', 'charge-rest']],
] as const)(
  'a gateway without database stops serving, a peer charges its answer, and it later corrects a cost %s',
  async (_case, end, total, kinds) => {
    const other = await startTestGateway((base) => ({ ...base, database, secret }));
    try {
      const answering = await running(end);
      const open = store.db.selectFrom('open_charges').selectAll();
      await expect.poll(() => open.execute(), { message: 'the checkpoint of the answer' }).toHaveLength(1);
      const { process_id } = await open.executeTakeFirstOrThrow();
      await freeze();
      clock.advance(processTtlMs / 2);
      const calls = gateway.provider.calls.length;
      const shortTimeout = chat({ ...gateway, headers: { 'x-stainless-timeout': '1' } });
      expect(await shortTimeout.over).toMatchObject({ status: 503, error: { code: 'overloaded' } });
      expect(gateway.provider.calls).toHaveLength(calls);

      // As if the rest of its TTL had passed too.
      await store.db.updateTable('processes').set({ heartbeat_at: 1 }).where('id', '=', process_id).execute();
      await expect
        .poll(charges, { message: 'the charge that the peer books' })
        .toMatchObject([{ kind: 'charge', by: 'recovery' }]);
      const leases = store.db.selectFrom('leases').selectAll().where('process_id', '=', process_id);
      expect(await leases.execute()).toEqual([]);

      answering.open();
      // If no heartbeat got through for the whole TTL, as on a slow machine, the end waits until the store answers.
      wire.thaw();
      const outcome = await answering.over;
      expect(outcome).toMatchObject({ status: 200, isDone: true });
      gateway.provider.respond('other', answer('hello'));
      const status = async () => (await chat(gateway).over).status;
      await expect.poll(status, { message: 'the status of a new request' }).toBe(200);
      await expectAtRest(gateway.gateway);
      const chargesOfAnswer = async () => (await charges()).filter(({ reference }) => reference === outcome.id);
      const kindsOfCharges = async () => (await chargesOfAnswer()).map(({ kind }) => kind).toSorted();
      // The gateway books what it could not book while it was cut off.
      await expect.poll(kindsOfCharges, { message: 'the charges of the answer' }).toEqual(kinds);
      const booked = await chargesOfAnswer();
      const sum = booked.reduce((all, { amount }) => all - amount, 0n);
      expect(sum).toBe(total);
      await expectAtRest(other.gateway);
    } finally {
      await other.stop();
    }
  },
);
