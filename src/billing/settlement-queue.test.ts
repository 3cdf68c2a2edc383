import { expect, test } from 'vitest';
import { testStores } from '../../test/stores.ts';
import { systemClock } from '../core/clock.ts';
import type { Store } from '../store/store.ts';
import type { Journal } from './journal.ts';
import type { Settlement } from './settle.ts';
import { settlementQueue } from './settlement-queue.ts';

const { open } = testStores('sqlite');

const charge: Settlement = {
  requestId: 'r',
  accountId: 'a',
  keyId: 'k',
  processId: 'p',
  held: 5n,
  cost: 5n,
  priceVersion: 'p_1',
  by: 'gateway',
  reason: 'request',
  at: 1,
};

/** A store that takes nothing until it is back. */
function awayStore(store: Store) {
  const { promise: back, resolve: comeBack } = Promise.withResolvers<void>();
  const transaction: Store['transaction'] = async (work, options) => {
    await back;
    return store.transaction(work, options);
  };
  return { store: { ...store, transaction }, comeBack };
}

function fullDisk(): Journal {
  const full = Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
  return { append: () => Promise.reject(full), clear: () => Promise.resolve() };
}

test('it is stuck while neither the store nor the disk takes a charge, and not a moment longer', async () => {
  const { store, comeBack } = awayStore(await open());
  const heard: unknown[] = [];
  const queue = settlementQueue({
    store,
    clock: systemClock,
    journal: fullDisk(),
    onTrouble: (error) => heard.push(error),
  });
  let isSafe = false;
  const pushed = queue.push(charge).then(() => (isSafe = true));
  expect([queue.isStuck, queue.owes('a'), queue.owes('b')]).toEqual([false, true, false]);
  await expect.poll(() => queue.isStuck).toBe(true);
  expect(heard).toMatchObject([{ code: 'ENOSPC' }]);
  expect(isSafe).toBe(false);
  comeBack();
  await pushed;
  expect([queue.isStuck, queue.owes('a')]).toEqual([false, false]);
  await queue.flush();
});

test('it is not stuck while the disk takes what the store does not', async () => {
  const { store, comeBack } = awayStore(await open());
  const kept: Settlement[] = [];
  const journal: Journal = {
    append: (settlements) => Promise.resolve(void kept.push(...settlements)),
    clear: () => Promise.resolve(),
  };
  const queue = settlementQueue({ store, clock: systemClock, journal, onTrouble: () => {} });
  await queue.push(charge);
  expect(kept).toEqual([charge]);
  expect([queue.isStuck, queue.owes('a')]).toEqual([false, true]);
  comeBack();
  await queue.flush();
  expect(queue.owes('a')).toBe(false);
});
