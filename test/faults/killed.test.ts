import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { balanceOf } from '../../src/money/billing/wallet/balance.ts';
import { replayJournals } from '../../src/money/billing/recovery/journal-replay.ts';
import { ledgerLines } from '../../src/money/billing/ledger/ledger-lines.ts';
import { processTtlMs, reap } from '../../src/money/billing/recovery/processes.ts';
import { settleCharges } from '../../src/money/billing/settle.ts';
import { systemClock } from '../../src/core/time/clock.ts';
import { openStore, type Store } from '../../src/platform/store/store.ts';
import { expectSound } from '../at-rest.ts';
import { chat } from '../chat-client.ts';
import { answer, hang } from '../fakes/fake-provider.ts';
import { type ServedGateway, startServedGateway } from '../gateways/served-gateway.ts';

let gateway: ServedGateway;
const stores: Store[] = [];
afterEach(async () => {
  for (const store of stores.splice(0)) await store.close();
  await gateway.clean();
});

/** Opens the store of a stopped gateway with this clock. */
async function storeAt(now: () => number): Promise<Store> {
  const store = await openStore({ data: join(gateway.directory, 'data'), now });
  stores.push(store);
  return store;
}

test('requests that wait when the process is killed are disconnected, and leave neither hold nor charge', async () => {
  gateway = await startServedGateway({
    upstream: { max_concurrency: 2 },
    config: { waiting: { hold_headers: '300ms' } },
  });
  gateway.provider.respond('other', hang());
  const running = [chat(gateway), chat(gateway)];
  await gateway.provider.call('other', 1).received;
  const waiting = Array.from({ length: 200 }, () => chat(gateway));
  // Each has received a keep-alive comment, so each is in the queue.
  await Promise.all(waiting.map(({ started }) => started));
  gateway.signal('SIGKILL');
  for (const one of [...running, ...waiting]) {
    expect(await one.over).toMatchObject({ isComplete: false, isDone: false, error: undefined });
  }
  await gateway.exit();
  expect(gateway.provider.calls).toHaveLength(2);

  const store = await gateway.openStore();
  const { id } = await store.db.selectFrom('accounts').select('id').executeTakeFirstOrThrow();
  expect((await balanceOf(store, id)).reserved).toBeGreaterThan(0n);
  // As if the heartbeat of the process had expired.
  await store.db.updateTable('processes').set({ heartbeat_at: 1 }).execute();
  expect(await reap(store, systemClock)).toBe(1);
  expect(await balanceOf(store, id)).toMatchObject({ granted: 10_000_000_000_000n, reserved: 0n });
  expect(await store.db.selectFrom('leases').selectAll().execute()).toEqual([]);
  const charges = store.db.selectFrom('transfers').select('kind').where('kind', 'like', 'charge%');
  expect(await charges.execute()).toEqual([]);
  await expectSound(store);
});

test('holds are released within one process TTL, even if the clock was set back an hour after the kill', async () => {
  gateway = await startServedGateway();
  gateway.provider.respond('other', hang());
  const running = chat(gateway);
  await gateway.provider.call('other').received;
  gateway.signal('SIGKILL');
  await gateway.exit();
  await running.over;
  let behindMs = 3_600_000;
  const store = await storeAt(() => systemClock.now() - behindMs);
  const { id } = await store.db.selectFrom('accounts').select('id').executeTakeFirstOrThrow();
  expect(await reap(store, systemClock)).toBe(0);
  expect((await balanceOf(store, id)).reserved).toBeGreaterThan(0n);
  behindMs -= processTtlMs + 1000;
  expect(await reap(store, systemClock)).toBe(1);
  expect((await balanceOf(store, id)).reserved).toBe(0n);
  await expectSound(store);
});

test('a completed answer whose process is killed before the commit is charged once, at the next start', async () => {
  gateway = await startServedGateway({ failpoint: 'ledger.settling:kill:1' });
  gateway.provider.respond('other', answer('hello'));
  expect(await chat(gateway).over).toMatchObject({ isDone: false });
  await gateway.exit();
  const store = await storeAt(systemClock.now);
  const { id: accountId } = await store.db.selectFrom('accounts').select('id').executeTakeFirstOrThrow();
  const charges = async () => {
    const lines = await ledgerLines(store, { accountId, limit: 10 });
    return lines.filter(({ kind }) => kind.startsWith('charge')).map(({ kind, amount }) => [kind, amount]);
  };
  expect(await charges()).toEqual([]);
  const replay = () =>
    replayJournals(join(gateway.directory, 'data/journal'), {
      deal: (settlements) => store.commit(settleCharges, settlements),
      onError: (error) => expect.unreachable(String(error)),
      alive: async () => (await store.db.selectFrom('processes').select('id').execute()).map(({ id }) => id),
    });
  await replay();
  const booked = await charges();
  expect(booked).toEqual([['charge', expect.any(BigInt)]]);
  await replay();
  await store.db.updateTable('processes').set({ heartbeat_at: 1 }).execute();
  expect(await reap(store, systemClock)).toBe(1);
  expect(await charges()).toEqual(booked);
  expect((await balanceOf(store, accountId)).reserved).toBe(0n);
  await expectSound(store);
});

/** 100 tokens of prompt and one of output, in nano-units. */
const discarded = 102_000n;

test('a request whose process is killed during a re-prompt is charged once, for the discarded answer', async () => {
  gateway = await startServedGateway();
  // First an answer without the required tool call, with 100 prompt tokens and one output token; then silence.
  gateway.provider.respond('other', answer('No.', { promptTokens: 100 }), hang());
  const tools = [{ type: 'function', function: { name: 'look', parameters: { type: 'object' } } }];
  const running = chat({ ...gateway, body: { tools, tool_choice: 'required' } });
  await gateway.provider.call('other', 1).received;
  const store = await storeAt(systemClock.now);
  const checkpoints = store.db.selectFrom('open_charges').select('cost');
  const checkpointCost = async () => BigInt((await checkpoints.executeTakeFirst())?.cost ?? 0);
  await expect.poll(checkpointCost, { message: 'the checkpoint of the request' }).toBeGreaterThanOrEqual(discarded);
  gateway.signal('SIGKILL');
  await gateway.exit();
  expect(await running.over).toMatchObject({ isDone: false, error: undefined });
  await store.db.updateTable('processes').set({ heartbeat_at: 1 }).execute();
  expect([await reap(store, systemClock), await reap(store, systemClock)]).toEqual([1, 0]);
  const { id: accountId } = await store.db.selectFrom('accounts').select('id').executeTakeFirstOrThrow();
  const lines = await ledgerLines(store, { accountId, limit: 10 });
  const charges = lines.filter(({ kind }) => kind.startsWith('charge')).map(({ amount }) => -amount);
  expect(charges).toHaveLength(1);
  // The second prompt was sent. Its charge is at most that of the first.
  expect(charges[0]).toBeGreaterThanOrEqual(discarded);
  expect(charges[0]).toBeLessThan(discarded + 100_000n);
  expect((await balanceOf(store, accountId)).reserved).toBe(0n);
  await expectSound(store);
});
