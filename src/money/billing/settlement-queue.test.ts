import { beforeEach, describe, expect, test, vi } from 'vitest';
import { type ManualClock, manualClock } from '../../../test/clocks/manual-clock.ts';
import { testStores } from '../../../test/stores/stores.ts';
import { walletStage } from '../../../test/stores/wallets.ts';
import { accounts } from '../accounts/accounts.ts';
import { systemClock } from '../../core/time/clock.ts';
import type { Store } from '../../platform/store/store.ts';
import { credits } from './ledger/credits.ts';
import type { Journal } from './recovery/journal.ts';
import type { Settlement } from './ledger/charging.ts';
import { SettlementQueue } from './settlement-queue.ts';

const { open } = testStores('sqlite');
const parts = { clock: systemClock, onError: () => {}, isLeaseCertain: () => true };

const terms = {
  requestId: 'r',
  keyId: 'k',
  processId: 'p',
  held: 5n,
  cost: 5n,
  priceVersion: 'p_1',
  by: 'gateway',
  reason: 'request',
  at: 1,
} as const;

/** A store that commits nothing until it is back. */
function awayStore() {
  const { promise: back, resolve: comeBack } = Promise.withResolvers<void>();
  const commitTogether: Store['commit'] = async (job, input) => {
    await back;
    return store.commit(job, input);
  };
  return { store: { ...store, commitTogether }, comeBack };
}

const done = () => Promise.resolve();
const nothing = { bytes: 0, note: () => {}, sync: done, taken: () => {}, tidy: done, close: done };

function fullDisk(): Journal {
  const full = Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
  return { ...nothing, append: () => Promise.reject(full) };
}

/** Lets time pass second by second. Work that is due finishes before the next second. */
function passing(clock: ManualClock) {
  return async (seconds: number): Promise<void> => {
    await new Promise(setImmediate);
    for (let second = 0; second < seconds; second += 1) {
      clock.advance(1000);
      await new Promise(setImmediate);
    }
  };
}

let store: Store;
let charge: Settlement;
beforeEach(async () => {
  store = await open();
  const { id: accountId } = await accounts(store, systemClock).create({ name: 'ann', packageName: 'standard' });
  await credits(store, systemClock).topUp({ accountId, amount: 9n, reference: 't', by: 'op', reason: 'test' });
  charge = { ...terms, accountId };
});

test('the queue is stuck only while neither the store nor the disk accepts a charge', async () => {
  const { store: away, comeBack } = awayStore();
  const clock = manualClock();
  const errors: unknown[] = [];
  const queue = new SettlementQueue({
    ...parts,
    clock,
    store: away,
    journal: fullDisk,
    onError: (error) => errors.push(error),
  });
  let isSafe = false;
  const pushed = queue.push(charge).then(() => (isSafe = true));
  expect([queue.isStuck, queue.hasPendingOf(charge.accountId), queue.hasPendingOf('b')]).toEqual([false, true, false]);
  const pass = passing(clock);
  await pass(1);
  expect(queue.isStuck).toBe(false);
  await pass(1);
  expect(queue.isStuck).toBe(true);
  expect(errors).toMatchObject([{ code: 'ENOSPC' }]);
  expect(isSafe).toBe(false);
  comeBack();
  await pushed;
  expect([queue.isStuck, queue.hasPendingOf(charge.accountId)]).toEqual([false, false]);
  await queue.flush();
});

test('a request whose charge cannot be confirmed fails after a minute, and is charged all the same', async () => {
  const { store: away, comeBack } = awayStore();
  const clock = manualClock();
  const appended: unknown[] = [];
  const journal = (): Journal => ({ ...nothing, append: async (charges) => void appended.push(...charges) });
  const queue = new SettlementQueue({ ...parts, clock, store: away, journal, isLeaseCertain: () => false });
  const onRejected = vi.fn();
  const booked = vi.fn();
  queue.push(charge, booked).catch(onRejected);
  const pass = passing(clock);
  await pass(58);
  expect([onRejected.mock.calls, appended]).toEqual([[], []]);
  await pass(5);
  expect(onRejected).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ case: 'overloaded' }));
  expect(appended).toEqual([charge]);
  expect(queue.isStuck).toBe(false);
  comeBack();
  await queue.flush();
  expect(booked).toHaveBeenCalledOnce();
});

test('a disk that does not respond counts as full, and gets no further writes until it responds', async () => {
  const { store: away, comeBack } = awayStore();
  const clock = manualClock();
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
  let appends = 0;
  const append: Journal['append'] = () => {
    appends += 1;
    return answered;
  };
  const queue = new SettlementQueue({ ...parts, clock, store: away, journal: () => ({ ...nothing, append }) });
  const pass = passing(clock);
  let isSafe = false;
  const pushed = queue.push(charge).then(() => (isSafe = true));
  await pass(60);
  expect([queue.isStuck, isSafe, appends]).toEqual([true, false, 1]);
  answer();
  await pass(2);
  expect([queue.isStuck, isSafe, appends]).toEqual([false, true, 2]);
  comeBack();
  await pushed;
  await queue.flush();
});

test('the queue is not stuck while the disk accepts charges', async () => {
  const { store: away, comeBack } = awayStore();
  const kept: Settlement[] = [];
  const append: Journal['append'] = (settlements) => Promise.resolve(void kept.push(...settlements));
  const clock = manualClock();
  const queue = new SettlementQueue({ ...parts, clock, store: away, journal: () => ({ ...nothing, append }) });
  const pushed = queue.push(charge);
  await passing(clock)(2);
  await pushed;
  expect(kept).toEqual([charge]);
  expect([queue.isStuck, queue.hasPendingOf(charge.accountId)]).toEqual([false, true]);
  comeBack();
  await queue.flush();
  expect(queue.hasPendingOf(charge.accountId)).toBe(false);
});

test('a single charge is committed at once; a larger batch makes the next charges wait longer', async () => {
  const stage = await walletStage();
  const { clock, store: kept, accountId } = stage;
  const batches: number[] = [];
  const commitTogether: Store['commit'] = (job, input) => {
    batches.push((input as readonly Settlement[]).length);
    return kept.commit(job, input);
  };
  const journal = { ...nothing, append: () => Promise.resolve() };
  const queue = new SettlementQueue({ ...parts, clock, store: { ...kept, commitTogether }, journal: () => journal });
  let pushed = 0;
  const push = (count: number): Promise<unknown> =>
    Promise.all(
      Array.from({ length: count }, () => queue.push({ ...charge, accountId, requestId: `r${(pushed += 1)}` })),
    );
  /** How long the last of `count` simultaneous charges takes. */
  const took = (count: number) => clock.until(push(count));
  expect(await took(1)).toBe(0);
  await clock.advance(2);
  expect(await took(1)).toBe(0);
  expect(await took(1)).toBe(2);
  await clock.advance(2);
  expect(await took(5)).toBe(0);
  expect(await took(1)).toBe(10);
  await clock.advance(2);
  expect(await took(40)).toBe(0);
  expect(await took(3)).toBe(15);
  await clock.advance(6);
  expect(await took(1)).toBe(0);
  expect(batches.splice(0)).toEqual([1, 1, 1, 5, 1, 40, 3, 1]);
  // Full batches do not wait.
  await clock.advance(2);
  expect(await took(200)).toBe(0);
  expect(batches).toEqual([100, 100]);
  await stage.close();
});

test('a listener that throws does not block bookings', async () => {
  const errors: unknown[] = [];
  const queue = new SettlementQueue({
    ...parts,
    store,
    journal: () => ({ ...nothing, append: () => Promise.resolve() }),
    onError: (error) => errors.push(error),
    booked: () => {
      throw new Error('unexpected');
    },
  });
  await queue.push(charge);
  await queue.push({ ...charge, requestId: 'the next', cost: 1n, held: 1n });
  await queue.flush();
  expect(errors).toHaveLength(2);
});

test('charges are journaled before the commit, simultaneous ones in one write', async () => {
  const stage = await walletStage();
  const { clock } = stage;
  const { store: away, comeBack } = awayStore();
  const noted: string[][] = [];
  const journaledAtCommit: (readonly string[])[] = [];
  const commitTogether: Store['commit'] = (job, input) => {
    journaledAtCommit.push(noted.flat());
    return away.commitTogether(job, input);
  };
  const journal: Journal = {
    ...nothing,
    note: (settlements) => void noted.push(settlements.map(({ requestId }) => requestId)),
    append: () => Promise.resolve(),
  };
  const queue = new SettlementQueue({ ...parts, clock, store: { ...away, commitTogether }, journal: () => journal });
  const pushed = ['a', 'b'].map((requestId) => queue.push({ ...charge, requestId, cost: 1n }));
  await expect
    .poll(() => journaledAtCommit, { message: 'the store got the simultaneous charges in one batch' })
    .toEqual([['a', 'b']]);
  // The commit is still running: these are journaled before the next one.
  pushed.push(...['c', 'd'].map((requestId) => queue.push({ ...charge, requestId, cost: 1n })));
  await clock.advance(5);
  expect(noted).toEqual([
    ['a', 'b'],
    ['c', 'd'],
  ]);
  comeBack();
  await clock.until(Promise.all(pushed));
  await clock.until(queue.flush());
  expect(noted).toHaveLength(2);
  await stage.close();
});

describe('with a store on the same disk', () => {
  interface Faults {
    readonly journal?: Partial<Journal>;
    readonly isLeaseCertain?: () => boolean;
    /** The store commits nothing before this resolves. */
    readonly back?: Promise<void>;
  }

  async function queueOnDisk({ journal = {}, isLeaseCertain = () => true, back }: Faults = {}) {
    const stage = await walletStage();
    await stage.topUp(10_000n);
    const { clock, accountId } = stage;
    const batches: number[] = [];
    let syncs = 0;
    let caughtUp = (): Promise<void> | undefined => undefined;
    const commitTogether: Store['commit'] = async (job, input) => {
      batches.push((input as readonly Settlement[]).length);
      await back;
      return stage.store.commit(job, input);
    };
    const beforeReads: Store['beforeReads'] = (wait) => void (caughtUp = wait);
    const kept: Journal = { ...nothing, append: done, sync: async () => void (syncs += 1), ...journal };
    const onDisk = { ...stage.store, commitTogether, beforeReads };
    const queue = new SettlementQueue({ ...parts, clock, store: onDisk, journal: () => kept, isLeaseCertain });
    let pushed = 0;
    const push = (count: number): Promise<unknown> => {
      const charges = Array.from({ length: count }, () => ({ ...charge, accountId, requestId: `r${(pushed += 1)}` }));
      return Promise.all(charges.map((each) => queue.push(each)));
    };
    /** How long the last of `count` simultaneous charges takes. */
    const took = (count: number): Promise<number> => clock.until(push(count));
    const finish = async () => {
      await clock.until(queue.flush());
      await stage.close();
    };
    return { clock, queue, batches, push, took, finish, read: () => caughtUp(), syncs: () => syncs };
  }

  test('the journal acknowledges simultaneous charges, and the store gets them in one batch later', async () => {
    const { clock, queue, batches, took, finish, syncs } = await queueOnDisk();
    expect(await took(5)).toBe(0);
    expect(await took(4)).toBe(10);
    await clock.advance(69);
    expect([batches, syncs(), queue.pending]).toEqual([[], 2, 9]);
    await clock.advance(1);
    expect([batches, queue.pending]).toEqual([[9], 0]);
    // A single charge is committed to the store, as before.
    expect(await took(1)).toBe(0);
    expect([batches, syncs()]).toEqual([[9, 1], 2]);
    await finish();
  });

  test('frequent single charges share a commit without waiting for it', async () => {
    const { clock, batches, took, finish, syncs } = await queueOnDisk();
    for (let round = 0; round < 6; round += 1) {
      expect(await took(1)).toBe(0);
      await clock.advance(20);
    }
    // The queue cannot predict more charges after the first two.
    expect([batches, syncs()]).toEqual([[1, 1, 4], 4]);
    await finish();
  });

  test('rare charges are committed one by one', async () => {
    const { clock, batches, took, finish, syncs } = await queueOnDisk();
    for (let round = 0; round < 4; round += 1) {
      expect(await took(1)).toBe(0);
      await clock.advance(45);
    }
    expect([batches, syncs()]).toEqual([[1, 1, 1, 1], 0]);
    await finish();
  });

  test('a charge that arrives during a journal sync does not wait for the store', async () => {
    const { promise: synced, resolve: sync } = Promise.withResolvers<void>();
    const { clock, batches, push, took, finish } = await queueOnDisk({ journal: { sync: () => synced } });
    const first = push(3);
    await clock.advance(1);
    const late = took(1);
    sync();
    await first;
    expect(await late).toBeLessThanOrEqual(15);
    expect(batches).toEqual([]);
    await finish();
  });

  test('exclusive work does not wait for more charges', async () => {
    const { clock, queue, batches, took, finish } = await queueOnDisk();
    await took(5);
    expect(await clock.until(queue.runExclusive(done))).toBe(0);
    expect(batches).toEqual([5]);
    await finish();
  });

  test('under load the store has every charge within 100 ms', async () => {
    const { batches, took, finish, clock } = await queueOnDisk();
    for (let round = 0; round < 8; round += 1) await took(10);
    expect(batches).toEqual([70]);
    await took(99);
    expect(batches).toEqual([70, 100]);
    await clock.advance(80);
    expect(batches).toEqual([70, 100, 9]);
    await finish();
  });

  test('a read of the store sees all acknowledged charges', async () => {
    const { clock, batches, push, took, read, finish } = await queueOnDisk();
    const readNow = () => clock.until(read() ?? Promise.reject(new Error('nothing to wait for')));
    await took(5);
    expect(batches).toEqual([]);
    expect(await readNow()).toBe(0);
    expect([batches, read()]).toEqual([[5], undefined]);
    // A read does not wait for more charges, even if some arrive meanwhile.
    await took(5);
    const more = push(4);
    expect(await readNow()).toBe(0);
    expect(batches).toEqual([5, 9]);
    await more;
    await finish();
  });

  const rejected = () => Promise.reject(new Error('no space left on device'));
  const torn = () => {
    throw new Error('no space left on device');
  };
  test.each([
    ['cannot be synced', { journal: { sync: rejected } }],
    ['cannot be written', { journal: { note: torn } }],
    ['belongs to a process that may have expired', { isLeaseCertain: () => false }],
  ])('a journal that %s acknowledges nothing', async (_, faults) => {
    const { batches, took, finish } = await queueOnDisk(faults);
    await took(5);
    expect(batches).toEqual([5]);
    await finish();
  });

  test('a journal disk that does not respond delays charges once, for ten seconds', async () => {
    const { clock, batches, took, finish } = await queueOnDisk({ journal: { sync: () => new Promise(() => {}) } });
    expect(await took(5)).toBe(10_000);
    await clock.advance(15);
    expect(await took(5)).toBe(0);
    expect(batches).toEqual([5, 5]);
    await finish();
  });

  test('a disk that hangs while a journal is emptied delays charges once, for ten seconds', async () => {
    const taken: string[][] = [];
    let tidied = 0;
    const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
    const { clock, batches, took, finish } = await queueOnDisk({
      journal: {
        taken: (settlements) => {
          taken.push(settlements.map(({ requestId }) => requestId));
        },
        tidy: () => {
          tidied += 1;
          return answered;
        },
      },
    });
    expect(await took(1)).toBe(0);
    // The request ends after two seconds, as when the store hangs. Only the booking waits.
    expect(await took(1)).toBe(2000);
    await clock.advance(7999);
    expect(batches).toEqual([1]);
    await clock.advance(1);
    expect(batches).toEqual([1, 1]);
    expect(await took(1)).toBe(0);
    // Charges are marked as booked at once, so memory does not grow while the disk hangs.
    expect([batches, taken, tidied]).toEqual([[1, 1, 1], [['r1'], ['r2'], ['r3']], 1]);
    // The files of charges that arrived meanwhile are tidied when the disk responds.
    answer();
    await finish();
    expect(tidied).toBe(2);
  });

  test('the journal acknowledges new charges while a commit is in progress', async () => {
    const { promise: back, resolve: comeBack } = Promise.withResolvers<void>();
    const { clock, batches, took, finish } = await queueOnDisk({ back });
    const alone = took(1);
    await clock.advance(0);
    expect(await took(3)).toBeLessThanOrEqual(15);
    expect(batches).toEqual([1]);
    comeBack();
    await alone;
    await finish();
    expect(batches).toEqual([1, 3]);
  });
});
