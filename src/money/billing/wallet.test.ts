import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type ManualClock, manualClock } from '../../../test/clocks/manual-clock.ts';
import { storeBetween } from '../../../test/stores/store-between.ts';
import { addKey } from '../../../test/stores/wallets.ts';
import { forEachStore } from '../../../test/stores/stores.ts';
import { accounts } from '../accounts/accounts.ts';
import { type ChangeFeed, changeFeed } from '../../platform/cluster/change-feed.ts';
import { InvariantViolation } from 'chat-formats/assert.ts';
import { type Clock, systemClock, type Timer } from '../../core/time/clock.ts';
import type { GatewayError } from 'chat-formats/gateway-error.ts';
import { requestIds } from '../../core/request-id.ts';
import type { Store } from '../../platform/store/store.ts';
import { balanceOf } from './wallet/balance.ts';
import { credits } from './ledger/credits.ts';
import type { Hold } from './wallet/hold.ts';
import { journal } from './recovery/journal.ts';
import { bookJournals, replayJournals } from './recovery/journal-replay.ts';
import { reap } from './recovery/processes.ts';
import type { Settlement } from './ledger/charging.ts';
import { settleCharges } from './settle.ts';
import { verifyLedger } from './ledger/verify.ts';
import { type Wallet, wallet } from './wallet.ts';

/** A clock without deadlines, however slow the machine is: time stands still, and only delays under 1 s end. */
const frozenClock: Clock = {
  ...systemClock,
  elapsed: () => 0,
  after: (delayMs, work) => (delayMs < 1000 ? systemClock.after(delayMs, work) : endless),
  cancel: (timer) => void (timer !== endless && systemClock.cancel(timer)),
};
const endless: Timer = { unref: () => {} };
const noDeadline = { deadlineMs: Number.POSITIVE_INFINITY };

/** Lets time pass once for work that has begun. No time passes while the disk works after that. */
async function after<Result>(clock: ManualClock, durationMs: number, work: Promise<Result>): Promise<Result> {
  await nextTurn();
  clock.advance(durationMs);
  return work;
}

/** Lets time pass for a wallet whenever all its periodic tasks are idle: by its clock the store responds at once. */
async function passing(clock: ManualClock, isOver: () => boolean, message: string): Promise<void> {
  const step = (): boolean => {
    if (clock.pending === tasksOfWallet && !isOver()) clock.advance(2500);
    return clock.pending === tasksOfWallet && isOver();
  };
  await expect.poll(step, { message }).toBe(true);
}
const tasksOfWallet = 5;

forEachStore(({ open }) => {
  let directory: string;
  let store: Store;
  let accountId: string;
  let started: { wallet: Wallet; feed: ChangeFeed }[];
  const newId = requestIds(systemClock);
  const onError = (error: unknown) => {
    throw error;
  };

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'gateway-wallet-'));
    store = await open();
    started = [];
    accountId = (await accounts(store, systemClock).create({ name: 'ann', packageName: 'standard' })).id;
    await addKey(store, { id: 'key', accountId });
  });
  afterEach(async () => {
    for (const { wallet: each, feed } of started) {
      await each.stop();
      feed.stop();
    }
    expect((await verifyLedger(store)).checks.flatMap(({ violations }) => violations)).toEqual([]);
    expect((await balanceOf(store, accountId)).reserved).toBe(0n);
    await rm(directory, { recursive: true });
  });

  /** A separate process from the store's point of view. */
  async function newProcess(alarm: (error: unknown) => void = onError): Promise<Wallet> {
    const handle = await open();
    const feed = changeFeed(handle, { clock: systemClock, pollMs: 20 });
    const made = wallet({
      store: handle,
      clock: frozenClock,
      feed,
      newId,
      journal: (id) => journal(join(directory, 'journal'), id),
      onError: alarm,
    });
    feed.start();
    await made.start();
    started.push({ wallet: made, feed });
    return made;
  }

  const topUp = (amount: bigint) =>
    credits(store, systemClock).topUp({ accountId, amount, reference: 't', by: 'op', reason: 'test' });
  const nameOf = (requestId: string) => ({ requestId, accountId, keyId: 'key', priceVersion: 'p_1' });

  test('a hold for a warm account needs no store access', async () => {
    await topUp(1000n);
    const ownWallet = await newProcess();
    await ownWallet.hold(nameOf('cold'), 10n);
    const warm = ownWallet.hold(nameOf('warm'), 10n);
    expect(warm).not.toBeInstanceOf(Promise);
    for (const hold of [warm as Hold]) hold.void();
  });

  test('a hold for a warm key with a cap needs no store access', async () => {
    await topUp(1000n);
    const ownWallet = await newProcess();
    const limits = [{ scope: 'key', subjectId: 'key', amount: 100n }] as const;
    const capped = (requestId: string) => ({ ...nameOf(requestId), limits });
    await (await ownWallet.hold(capped('cold'), 10n)).post(4n);
    const warm = ownWallet.hold(capped('warm'), 50n);
    expect(warm).not.toBeInstanceOf(Promise);
    await expect(Promise.resolve(ownWallet.hold(capped('beyond'), 47n))).rejects.toThrow('This key has a spend cap of');
    for (const hold of [warm as Hold]) hold.void();
  });

  test('a charge is in the store when post resolves, and the unspent part serves the next request', async () => {
    await topUp(100n);
    const ownWallet = await newProcess();
    const hold = await ownWallet.hold(nameOf('r1'), 100n);
    await hold.post(30n);
    expect((await balanceOf(store, accountId)).toppedUp).toBe(70n);
    const next = await ownWallet.hold(nameOf('r2'), 70n);
    next.void();
    next.void();
    await hold.post(30n);
    expect((await balanceOf(store, accountId)).toppedUp).toBe(70n);
  });

  test('a hold that is posted again with another cost stays charged once, and the second post fails', async () => {
    await topUp(100n);
    const alarms: unknown[] = [];
    const ownWallet = await newProcess((error) => alarms.push(error));
    const hold = await ownWallet.hold(nameOf('r1'), 100n);
    await hold.post(30n);
    await hold.post(30n);
    expect(alarms).toEqual([]);
    const rule = new InvariantViolation('a hold is posted with one cost');
    await expect(hold.post(40n)).rejects.toThrow(rule);
    hold.void();
    const voided = await ownWallet.hold(nameOf('r2'), 10n);
    voided.void();
    await expect(voided.post(1n)).rejects.toThrow(rule);
    expect(alarms).toEqual([rule, rule]);
    expect((await balanceOf(store, accountId)).toppedUp).toBe(70n);
  });

  test('a hold cannot be posted with a negative cost, and stays open', async () => {
    await topUp(100n);
    const alarms: unknown[] = [];
    const ownWallet = await newProcess((error) => alarms.push(error));
    const hold = await ownWallet.hold(nameOf('r1'), 100n);
    await expect(hold.post(-1n)).rejects.toThrow('a charge is never negative');
    expect([alarms.length, ownWallet.holds]).toEqual([1, 1]);
    await hold.post(1n);
    expect((await balanceOf(store, accountId)).toppedUp).toBe(99n);
  });

  test('a hold above the balance is refused', async () => {
    await topUp(100n);
    const ownWallet = await newProcess();
    await expect(ownWallet.hold(nameOf('r'), 101n)).rejects.toMatchObject({ case: 'insufficient-balance' });
    const all = await ownWallet.hold(nameOf('s'), 100n);
    await expect(ownWallet.hold(nameOf('u'), 1n)).rejects.toMatchObject({ case: 'insufficient-balance' });
    all.void();
    (await ownWallet.hold(nameOf('v'), 100n)).void();
  });

  test('a paid request of an empty account is refused, a free one is not', async () => {
    const ownWallet = await newProcess();
    await expect(ownWallet.hold(nameOf('r'), 1n)).rejects.toMatchObject({ case: 'insufficient-balance' });
    const free = await ownWallet.hold(nameOf('f'), 0n);
    await free.post(0n);
  });

  test('two processes spending one balance of exactly N requests admit exactly N', async () => {
    const count = 40n;
    await topUp(count * 7n);
    const processes = [await newProcess(), await newProcess()];
    const attempts = Array.from({ length: 120 }, async (_, i) => {
      try {
        const hold = await processes[i % 2]!.hold(nameOf(`r${i}`), 7n, noDeadline);
        await hold.post(7n);
        return 1;
      } catch (error) {
        expect((error as GatewayError).case).toBe('insufficient-balance');
        return 0;
      }
    });
    const admitted = (await Promise.all(attempts)).reduce((sum: number, one) => sum + one, 0);
    expect(admitted).toBe(Number(count));
    expect((await balanceOf(store, accountId)).toppedUp).toBe(0n);
  });

  test('a key spends at most its cap, even if the account has more', async () => {
    await topUp(1000n);
    const ownWallet = await newProcess();
    const capped = async (wallet: Wallet, requestId: string, amount: bigint) =>
      wallet.hold(
        { ...nameOf(requestId), limits: [{ scope: 'key', subjectId: nameOf(requestId).keyId, amount: 100n }] },
        amount,
      );
    const first = await capped(ownWallet, 'a', 60n);
    await expect(capped(ownWallet, 'b', 60n)).rejects.toMatchObject({ case: 'key-cap-reached' });
    await first.post(30n);
    await (await capped(ownWallet, 'c', 70n)).post(70n);
    await expect(capped(ownWallet, 'd', 1n)).rejects.toMatchObject({ case: 'key-cap-reached' });
    const restarted = await newProcess();
    await expect(capped(restarted, 'e', 1n)).rejects.toMatchObject({ case: 'key-cap-reached' });
    (await restarted.hold(nameOf('f'), 1n)).void();
  });

  test('a process stops although the store is gone, and its charge is booked at the next start', async () => {
    await topUp(100n);
    const handle = await open();
    let isGone = false;
    const away = storeBetween(handle, (work) => (isGone ? new Promise(() => {}) : work()));
    const feed = changeFeed(handle, { clock: systemClock });
    const folder = join(directory, 'journal');
    const clock = manualClock();
    const parts = { clock, feed, newId, onError: () => {} };
    const doomed = wallet({ ...parts, store: away, journal: (id) => journal(folder, id) });
    await doomed.start();
    const hold = await doomed.hold(nameOf('late'), 50n);
    isGone = true;
    await after(clock, 2000, hold.post(30n));
    await after(clock, 5000, doomed.stop());
    expect((await balanceOf(store, accountId)).toppedUp).toBe(100n);
    const deal = (settlements: readonly Settlement[]) => store.commit(settleCharges, settlements);
    await replayJournals(folder, { deal, onError, alive: () => Promise.resolve([]) });
    expect((await balanceOf(store, accountId)).toppedUp).toBe(70n);
    await store.db.updateTable('processes').set({ heartbeat_at: 1 }).execute();
    expect(await reap(store, systemClock)).toBe(1);
  });

  /** Processes with journals in one folder: a store that one of them loses, and a replay that books its journal. */
  async function sharedJournals() {
    const handle = await open();
    const folder = join(directory, 'journal');
    const lost = { isGone: false };
    const away = storeBetween(handle, (work) => (lost.isGone ? new Promise(() => {}) : work()));
    const feed = changeFeed(handle, { clock: systemClock });
    const write = (id: string) => journal(folder, id);
    const clock = manualClock();
    const parts = { clock, feed, newId, onError: () => {}, journal: write };
    const deal = (settlements: readonly Settlement[]) => store.commit(settleCharges, settlements);
    /** The leased amount at each replay. */
    const reserved: bigint[] = [];
    const replay = async () => {
      reserved.push((await balanceOf(store, accountId)).reserved);
      await bookJournals(folder, { deal, onError });
    };
    return { handle, folder, lost, away, clock, parts, reserved, replay };
  }

  test('journaled charges of an expired process are booked before its lease is returned', async () => {
    await topUp(100n);
    const { handle, lost, away, folder, clock, parts, reserved, replay } = await sharedJournals();
    const doomed = wallet({ ...parts, store: away });
    await doomed.start();
    const hold = await doomed.hold(nameOf('journaled'), 50n);
    lost.isGone = true;
    await after(clock, 2000, hold.post(30n));
    await store.db.updateTable('processes').set({ heartbeat_at: 1 }).execute();
    const othersClock = manualClock();
    const other = wallet({ ...parts, clock: othersClock, store: handle, replay });
    await other.start();
    await passing(othersClock, () => reserved.length > 0, 'the other process books the journaled charge');
    expect(reserved).toEqual([50n]);
    expect(await balanceOf(store, accountId)).toMatchObject({ toppedUp: 70n, reserved: 0n });
    // A process that expired by mistake still writes to its files.
    expect(await readdir(folder)).toHaveLength(1);
    await other.stop();
    await after(clock, 5000, doomed.stop());
  });

  test('a process that needs money gets the unused lease of a peer', async () => {
    await topUp(100n);
    const [rich, poor] = [await newProcess(), await newProcess()];
    (await rich.hold(nameOf('r'), 10n)).void();
    expect((await balanceOf(store, accountId)).reserved).toBe(90n);
    (await poor.hold(nameOf('p'), 95n, noDeadline)).void();
  });

  test('a process that reaps a peer while it stops books the peer’s journal first', async () => {
    await topUp(100n);
    const { handle, lost, away, clock, parts, reserved, replay } = await sharedJournals();
    const othersClock = manualClock();
    const other = wallet({ ...parts, clock: othersClock, store: handle, replay });
    await other.start();
    // After this time it may reap others.
    await passing(othersClock, () => othersClock.elapsed() > 12_000, 'twelve seconds of periodic tasks are over');
    const doomed = wallet({ ...parts, store: away });
    await doomed.start();
    const hold = await doomed.hold(nameOf('journaled'), 50n);
    lost.isGone = true;
    await after(clock, 2000, hold.post(30n));
    const { processId } = doomed;
    await store.db.updateTable('processes').set({ heartbeat_at: 1 }).where('id', '=', processId).execute();
    await other.stop();
    expect(reserved).toEqual([50n]);
    expect(await balanceOf(store, accountId)).toMatchObject({ toppedUp: 70n, reserved: 0n });
    await after(clock, 5000, doomed.stop());
  });
});
