import { connect, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { accounts } from '../../src/money/accounts/accounts.ts';
import type { KeyId } from '../../src/money/accounts/ids.ts';
import { limitKey } from '../../src/money/accounts/key-limits.ts';
import { keys } from '../../src/money/accounts/keys.ts';
import { balanceOf } from '../../src/money/billing/wallet/balance.ts';
import { verifyLedger } from '../../src/money/billing/ledger/verify.ts';
import { systemClock } from '../../src/core/time/clock.ts';
import { listRequests } from '../../src/money/requests/find-requests.ts';
import { openStore, type Store } from '../../src/platform/store/store.ts';
import { expectAtRest } from '../at-rest.ts';
import { chat } from '../chat-client.ts';
import { expectEnvelope } from '../expectations.ts';
import { answer, chunk, endings, finish, gate, sse } from '../fakes/fake-provider.ts';
import { startTestGateway, type TestGateway } from '../gateways/gateway.ts';
import { makeKey } from '../keys.ts';

let gateway: TestGateway;
afterEach(() => gateway.stop());

/** Starts a gateway whose upstream has one slot. */
async function start(more: Record<string, unknown> = {}): Promise<void> {
  gateway = await startTestGateway((base) => ({
    ...base,
    upstreams: (base['upstreams'] as object[]).map((each) => ({ ...each, timeouts: {}, max_concurrency: 1 })),
    packages: [
      { name: 'standard', models: ['*'] },
      { name: 'gold', models: ['*'], weight: 4 },
    ],
    accounts: [
      { name: 'tester', package: 'standard', credit: '1000.00' },
      { name: 'shiny', package: 'gold', credit: '1000.00' },
    ],
    ...more,
  }));
}

function waitingClient(content = 'x'): Socket {
  const body = JSON.stringify({ model: 'other', messages: [{ role: 'user', content }] });
  const socket = connect(gateway.port, '127.0.0.1', () =>
    socket.write(
      `POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${gateway.key}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    ),
  );
  socket.on('error', () => {});
  return socket;
}

async function expectSpent(store: Store, charged = 0n): Promise<void> {
  const { id } = (await accounts(store, systemClock).find('tester'))!;
  const { granted, reserved } = await balanceOf(store, id);
  expect([granted, reserved]).toEqual([1_000_000_000_000n - charged, 0n]);
  expect((await verifyLedger(store)).isSound).toBe(true);
}

const idle = { exchanges: 0, answers: 0 };
const keptAlive = (socket: Socket) => new Promise((resolve) => socket.once('data', resolve));

test('a thousand requests whose clients disconnect in the queue are never dispatched and cost nothing', async () => {
  await start({ waiting: { hold_headers: '100ms' } });
  gateway.provider.respond('plain', sse([endings.hang]));
  gateway.provider.respond('other', answer('too late'));
  const first = new AbortController();
  const running = fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'plain', messages: [{ role: 'user', content: 'x' }] }),
    signal: first.signal,
  }).catch(() => undefined);
  await gateway.provider.call('plain').received;
  const clients = Array.from({ length: 1000 }, () => waitingClient());
  await Promise.all(clients.map(keptAlive));
  expect(gateway.gateway.inFlight()).toEqual({ exchanges: 1001, answers: 1 });
  for (const client of clients) client.destroy();
  await expect
    .poll(() => gateway.gateway.inFlight(), { message: 'only the running answer is left' })
    .toEqual({ exchanges: 1, answers: 1 });
  first.abort();
  await running;
  await expect.poll(() => gateway.gateway.inFlight(), { message: 'no request is left' }).toEqual(idle);
  expect(gateway.provider.calls.map(({ key }) => key)).toEqual(['plain']);
  await gateway.gateway.stop({ graceMs: 1000 });
  const store = await openStore({ data: `${gateway.directory}/data` });
  // The request that the provider received is charged for its prompt.
  const [sent] = await listRequests(store, { model: 'plain', limit: 1 });
  await expectSpent(store, sent?.cost);
  const { count } = await store.db
    .selectFrom('requests')
    .select((select) => select.fn.countAll<number>().as('count'))
    .where('client_gone', '=', 1)
    .executeTakeFirstOrThrow();
  expect(count).toBe(1001);
  await store.close();
});

test('requests in the queue of a stopping gateway are aborted and cost nothing', async () => {
  await start({ waiting: { hold_headers: '100ms' } });
  gateway.provider.respond('other', sse([endings.hang]), answer('too late'));
  const clients = Array.from({ length: 200 }, () => waitingClient());
  const closed = clients.map((client) => new Promise((resolve) => client.once('close', resolve)));
  await Promise.all(clients.map(keptAlive));
  await gateway.provider.call('other').received;
  await gateway.gateway.stop({ graceMs: 0 });
  await Promise.all(closed);
  expect(gateway.provider.calls).toHaveLength(1);
  const store = await openStore({ data: `${gateway.directory}/data` });
  await expectSpent(store);
  await store.close();
});

test('a package with weight 4 gets four slots for each slot of a package with weight 1', async () => {
  await start();
  const shiny = await gateway.newKey({ account: 'shiny' });
  const { opened, open } = gate();
  gateway.provider.respond('other', sse([opened, chunk({ content: 'x' }), finish('stop'), '[DONE]']), answer('a b c'));
  const startChat = (content: string, key = gateway.key) =>
    gateway.chat({ model: 'other', messages: [{ role: 'user', content }] }, { authorization: `Bearer ${key}` });
  const first = startChat('first');
  await gateway.provider.call('other').received;
  const plain = Array.from({ length: 10 }, () => startChat('plain'));
  const gold = Array.from({ length: 10 }, () => startChat('shiny', shiny));
  await expect.poll(() => gateway.gateway.alive().waiting, { message: 'requests that wait' }).toBe(20);
  open();
  await Promise.all([first, ...plain, ...gold]);
  const order = gateway.provider.calls.slice(1).map(({ text }) => (text.includes('shiny') ? 'gold' : 'plain'));
  const goldFirst = order.slice(0, 10).filter((name) => name === 'gold').length;
  expect(goldFirst).toBeGreaterThanOrEqual(7);
  expect(goldFirst).toBeLessThan(10);
});

test('a client that sends its timeout gets an error before that timeout', async () => {
  await start();
  gateway.provider.respond('other', sse([endings.hang]));
  const holder = waitingClient();
  await gateway.provider.call('other').received;
  const reply = await gateway.chat({ model: 'other' }, { 'x-stainless-timeout': '0.4' });
  expectEnvelope(reply, { status: 503, code: 'overloaded', type: 'gateway_error' });
  holder.destroy();
  await expect.poll(() => gateway.gateway.inFlight(), { message: 'no request is left' }).toEqual(idle);
});

test('when the queue is full, the newest request of the largest account is rejected, and a small account keeps waiting', async () => {
  await start({ waiting: { max_requests: 100, hold_headers: '5m' } });
  const shiny = await gateway.newKey({ account: 'shiny' });
  const { opened, open } = gate();
  gateway.provider.respond('other', sse([opened, chunk({ content: 'x' }), finish('stop'), '[DONE]']), answer('a b c'));
  const first = gateway.chat({ model: 'other' });
  await gateway.provider.call('other').received;
  const crowd = Array.from({ length: 100 }, () => gateway.chat({ model: 'other' }));
  await expect.poll(() => gateway.gateway.alive().waiting, { message: 'requests that wait' }).toBe(100);
  const light = gateway.chat({ model: 'other' }, { authorization: `Bearer ${shiny}` });
  const rejected = await Promise.race(crowd);
  expectEnvelope(rejected, { status: 503, code: 'overloaded', type: 'gateway_error' });
  open();
  expect((await light).status).toBe(200);
  expect((await first).status).toBe(200);
  const statuses = (await Promise.all(crowd)).map(({ status }) => status);
  expect([
    statuses.filter((status) => status === 200).length,
    statuses.filter((status) => status === 503).length,
  ]).toEqual([99, 1]);
});

test('a waiting request whose key lost access is rejected when it gets a slot, and the next request gets the slot', async () => {
  await start();
  const { store } = gateway.gateway;
  const open = gate();
  gateway.provider.respond('plain', sse([chunk({ content: 'one' }), open.opened, finish('stop'), '[DONE]']));
  gateway.provider.respond('other', answer('hello'));
  const key = async (name: string) => makeKey(gateway.gateway, { account: 'tester', name });
  const [revoked, narrowed, renamed] = [await key('revoked'), await key('narrowed'), await key('renamed')];
  const first = chat({ port: gateway.port, key: gateway.key, model: 'plain' });
  await first.waitForText('one');
  const waiting = [revoked, narrowed, renamed].map(({ secret }) => chat({ port: gateway.port, key: secret }));
  await expect.poll(() => gateway.gateway.alive().waiting, { message: 'requests that wait' }).toBe(3);
  await keys(store, systemClock).revoke(revoked.id as KeyId);
  await limitKey(store, narrowed.id as KeyId, { models: ['plain'] });
  await limitKey(store, renamed.id as KeyId, { name: 'another name' });
  // Once new requests with these keys are rejected, the gateway has read the changes.
  const statusFor = async ({ secret }: { readonly secret: string }): Promise<number> => {
    const shortTimeout = { authorization: `Bearer ${secret}`, 'x-stainless-timeout': '0.01' };
    return (await gateway.chat({ model: 'other' }, shortTimeout)).status;
  };
  await expect.poll(() => statusFor(revoked), { message: 'the status for the revoked key' }).toBe(401);
  await expect.poll(() => statusFor(narrowed), { message: 'the status for the narrowed key' }).toBe(403);
  open.open();
  const [one, two, three] = await Promise.all(waiting.map(({ over }) => over));
  expect([one!.error?.code, two!.error?.code]).toEqual(['invalid_api_key', 'access_denied']);
  expect(three).toMatchObject({ status: 200, isDone: true });
  expect(gateway.provider.calls).toHaveLength(2);
  expect(await first.over).toMatchObject({ isDone: true });
  await expectAtRest(gateway.gateway);
});
