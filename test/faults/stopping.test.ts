import { Agent } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { balanceOf } from '../../src/money/billing/wallet/balance.ts';
import type { Store } from '../../src/platform/store/store.ts';
import { expectSound } from '../at-rest.ts';
import { chat } from '../chat-client.ts';
import { eventually } from '../eventually.ts';
import { answer, chunk, endings, finish, gate, hang, sse, usage } from '../fakes/fake-provider.ts';
import { type ServedGateway, type ServedOptions, startServedGateway } from '../gateways/served-gateway.ts';
import { whileAlone, workersOf } from '../gateways/worker-processes.ts';

let gateway: ServedGateway;
afterEach(() => gateway.clean());

async function serve(options: ServedOptions): Promise<void> {
  gateway = await startServedGateway(options);
}

const begun = chunk({ role: 'assistant', content: 'one two three' });
const shuttingDown = { code: 'shutting_down', type: 'gateway_error' };

/** Chats whose clients have received the beginning of their answers. */
async function started(count: number) {
  const chats = Array.from({ length: count }, () => chat(gateway));
  await Promise.all(chats.map((running) => running.waitForText('one two three')));
  return chats;
}

/** All reserved money was returned, and the costs of the records add up to the charges. */
async function expectSettled(store: Store): Promise<bigint> {
  await expectSound(store);
  const account = await store.db.selectFrom('accounts').select('id').executeTakeFirstOrThrow();
  const { granted, reserved } = await balanceOf(store, account.id);
  expect(reserved).toBe(0n);
  const rows = await store.db.selectFrom('requests').select('cost').execute();
  const charged = rows.reduce((sum, { cost }) => sum + BigInt(cost ?? 0), 0n);
  expect(granted).toBe(10_000_000_000_000n - charged);
  return charged;
}

test.each(['SIGTERM', 'SIGINT'] as const)('%s aborts none of 100 running answers', async (signal) => {
  await serve({});
  const { opened, open } = gate();
  gateway.provider.respond('other', sse([begun, opened, finish('stop'), usage(5, 3), '[DONE]']));
  const chats = await started(100);
  gateway.signal(signal);
  await gateway.waitForOutput(/Stopping/);
  expect((await chat(gateway).over).status).toBeUndefined();
  open();
  for (const running of chats)
    expect(await running.over).toMatchObject({ status: 200, isComplete: true, isDone: true });
  expect(await gateway.exit()).toBe(0);
  const store = await gateway.openStore();
  expect(await expectSettled(store)).toBe(100n * (5n * 1000n + 3n * 2000n));
});

test('an answer that still runs when the grace period is over ends in an error frame, is charged and recorded', async () => {
  await serve({ config: { shutdown_grace: '300ms' } });
  gateway.provider.respond('other', sse([begun, endings.hang]));
  const chats = await started(20);
  gateway.signal('SIGTERM');
  for (const running of chats) {
    const outcome = await running.over;
    expect(outcome).toMatchObject({ status: 200, isComplete: true, isDone: false, error: shuttingDown });
    expect(outcome.error?.message).toContain(`(request id: ${outcome.id})`);
  }
  expect(await gateway.exit()).toBe(0);
  const store = await gateway.openStore();
  expect(await expectSettled(store)).toBeGreaterThan(0n);
  const rows = await store.db.selectFrom('requests').select(['error_case', 'completion_tokens', 'status']).execute();
  expect(rows).toHaveLength(20);
  // Counted, or estimated if one account has more texts to count than its share.
  const completion_tokens = expect.toSatisfy((tokens) => tokens === 3 || tokens === 4);
  for (const row of rows) expect(row).toEqual({ error_case: 'shutting-down', completion_tokens, status: 200 });
});

test('a second signal ends running answers at once, each with an error frame', async () => {
  await serve({});
  gateway.provider.respond('other', sse([begun, endings.hang]));
  const chats = await started(20);
  gateway.signal('SIGTERM');
  await gateway.waitForOutput(/Stopping: /);
  // Signals within half a second count as one. A third signal would abort the answers without a frame, so send only
  // one.
  await delay(600);
  gateway.signal('SIGINT');
  await gateway.waitForOutput(/Stopping now/);
  for (const running of chats) {
    expect(await running.over).toMatchObject({ status: 200, isComplete: true, isDone: false, error: shuttingDown });
  }
  expect(await gateway.exit()).toBe(0);
  expect(await expectSettled(await gateway.openStore())).toBeGreaterThan(0n);
});

test('a request in the queue at SIGTERM gets an error at once and no charge; a running one continues', async () => {
  await serve({
    upstream: { max_concurrency: 2 },
    config: { waiting: { hold_headers: '300ms', keep_alive_every: '5s' } },
  });
  const { opened, open } = gate();
  gateway.provider.respond('other', sse([begun, opened, finish('stop'), usage(5, 3), '[DONE]']));
  const running = await started(2);
  const waiting = Array.from({ length: 200 }, () => chat(gateway));
  // No slot is free, so they only receive keep-alive comments.
  await Promise.all(waiting.map((one) => one.started));
  gateway.signal('SIGTERM');
  for (const one of waiting) {
    expect(await one.over).toMatchObject({ status: 200, isComplete: true, isDone: false, error: shuttingDown });
  }
  expect(gateway.isAlive).toBe(true);
  open();
  for (const chatting of running) expect(await chatting.over).toMatchObject({ isDone: true });
  expect(await gateway.exit()).toBe(0);
  expect(gateway.provider.calls).toHaveLength(2);
  expect(await expectSettled(await gateway.openStore())).toBe(2n * (5n * 1000n + 3n * 2000n));
});

test('a request whose provider has not answered gets status 503 when the grace period is over', async () => {
  await serve({ config: { shutdown_grace: '300ms', waiting: { hold_headers: '5m' } } });
  gateway.provider.respond('other', hang());
  const request = chat(gateway);
  await gateway.provider.call('other').received;
  gateway.signal('SIGTERM');
  expect(await request.over).toMatchObject({ status: 503, isComplete: true, error: shuttingDown });
  expect(await gateway.exit()).toBe(0);
  expect(await expectSettled(await gateway.openStore())).toBe(0n);
});

/** Starts an answer in each serving process, so that none of them exits before the test ends. */
async function startOneInEach(workers: number) {
  if (workers === 1) return started(1);
  const chats = [];
  for (const worker of await workersOf(gateway)) chats.push(...(await whileAlone(gateway, worker, () => started(1))));
  return chats;
}

test.each([1, 2])(
  'with %i processes, a keep-alive connection serves one more request after SIGTERM',
  async (workers) => {
    await serve({ config: { workers } });
    const gates = [gate(), gate()] as const;
    const [held, busy] = gates.map(({ opened }) => sse([begun, opened, finish('stop'), usage(5, 3), '[DONE]']));
    gateway.provider.respond('other', ...Array(workers).fill(held), ...Array(24).fill(busy), answer('once more'));
    const holding = await startOneInEach(workers);
    const clients = Array.from({ length: 24 }, () => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      return { agent, first: chat({ ...gateway, agent }) };
    });
    await Promise.all(clients.map(({ first }) => first.waitForText('one two three')));
    gateway.signal('SIGTERM');
    await eventually(async () => expect((await chat(gateway).over).status, 'all processes stop').toBeUndefined());
    const secondRequests = clients.map(async ({ agent, first }) => {
      const { isDone, headers } = await first.over;
      const next = await chat({ ...gateway, agent }).over;
      agent.destroy();
      return { isDone, connection: headers['connection'], next };
    });
    gates[1].open();
    for (const result of secondRequests) {
      expect(await result).toMatchObject({
        isDone: true,
        connection: 'keep-alive',
        next: { status: 200, isDone: true, headers: { connection: 'close' } },
      });
    }
    gates[0].open();
    for (const running of holding) expect((await running.over).isDone).toBe(true);
    expect(await gateway.exit()).toBe(0);
  },
);
