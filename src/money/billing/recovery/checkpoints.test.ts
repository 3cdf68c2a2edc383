import { afterEach, beforeEach, expect, test } from 'vitest';
import { storeBetween } from '../../../../test/stores/store-between.ts';
import { type StagedProcess, type WalletStage, walletStage } from '../../../../test/stores/wallets.ts';
import type { Hold } from '../wallet/hold.ts';

let stage: WalletStage;
let one: StagedProcess;
beforeEach(async () => {
  stage = await walletStage();
  await stage.topUp(1_000_000n);
  one = await stage.process();
});
afterEach(() => stage.end());

async function held(requestId: string, costSoFar: () => bigint): Promise<Hold> {
  const hold = await stage.hold(one.wallet, requestId, 100n);
  hold.watch(costSoFar);
  return hold;
}

const checkpoints = () => stage.store.db.selectFrom('open_charges').select(['request_id', 'cost']).execute();
const charges = () =>
  stage.store.db
    .selectFrom('transfers')
    .select(['reference', 'kind', 'amount'])
    .where('kind', 'like', 'charge%')
    .execute();

test('the cost of a running request is checkpointed within two seconds, and only if it changed', async () => {
  const written: string[] = [];
  const store = storeBetween(stage.store, (work) => {
    written.push('once');
    return work();
  });
  const counted = await stage.process({ store });
  const hold = await stage.hold(counted.wallet, 'r', 100n);
  let cost = 7n;
  hold.watch(() => cost);
  await stage.clock.advance(2000);
  expect(await checkpoints()).toEqual([{ request_id: 'r', cost: 7 }]);
  written.length = 0;
  // No heartbeat is due in this time, so only a checkpoint could cause a write.
  await stage.clock.advance(2500);
  expect(written).toEqual([]);
  cost = 9n;
  await stage.clock.advance(2000);
  expect(await checkpoints()).toEqual([{ request_id: 'r', cost: 9 }]);
  hold.void();
});

test('each of 3,000 running requests gets a checkpoint', async () => {
  const holds: Hold[] = [];
  for (let index = 0; index < 3000; index += 1) {
    const hold = Promise.resolve(one.wallet.hold(stage.name(`r${index}`), 1n));
    if (index === 0) await stage.clock.until(hold);
    holds.push(await hold);
  }
  let cost = 1n;
  for (const hold of holds) hold.watch(() => cost++);
  await stage.clock.advance(5000);
  expect(await checkpoints()).toHaveLength(3000);
  for (const hold of holds) hold.void();
});

test('a request of a crashed process is charged up to its last checkpoint', async () => {
  let cost = 7n;
  await held('r', () => cost);
  await stage.clock.advance(2000);
  cost = 50n;
  one.freeze();
  await stage.process();
  await stage.clock.advance(45_000);
  expect(await charges()).toEqual([{ reference: 'r', kind: 'charge', amount: -7 }]);
  expect((await stage.balance()).reserved).toBe(0n);
});

test('a voided request leaves no checkpoint for recovery to charge', async () => {
  const hold = await held('r', () => 7n);
  await stage.clock.advance(2000);
  expect(await checkpoints()).toHaveLength(1);
  hold.void();
  expect(one.wallet.holds).toBe(0);
  await stage.clock.advance(100);
  expect(await checkpoints()).toEqual([]);
  one.freeze();
  await stage.process();
  await stage.clock.advance(45_000);
  expect(await charges()).toEqual([]);
});
