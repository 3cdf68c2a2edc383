import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { KeyId } from '../../src/money/accounts/ids.ts';
import { limitKey } from '../../src/money/accounts/key-limits.ts';
import { keys } from '../../src/money/accounts/keys.ts';
import { balanceOf } from '../../src/money/billing/wallet/balance.ts';
import { verifyLedger } from '../../src/money/billing/ledger/verify.ts';
import { catalogLock, insertRows } from '../../src/money/catalog/resource-rows.ts';
import { publishChange } from '../../src/platform/cluster/change-feed.ts';
import { systemClock } from '../../src/core/time/clock.ts';
import { openStore, type Store } from '../../src/platform/store/store.ts';
import { expectAtRest } from '../at-rest.ts';
import { chat } from '../chat-client.ts';
import { expectEnvelope } from '../expectations.ts';
import { chunk, finish, gate, sse, usage } from '../fakes/fake-provider.ts';
import { freezeBetweenTransactions } from '../stores/frozen-wire.ts';
import { type ConfigChange, model, startTestGateway, type TestGateway } from '../gateways/gateway.ts';
import { heldClock } from '../clocks/held-clock.ts';
import { makeKey } from '../keys.ts';
import { responseLife } from '../response-life.ts';
import { metricsIn } from '../metrics-text.ts';
import { type TcpProxy, tcpProxy } from '../services/tcp-proxy.ts';
import { dropDatabase, newDatabase } from '../stores/stores.ts';

let database: string;
let wire: TcpProxy;
let gateway: TestGateway;
/** The same database, reached without the proxy that the test freezes. */
let store: Store;
const clock = heldClock();
beforeAll(async () => {
  database = await newDatabase();
  const address = new URL(database);
  wire = await tcpProxy(Number(address.port));
  address.port = String(wire.port);
  const waiting = { hold_headers: '0s', keep_alive_every: '100ms' };
  const secret = 's'.repeat(32);
  const listen = { host: '127.0.0.1', port: 0, health_port: 0 };
  const change: ConfigChange = (base) => ({ ...base, listen, database: address.href, secret, waiting });
  gateway = await startTestGateway(change, { clock });
  store = await openStore({ database });
});
afterAll(async () => {
  clock.release();
  wire.thaw();
  await gateway.stop();
  await store.close();
  await wire.close();
  await dropDatabase(database);
});

const freeze = () => freezeBetweenTransactions(wire, store);

const spent = async () => {
  const account = await store.db
    .selectFrom('accounts')
    .select('id')
    .where('name', '=', 'tester')
    .executeTakeFirstOrThrow();
  return 100_000_000_000n - (await balanceOf(store, account.id)).granted;
};

test('with the database frozen, a running answer completes, its charge is kept, and a malformed key gets 401', async () => {
  const { opened, open } = gate();
  gateway.provider.respond(
    'other',
    sse([chunk({ content: 'one' }), opened, chunk({ content: ' two' }), finish('stop'), usage(5, 2), '[DONE]']),
  );
  const warm = await gateway.chat({});
  expect(warm.frames.at(-1)).toBe('[DONE]');
  const before = BigInt(7 * 1000 + 3 * 2000);
  await expect.poll(spent, { message: 'the charge of the first request' }).toBe(before);
  const running = gateway.chat({ model: 'other' });
  await gateway.provider.call('other').received;
  await freeze();
  open();
  const reply = await running;
  expect(reply.frames.at(-1)).toBe('[DONE]');
  expect(await spent()).toBe(before);
  const cold = await gateway.chat({}, { authorization: `Bearer ${gateway.key.slice(0, -6)}000000` });
  expect(cold.status).toBe(401);

  wire.thaw();
  const both = before + BigInt(5 * 1000 + 2 * 2000);
  await expect.poll(spent, { message: 'the charge of the answer that ended during the freeze' }).toBe(both);
  expect((await verifyLedger(store)).isSound).toBe(true);
});

test('without the database, cached keys are served, then all requests wait, and valid ones are served when it is back', async () => {
  const revoked = await makeKey(gateway.gateway, { account: 'tester', name: 'revoked' });
  const narrowed = await makeKey(gateway.gateway, { account: 'tester', name: 'narrowed' });
  const cold = await gateway.newKey();
  await waitForKeyChanges();
  // From now on, the test decides how much time has passed since the last heartbeat.
  clock.hold();
  const warm = () => chat({ port: gateway.port, key: gateway.key, model: 'plain' });
  for (const key of [gateway.key, revoked.secret, narrowed.secret]) {
    expect(await chat({ port: gateway.port, key, model: 'plain' }).over).toMatchObject({ isDone: true });
  }
  await waitForFreshReport();
  await freeze();
  // Within the slot lease: after a longer jump, the process assumes that it was frozen and renews first.
  clock.advance(3000);
  // Leased money is used, and the process stays ready.
  expect(await warm().over).toMatchObject({ status: 200, isDone: true });
  clock.advance(5000);
  expect(await readiness()).toMatchObject({ status: 200, store: expect.stringContaining('cached keys') });

  clock.advance(8000);
  const calls = gateway.provider.calls.length;
  const waiting = [warm(), warm()];
  const revokedRequest = chat({ port: gateway.port, key: revoked.secret, model: 'plain' });
  const narrowedRequest = chat({ port: gateway.port, key: narrowed.secret, model: 'plain' });
  const coldRequest = chat({ port: gateway.port, key: cold, model: 'plain' });
  for (const each of [...waiting, revokedRequest, narrowedRequest]) await each.waitForText(': keep-alive');
  await keys(store, systemClock).revoke(revoked.id as KeyId);
  await limitKey(store, narrowed.id as KeyId, { models: ['other'] });
  expect(gateway.provider.calls).toHaveLength(calls);
  expect(await readiness()).toMatchObject({ status: 200, ledger: expect.stringContaining('wait') });
  const shortTimeout = await gateway.chat({}, { 'x-stainless-timeout': '1' });
  expect(shortTimeout.json ?? shortTimeout.chunks.at(-1)).toMatchObject({ error: { code: 'overloaded' } });
  expect(shortTimeout.headers.get('retry-after')).toBeNull();

  clock.advance(20_000);
  expect(await readiness()).toMatchObject({ status: 503, store: 'The store does not answer.' });
  clock.release();
  wire.thaw();
  for (const each of [...waiting, coldRequest]) expect(await each.over).toMatchObject({ status: 200, isDone: true });
  expect(await narrowedRequest.over).toMatchObject({ isDone: false, error: { code: 'access_denied' } });
  expect(await revokedRequest.over).toMatchObject({ isDone: false, error: { code: 'invalid_api_key' } });
  await expect.poll(async () => (await readiness()).status, { message: 'the status of /readyz' }).toBe(200);
  await expectAtRest(gateway.gateway);
  expect((await verifyLedger(store)).isSound).toBe(true);
});

/** Waits until the gateway has just reported to the database, so that neither its lease nor its heartbeat is old. */
async function waitForFreshReport(): Promise<void> {
  const healthy = { status: 200, store: 'ok', ledger: 'ok', slots: 'ok' };
  await expect.poll(readiness, { message: 'the checks of /readyz' }).toMatchObject(healthy);
  const reports = store.db.selectFrom('cluster_members').select('member');
  const last = await reports.execute();
  await expect.poll(() => reports.execute(), { message: 'another report of the gateway' }).not.toEqual(last);
}

/**
 * The change event of a new key drops that key from the cache. Events arrive in order: when the last one has arrived,
 * all earlier ones have too.
 */
async function waitForKeyChanges(): Promise<void> {
  const last = await makeKey(gateway.gateway, { account: 'tester', name: 'last' });
  const statusOfLastKey = async () =>
    (await chat({ port: gateway.port, key: last.secret, model: 'plain' }).over).status;
  expect(await statusOfLastKey()).toBe(200);
  await keys(store, systemClock).revoke(last.id as KeyId);
  await expect.poll(statusOfLastKey, { message: 'the status for a key that was revoked' }).toBe(401);
}

test('an answer whose charge could not be acknowledged is recorded with its charge when the database is back', async () => {
  const { opened, open } = gate();
  const rest = [chunk({ content: ' two' }), finish('stop'), usage(5, 2), '[DONE]'];
  gateway.provider.respond('other', sse([chunk({ content: 'one' }), opened, ...rest]));
  const before = await spent();
  const running = chat({ port: gateway.port, key: gateway.key, model: 'other' });
  await running.waitForText('one');
  await freeze();
  // By now, peers may have reaped it.
  clock.advance(40_000);
  open();
  await expect.poll(pendingCharges, { message: 'charges that the store does not have' }).toBe(1);
  clock.advance(61_000);
  const outcome = await running.over;
  expect(outcome).toMatchObject({ isDone: false, error: { code: 'overloaded' } });
  expect(outcome.text).toContain(' two');
  wire.thaw();
  const cost = 5 * 1000 + 2 * 2000;
  await expect.poll(spent, { message: 'the charge of the answer' }).toBe(before + BigInt(cost));
  const records = store.db.selectFrom('requests').select(['cost', 'prompt_tokens', 'completion_tokens']);
  const last = records
    .where('error_case', '=', 'overloaded')
    .where('model', '=', 'other')
    .orderBy('started_at', 'desc');
  await expect
    .poll(() => last.executeTakeFirst(), { message: 'the record of the answer' })
    .toEqual({ cost, prompt_tokens: 5, completion_tokens: 2 });
  await expectAtRest(gateway.gateway);
});

async function pendingCharges(): Promise<number | undefined> {
  const reply = await fetch(`http://127.0.0.1:${gateway.gateway.healthPort}/metrics`);
  return metricsIn(await reply.text()).get('gateway_ledger_pending');
}

test('an endpoint that needs the database and cannot wait returns `overloaded`, not an internal error', async () => {
  await freeze();
  const reply = await gateway.get('/v1/user/balance');
  expectEnvelope(reply, { status: 503, code: 'overloaded', type: 'gateway_error' });
  wire.thaw();
  const status = async () => (await gateway.get('/v1/user/balance')).status;
  await expect.poll(status, { message: 'the status of the balance once the database is back' }).toBe(200);
});

test('a charged answer arrives whole although its response is not stored in time, and is stored when the database is back', async () => {
  for (const stream of [false, true]) {
    const { opened, open } = gate();
    const rest = [chunk({ content: ' two' }), finish('stop'), usage(5, 2), '[DONE]'];
    gateway.provider.respond('other', sse([chunk({ content: 'one' }), opened, ...rest]));
    const before = await spent();
    const running = gateway.post('/v1/responses', { model: 'other', input: 'count', stream });
    await gateway.provider.call('other').received;
    await freeze();
    open();
    const reply = await running;
    const response = stream ? responseLife(reply.text).response : reply.json;
    expect(response).toMatchObject({ status: 'completed', store: false, usage: { output_tokens: 2 } });
    wire.thaw();
    const stored = async () => (await gateway.get(`/v1/responses/${response.id}`)).json;
    await expect.poll(stored, { message: 'the stored response' }).toMatchObject({ store: true, usage: response.usage });
    const cost = 5 * 1000 + 2 * 2000;
    await expect.poll(spent, { message: 'the charge of the answer' }).toBe(before + BigInt(cost));
    const record = store.db.selectFrom('requests').select(['status', 'notes']).where('id', '=', response.id.slice(5));
    await expect
      .poll(() => record.executeTakeFirst(), { message: 'the record' })
      .toMatchObject({ status: 200, notes: expect.stringContaining('not stored before its end') });
  }
  await expectAtRest(gateway.gateway);
});

test('a retry with an Idempotency-Key that arrives while the database stalls is not generated again', async () => {
  const other = await startTestGateway((base) => ({ ...base, database, secret: 's'.repeat(32) }));
  const { opened, open } = gate();
  other.provider.respond('other', sse([chunk({ content: 'once' }), opened, finish('stop'), usage(5, 2), '[DONE]']));
  const headers = { 'idempotency-key': 'stalled', authorization: `Bearer ${gateway.key}` };
  await waitForKeyChanges();
  for (const each of [gateway, other]) await each.chat({}, { authorization: headers.authorization });
  const calls = gateway.provider.calls.length;
  const first = other.chat({ model: 'other' }, headers);
  await other.provider.call('other').received;
  clock.hold();
  await waitForFreshReport();
  await freeze();
  const retry = gateway.chat({ model: 'other' }, headers);
  await expect.poll(() => gateway.gateway.alive().requests, { message: 'running requests' }).toBe(1);
  // Its statement is given up later than the gateway once gave up the claim.
  expect((await gateway.get('/v1/user/balance')).status).toBe(503);
  clock.release();
  wire.thaw();
  const claims = store.db.selectFrom('reply_claims').select('claim').where('read_until', 'is not', null);
  await expect.poll(() => claims.execute(), { message: 'the claim that the retry reads' }).toHaveLength(1);
  open();
  const [whole, joined] = [await first, await retry];
  expect(joined.frames).toEqual(whole.frames);
  expect(whole.frames.at(-1)).toBe('[DONE]');
  expect(gateway.provider.calls).toHaveLength(calls);
  await other.stop();
  await expectAtRest(gateway.gateway);
});

test('a request that refers to a stored response gets `overloaded` without the database, and no provider is called', async () => {
  const first = await gateway.post('/v1/responses', { model: 'plain', input: 'hello' });
  const calls = gateway.provider.calls.length;
  await freeze();
  for (const body of [{ previous_response_id: first.json.id }, { background: true }]) {
    const reply = await gateway.post('/v1/responses', { model: 'plain', input: 'go on', ...body });
    expectEnvelope(reply, { status: 503, code: 'overloaded', type: 'gateway_error' });
  }
  wire.thaw();
  expect(gateway.provider.calls).toHaveLength(calls);
  await expectAtRest(gateway.gateway);
});

async function readiness(): Promise<Record<string, unknown>> {
  const { status, json } = await gateway.get('/readyz');
  return { status, ...json.checks };
}

test('the gateway retries after it failed to read a catalog change', async () => {
  const listed = async () => (await gateway.get('/v1/models')).json.data.map(({ id }: { id: string }) => id);
  const added = { ...model('late'), price: 'free' };
  const isLocked = Promise.withResolvers<void>();
  const { opened, open } = gate();
  const holding = store.transaction(async () => {
    isLocked.resolve();
    await opened;
  }, catalogLock);
  await isLocked.promise;
  await insertRows(store.db, [
    { kind: 'model', name: 'late', source: 'store', position: 0, updatedAt: 0, spec: added },
  ]);
  await publishChange(store.db, { topic: 'catalog', subject: '*' });
  // The connection that reads the change breaks, and no other change follows.
  const broken = sql<{ ended: boolean }>`select pg_terminate_backend(pid) as ended from pg_stat_activity
    where datname = current_database() and wait_event = 'advisory'`;
  const ended = async () => (await broken.execute(store.db)).rows.length;
  await expect.poll(ended, { message: 'connections that wait for the catalog' }).toBeGreaterThan(0);
  open();
  await holding;
  await expect.poll(listed, { message: 'the models of the catalog' }).toContain('late');
});
