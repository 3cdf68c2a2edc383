import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { manualClock } from '../../../../test/clocks/manual-clock.ts';
import { accept, refuse } from '../../../../test/stores/poison.ts';
import { forEachStore } from '../../../../test/stores/stores.ts';
import { accounts } from '../../accounts/accounts.ts';
import { systemClock } from '../../../core/time/clock.ts';
import type { Store } from '../../../platform/store/store.ts';
import { balanceOf } from '../wallet/balance.ts';
import type { Settlement } from '../ledger/charging.ts';
import { credits } from '../ledger/credits.ts';
import { type Journal, journal } from './journal.ts';
import { replayJournals } from './journal-replay.ts';
import { settleCharges } from '../settle.ts';
import { SettlementQueue } from '../settlement-queue.ts';
import { verifyLedger } from '../ledger/verify.ts';

forEachStore(({ open }) => {
  let folder: string;
  let store: Store;
  let accountId: string;
  let errors: unknown[];
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gateway-refused-'));
    store = await open();
    errors = [];
    accountId = (await accounts(store, systemClock).create({ name: 'ann', packageName: 'standard' })).id;
    await credits(store, systemClock).topUp({ accountId, amount: 1000n, reference: 't', by: 'op', reason: 'test' });
  });
  afterEach(async () => {
    expect((await verifyLedger(store)).checks.flatMap(({ violations }) => violations)).toEqual([]);
    await rm(folder, { recursive: true });
  });

  const onError = (error: unknown) => void errors.push(error);
  const refusals = () => errors.filter((error) => error instanceof Error && error.name === 'DeadLetterCharge');
  const left = async () => (await balanceOf(store, accountId)).toppedUp;

  function charge(requestId: string): Settlement {
    const name = { requestId, accountId, keyId: 'key', processId: 'p', priceVersion: 'p_1' };
    return { ...name, held: 10n, cost: 10n, by: 'gateway', reason: 'request', at: 1 };
  }

  function newQueue() {
    const clock = manualClock();
    const file = journal(folder, 'p');
    let underWay = 0;
    const counted = <Result>(work: Promise<Result>): Promise<Result> => {
      underWay += 1;
      return work.finally(() => (underWay -= 1));
    };
    const watchedFile: Journal = {
      get bytes() {
        return file.bytes;
      },
      note: (settlements) => file.note(settlements),
      append: (settlements) => counted(file.append(settlements)),
      sync: () => counted(file.sync()),
      taken: (settlements) => file.taken(settlements),
      tidy: () => counted(file.tidy()),
      close: () => file.close(),
    };
    const watched: Store = Object.create(store, {
      commit: { value: ((job, input) => counted(store.commit(job, input))) satisfies Store['commit'] },
      commitTogether: { value: ((job, input) => counted(store.commitTogether(job, input))) satisfies Store['commit'] },
    });
    const parts = { store: watched, clock, journal: () => watchedFile, isLeaseCertain: () => true, onError };
    const queue = new SettlementQueue(parts);
    /** Waits until the store and the disk have finished. From then on only the clock causes work. */
    const quiet = async (): Promise<void> => {
      await expect.poll(() => underWay, { message: 'the store and the disk have answered' }).toBe(0);
    };
    /** Lets time pass, but not while the store or the disk works: neither is slow by this clock. */
    const until = async (isOver: () => boolean): Promise<void> => {
      while (!isOver()) {
        if (underWay === 0) clock.advance(10);
        await new Promise(setImmediate);
      }
    };
    const done = async (work: Promise<unknown>): Promise<void> => {
      let isOver = false;
      const over = () => (isOver = true);
      work.then(over, over);
      await until(() => isOver);
      await work;
    };
    return { clock, file, queue, until, done, quiet };
  }

  const all = ['a', 'b', 'poison', 'c', 'd'];

  test('a charge that the store rejects does not block others, is reported once and is not lost', async () => {
    await refuse(store, 'transfers', 'reference', 'poison');
    const { file, queue, done } = newQueue();
    await done(Promise.all(all.map((each) => queue.push(charge(each)))));
    await done(queue.push(charge('later')));
    await done(queue.flush());
    expect(await left()).toBe(950n);
    expect(refusals()).toMatchObject([{ settlement: charge('poison') }]);
    expect([queue.pending, queue.hasPendingOf(accountId)]).toEqual([1, true]);
    await file.close();
    const deal = (settlements: readonly Settlement[]) => store.commit(settleCharges, settlements);
    const start = () => replayJournals(folder, { deal, onError, alive: () => Promise.resolve([]) });
    await start();
    expect([await left(), refusals().length]).toEqual([950n, 2]);
    await accept(store, 'transfers');
    await start();
    expect(await left()).toBe(940n);
    expect(await readdir(folder)).toEqual([]);
  });

  test('a charge that the store accepts later is booked once, without a restart', async () => {
    await refuse(store, 'transfers', 'reference', 'poison');
    const { clock, file, queue, until, done } = newQueue();
    let booked = 0;
    await done(queue.push(charge('poison'), () => (booked += 1)));
    await until(() => refusals().length > 0);
    clock.advance(60_000);
    await until(() => queue.pending === 1 && errors.length > 5);
    expect([booked, refusals().length]).toEqual([0, 1]);
    await accept(store, 'transfers');
    await until(() => booked > 0);
    await done(queue.flush());
    expect([booked, queue.pending, await left()]).toEqual([1, 0, 990n]);
    await file.close();
    expect(await readdir(folder)).toEqual([]);
  });

  test('charges that fail because the store is broken are not dead letters', async () => {
    await store.db.schema.alterTable('leases').renameTo('away').execute();
    const { queue, until, done, quiet } = newQueue();
    const pushed = Promise.all(all.map((each) => queue.push(charge(each))));
    await until(() => errors.length > 8);
    await quiet();
    await store.db.schema.alterTable('away').renameTo('leases').execute();
    await done(pushed);
    await done(queue.flush());
    expect([refusals(), await left()]).toEqual([[], 950n]);
  });
});
