import { afterEach, beforeEach, expect, test } from 'vitest';
import { storeBetween } from '../../../../test/stores/store-between.ts';
import { type StagedProcess, type WalletStage, walletStage } from '../../../../test/stores/wallets.ts';
import { accounts } from '../../accounts/accounts.ts';
import type { Store } from '../../../platform/store/store.ts';
import { credits } from '../ledger/credits.ts';
import type { Hold } from '../wallet/hold.ts';
import { reap, registerProcess } from './processes.ts';

let stage: WalletStage;
let one: StagedProcess;
let other: StagedProcess;
beforeEach(async () => {
  stage = await walletStage();
  [one, other] = [await stage.process(), await stage.process()];
});
afterEach(async () => {
  expect(await stage.losses()).toBe(0n);
  await stage.end();
  expect([one.wallet.holds, other.wallet.holds]).toEqual([0, 0]);
});

const held = ({ wallet }: StagedProcess, requestId: string, amount: bigint): Promise<Hold> =>
  stage.hold(wallet, requestId, amount);

async function ended(ending: Promise<void>): Promise<unknown> {
  const error = ending.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  await stage.clock.until(error);
  return error;
}

test('money held before the process expired is not spent twice', async () => {
  await stage.topUp(95n);
  const before = await held(one, 'before', 85n);
  let lost: unknown;
  before.whenLost((error) => (lost = error));
  let elsewhere: Hold | undefined;
  await stage.freezeUntilReaped(one, async () => {
    elsewhere = await held(other, 'elsewhere', 85n);
  });
  expect(lost).toMatchObject({ case: 'insufficient-balance' });
  // Its request ends with that error, and is charged what the balance covers.
  expect(await ended(before.post(80n))).toMatchObject({ case: 'insufficient-balance' });
  expect(await stage.balance()).toMatchObject({ toppedUp: 85n, reserved: 85n });
  await expect(held(one, 'after', 1n)).rejects.toMatchObject({ case: 'insufficient-balance' });
  expect(await ended(elsewhere!.post(85n))).toBeUndefined();
  expect(await stage.balance()).toMatchObject({ toppedUp: 0n, reserved: 0n });
});

test('available money is leased again for the exact hold, and the request is not affected', async () => {
  await stage.topUp(100n);
  const before = await held(one, 'before', 60n);
  before.whenLost(() => expect.unreachable());
  const processId = one.wallet.processId;
  await stage.freezeUntilReaped(one);
  expect(one.wallet.processId).not.toBe(processId);
  expect(await stage.balance()).toMatchObject({ reserved: 60n });
  expect(await ended(before.post(50n))).toBeUndefined();
  expect((await stage.balance()).toppedUp).toBe(50n);
  // The unspent part serves the next request, once.
  const after = await held(one, 'after', 50n);
  await expect(held(one, 'more', 1n)).rejects.toMatchObject({ case: 'insufficient-balance' });
  after.void();
});

test('the amount that recovery charged is not leased again', async () => {
  await stage.topUp(100n);
  const before = await held(one, 'before', 60n);
  before.watch(() => 20n);
  await stage.clock.advance(3000);
  let elsewhere: Hold | undefined;
  await stage.freezeUntilReaped(one, async () => {
    elsewhere = await held(other, 'elsewhere', 40n);
  });
  expect(await stage.balance()).toMatchObject({ toppedUp: 80n, reserved: 80n });
  expect(await ended(before.post(45n))).toBeUndefined();
  expect((await stage.balance()).toppedUp).toBe(55n);
  expect(await ended(elsewhere!.post(40n))).toBeUndefined();
});

test('older running requests get their money back first', async () => {
  await stage.topUp(100n);
  const lost: string[] = [];
  const holds = new Map<string, Hold>();
  for (const name of ['a', 'b', 'c']) {
    const hold = await held(one, name, 30n);
    hold.whenLost(() => lost.push(name));
    holds.set(name, hold);
  }
  let elsewhere: Hold | undefined;
  await stage.freezeUntilReaped(one, async () => {
    elsewhere = await held(other, 'elsewhere', 35n);
  });
  expect(lost).toEqual(['c']);
  for (const hold of [...holds.values(), elsewhere!]) hold.void();
});

test('a waiting request keeps waiting after the process expires, behind the running requests', async () => {
  await stage.topUp(100n);
  const before = await held(one, 'before', 60n);
  one.freeze();
  await stage.clock.advance(40_000);
  const waiting = Promise.resolve(one.wallet.hold(stage.name('waiting'), 30n));
  one.thaw();
  await stage.clock.until(waiting);
  expect((await stage.balance()).reserved).toBe(90n);
  (await waiting).void();
  before.void();
});

test('a charge that was pending when the process expired is booked once, from the available balance', async () => {
  await stage.topUp(100n);
  const before = await held(one, 'before', 60n);
  const posted = before.post(50n);
  await stage.freezeUntilReaped(one);
  expect(await ended(posted)).toBeUndefined();
  expect((await stage.balance()).toppedUp).toBe(50n);
});

test('if the store was unreachable, no peer is reaped before its next heartbeat', async () => {
  await stage.topUp(100n);
  const holds = [await held(one, 'one', 40n), await held(other, 'other', 40n)];
  const names = [one.wallet.processId, other.wallet.processId];
  for (const process of [one, other]) process.freeze();
  await stage.clock.advance(60_000);
  one.thaw();
  await stage.clock.advance(2000);
  other.thaw();
  await stage.clock.advance(20_000);
  expect([one.wallet.processId, other.wallet.processId]).toEqual(names);
  for (const hold of holds) hold.void();
});

test('a request that outlives its process id has its checkpoint under the new id', async () => {
  await stage.topUp(100n);
  const before = await held(one, 'before', 60n);
  let cost = 10n;
  before.watch(() => cost);
  await stage.freezeUntilReaped(one);
  cost = 30n;
  await stage.clock.advance(3000);
  const rows = await stage.store.db.selectFrom('open_charges').select(['process_id', 'cost', 'held']).execute();
  expect(rows).toEqual([{ process_id: one.wallet.processId, cost: 30, held: 60 }]);
  expect(await ended(before.post(40n))).toBeUndefined();
  expect((await stage.balance()).toppedUp).toBe(60n);
});

test.each([
  ['nothing', 0n],
  ['less', 15n],
])('recovery’s overcharge for a request that cost %s in the end is refunded', async (_what, cost) => {
  await stage.topUp(100n);
  const before = await held(one, 'before', 60n);
  before.watch(() => 20n);
  await stage.clock.advance(3000);
  await stage.freezeUntilReaped(one);
  expect((await stage.balance()).toppedUp).toBe(80n);
  expect(await ended(before.post(cost))).toBeUndefined();
  expect((await stage.balance()).toppedUp).toBe(100n - cost);
});

test('a disk that hangs while peers are reaped does not stop heartbeats', async () => {
  await stage.topUp(100n);
  const third = await stage.process({ replay: () => new Promise(() => {}) });
  other.freeze();
  one.freeze();
  await stage.clock.advance(60_000);
  expect([third.wallet.problem, third.wallet.note]).toEqual([undefined, undefined]);
  (await held(third, 'served', 60n)).void();
  for (const process of [one, other]) process.thaw();
});

test('a process that cannot be reaped does not delay requests for money after a short store outage', async () => {
  const { db } = stage.store;
  await stage.topUp(100n);
  const { id: bob } = await accounts(stage.store, stage.clock).create({ name: 'bob', packageName: 'standard' });
  await credits(stage.store, stage.clock).topUp({
    accountId: bob,
    amount: 9n,
    reference: 'b',
    by: 'op',
    reason: 'test',
  });
  await registerProcess(stage.store, 'expired');
  await db.insertInto('leases').values({ process_id: 'expired', account_id: bob, amount: 5n }).execute();
  await db.updateTable('processes').set({ heartbeat_at: 1 }).where('id', '=', 'expired').execute();
  await db.updateTable('balances').set({ leased: 1n }).where('account_id', '=', bob).execute();
  let failures = 1;
  const flaky = storeBetween(stage.store, (work) => {
    failures -= 1;
    return failures === 0 ? Promise.reject(new Error('Connection terminated')) : work();
  });
  const third = await stage.process({ store: { ...flaky, transaction: stage.store.transaction } });
  const served = await held(third, 'served', 60n);
  expect(third.wallet.problem).toBeUndefined();
  served.void();
  await db.updateTable('balances').set({ leased: 5n }).where('account_id', '=', bob).execute();
});

test('charges that were pending when the process expired are booked before money is leased again', async () => {
  await stage.topUp(3000n);
  let isAway = false;
  const { store } = stage;
  const away: Store = {
    ...store,
    commitTogether: (job, input) =>
      isAway ? Promise.reject(new Error('Connection terminated')) : store.commitTogether(job, input),
  };
  const third = await stage.process({ store: away });
  const running = await held(third, 'running', 100n);
  const last = await held(third, 'last', 500n);
  isAway = true;
  const posted = ended(last.post(500n));
  await stage.clock.advance(1500);
  const id = third.wallet.processId;
  await store.db.updateTable('processes').set({ heartbeat_at: 1 }).where('id', '=', id).execute();
  await reap(store, stage.clock);
  isAway = false;
  // More than is free: the process learns at once that its lease is gone, and leases with headroom.
  const next = await held(third, 'next', 301n);
  expect(await posted).toBeUndefined();
  expect((await stage.balance()).toppedUp).toBe(2500n);
  for (const hold of [running, next]) hold.void();
  await stage.clock.advance(20_000);
  expect(third.wallet.holds).toBe(0);
});
