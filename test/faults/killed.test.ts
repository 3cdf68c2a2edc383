import { afterEach, expect, test } from 'vitest';
import { balanceOf } from '../../src/billing/balance.ts';
import { reap } from '../../src/billing/processes.ts';
import { systemClock } from '../../src/core/clock.ts';
import { expectSound } from '../at-rest.ts';
import { chat } from '../chat-client.ts';
import { hang } from '../fake-provider.ts';
import { type ServedGateway, startServedGateway } from '../served-gateway.ts';

let gateway: ServedGateway;
afterEach(() => gateway.clean());

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
