import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { balanceOf } from '../../src/billing/balance.ts';
import { replayJournals } from '../../src/billing/journal-replay.ts';
import { ledgerLines } from '../../src/billing/ledger-lines.ts';
import { processTtlMs, reap } from '../../src/billing/processes.ts';
import { settleCharges } from '../../src/billing/settle.ts';
import { systemClock } from '../../src/core/clock.ts';
import { openStore, type Store } from '../../src/store/store.ts';
import { expectSound } from '../at-rest.ts';
import { chat } from '../chat-client.ts';
import { answer, hang } from '../fake-provider.ts';
import { type ServedGateway, startServedGateway } from '../served-gateway.ts';

let gateway: ServedGateway;
const stores: Store[] = [];
afterEach(async () => {
  for (const store of stores.splice(0)) await store.close();
  await gateway.clean();
});

/** The store of a gateway that is gone, as a machine sees it whose clock says this. */
async function storeAt(now: () => number): Promise<Store> {
  const store = await openStore({ data: join(gateway.directory, 'data'), now });
  stores.push(store);
  return store;
}

test('who waits when the process is killed is cut off, and nothing is held or charged for it afterwards', async () => {
  gateway = await startServedGateway({
    upstream: { max_concurrency: 2 },
    config: { waiting: { hold_headers: '300ms' } },
  });
  gateway.provider.respond('other', hang());
  const running = [chat(gateway), chat(gateway)];
  await gateway.provider.call('other', 1).received;
  const waiting = Array.from({ length: 200 }, () => chat(gateway));
  // Each has been told to be patient, so each is in the queue.
  await Promise.all(waiting.map(({ begun }) => begun));
  gateway.signal('SIGKILL');
  for (const one of [...running, ...waiting]) {
    expect(await one.over).toMatchObject({ isWhole: false, isDone: false, error: undefined });
  }
  await gateway.exit();
  expect(gateway.provider.calls).toHaveLength(2);

  const store = await gateway.openStore();
  const { id } = await store.db.selectFrom('accounts').select('id').executeTakeFirstOrThrow();
  expect((await balanceOf(store, id)).reserved).toBeGreaterThan(0n);
  // As if the time had passed after which a silent process counts as dead.
  await store.db.updateTable('processes').set({ alive_until: 1 }).execute();
  expect(await reap(store, systemClock)).toBe(1);
  expect(await balanceOf(store, id)).toMatchObject({ granted: 10_000_000_000_000n, reserved: 0n });
  expect(await store.db.selectFrom('leases').selectAll().execute()).toEqual([]);
  const charges = store.db.selectFrom('transfers').select('kind').where('kind', 'like', 'charge%');
  expect(await charges.execute()).toEqual([]);
  await expectSound(store);
});

test('what was held comes back within one life of a process, although the clock was set back an hour after the kill', async () => {
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

test('an answer that had ended when the process was killed before its commit is charged at the next start, once', async () => {
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
  const start = () =>
    replayJournals(join(gateway.directory, 'data/journal'), {
      deal: (settlements) => store.commit(settleCharges, settlements),
      onError: (error) => expect.unreachable(String(error)),
      alive: async () => (await store.db.selectFrom('processes').select('id').execute()).map(({ id }) => id),
    });
  await start();
  const made = await charges();
  expect(made).toEqual([['charge', expect.any(BigInt)]]);
  await start();
  await store.db.updateTable('processes').set({ alive_until: 1 }).execute();
  expect(await reap(store, systemClock)).toBe(1);
  expect(await charges()).toEqual(made);
  expect((await balanceOf(store, accountId)).reserved).toBe(0n);
  await expectSound(store);
});

/** 100 tokens of prompt and one of output, in nano-units. */
const thrownAway = 102_000n;

test('a request whose model is being asked again when the process is killed is charged once, for what was thrown away', async () => {
  gateway = await startServedGateway();
  // An answer without the call that is demanded, of 100 tokens of prompt and one of output; then silence.
  gateway.provider.respond('other', answer('No.', { promptTokens: 100 }), hang());
  const tools = [{ type: 'function', function: { name: 'look', parameters: { type: 'object' } } }];
  const running = chat({ ...gateway, body: { tools, tool_choice: 'required' } });
  await gateway.provider.call('other', 1).received;
  const store = await storeAt(systemClock.now);
  const noted = store.db.selectFrom('open_charges').select('cost');
  const notedCost = async () => BigInt((await noted.executeTakeFirst())?.cost ?? 0);
  await expect.poll(notedCost, { message: 'the checkpoint of the request' }).toBeGreaterThanOrEqual(thrownAway);
  gateway.signal('SIGKILL');
  await gateway.exit();
  expect(await running.over).toMatchObject({ isDone: false, error: undefined });
  await store.db.updateTable('processes').set({ alive_until: 1 }).execute();
  expect([await reap(store, systemClock), await reap(store, systemClock)]).toEqual([1, 0]);
  const { id: accountId } = await store.db.selectFrom('accounts').select('id').executeTakeFirstOrThrow();
  const lines = await ledgerLines(store, { accountId, limit: 10 });
  const charges = lines.filter(({ kind }) => kind.startsWith('charge')).map(({ amount }) => -amount);
  expect(charges).toHaveLength(1);
  // The second prompt was sent: at most as much as the first is charged for it.
  expect(charges[0]).toBeGreaterThanOrEqual(thrownAway);
  expect(charges[0]).toBeLessThan(thrownAway + 100_000n);
  expect((await balanceOf(store, accountId)).reserved).toBe(0n);
  await expectSound(store);
});
