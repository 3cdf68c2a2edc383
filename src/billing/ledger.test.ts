import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { forEachStore } from '../../test/stores.ts';
import { accounts } from '../accounts/accounts.ts';
import { systemClock } from '../core/clock.ts';
import type { Store } from '../store/store.ts';
import { balanceOf } from './balance.ts';
import { credits } from './credits.ts';
import { ledgerLines } from './ledger-lines.ts';
import { giveBack, takeLease } from './leases.ts';
import { beat, reap, registerProcess } from './processes.ts';
import { type Settlement, settle } from './settle.ts';
import { verifyLedger } from './verify.ts';

forEachStore(({ open }) => {
  let store: Store;
  let accountId: string;
  beforeEach(async () => {
    store = await open();
    accountId = (await accounts(store, systemClock).create({ name: 'ann', packageName: 'standard' })).id;
  });
  afterEach(async () => {
    expect((await verifyLedger(store)).checks.flatMap(({ violations }) => violations)).toEqual([]);
  });

  const ordered = (amount: bigint, reference: string) => ({ accountId, amount, reference, by: 'op', reason: 'test' });

  function charge(requestId: string, cost: bigint, more: Partial<Settlement> = {}): Settlement {
    const base = { requestId, accountId, keyId: 'key_1', processId: 'p1', held: cost, cost, priceVersion: 'p_1' };
    return { ...base, by: 'gateway', reason: 'request', at: 1, ...more };
  }

  const lease = (amount: bigint, processId = 'p1') =>
    store.transaction((tx) => takeLease(tx, { processId, accountId }, { needed: amount, wanted: amount }));
  const charged = (...settlements: Settlement[]) => store.transaction((tx) => settle(tx, settlements));
  const pockets = async () => {
    const { granted, toppedUp, reserved } = await balanceOf(store, accountId);
    return [granted, toppedUp, reserved];
  };

  test('the granted pocket is spent before the customer’s own money', async () => {
    await credits(store, systemClock).grant(ordered(10n, 'g'));
    await credits(store, systemClock).topUp(ordered(100n, 't'));
    await lease(50n);
    await charged(charge('r1', 4n), charge('r2', 20n));
    expect(await pockets()).toEqual([0n, 86n, 26n]);
    const lines = await ledgerLines(store, { accountId, limit: 10 });
    expect(lines.map(({ kind, amount }) => [kind, amount])).toContainEqual(['charge', -20n]);
  });

  test('ordering a movement twice under one reference moves money once', async () => {
    const book = credits(store, systemClock);
    expect(await book.topUp(ordered(100n, 'same'))).toEqual({ isNew: true });
    for (let i = 0; i < 50; i++) expect(await book.topUp(ordered(100n, 'same'))).toEqual({ isNew: false });
    expect(await pockets()).toEqual([0n, 100n, 0n]);
  });

  test('a correction cannot take more than there is', async () => {
    await credits(store, systemClock).topUp(ordered(100n, 't'));
    await lease(60n);
    await expect(credits(store, systemClock).adjust(ordered(-41n, 'r'))).rejects.toMatchObject({
      case: 'invalid-request',
    });
    await credits(store, systemClock).adjust(ordered(-40n, 'r'));
    expect(await pockets()).toEqual([0n, 60n, 60n]);
  });

  test('a request is charged once, however often it is settled', async () => {
    await credits(store, systemClock).topUp(ordered(100n, 't'));
    await lease(50n);
    await charged(charge('r', 7n), charge('r', 7n));
    await charged(charge('r', 7n));
    expect(await pockets()).toEqual([0n, 93n, 43n]);
  });

  test('what was set aside covers only its own request; more comes from what is available, the rest is a loss', async () => {
    await credits(store, systemClock).topUp(ordered(100n, 't'));
    await lease(90n);
    await charged(charge('r', 120n, { held: 20n }));
    expect(await pockets()).toEqual([0n, 70n, 70n]);
  });

  test('two processes cannot set the same money aside', async () => {
    await credits(store, systemClock).topUp(ordered(100n, 't'));
    const taken = await Promise.all(Array.from({ length: 40 }, (_, i) => lease(7n, `p${i % 2}`)));
    expect(taken.filter((amount) => amount === 7n)).toHaveLength(14);
    expect(await pockets()).toEqual([0n, 100n, 98n]);
  });

  test('what is given back is available again, and cannot be given back twice', async () => {
    await credits(store, systemClock).topUp(ordered(100n, 't'));
    await lease(100n);
    for (let i = 0; i < 3; i++) await store.transaction((tx) => giveBack(tx, { processId: 'p1', accountId }, 60n));
    expect(await pockets()).toEqual([0n, 100n, 0n]);
  });

  test('a dead process’s money goes back, and its requests are charged up to the last checkpoint', async () => {
    await credits(store, systemClock).topUp(ordered(100n, 't'));
    await registerProcess(store, 'p1');
    await lease(60n);
    const row = { request_id: 'r', process_id: 'p1', account_id: accountId, key_id: 'k', price_version: 'p_1' };
    await store.db
      .insertInto('open_charges')
      .values({ ...row, cost: 9n })
      .execute();
    expect(await reap(store, systemClock)).toBe(0);
    await store.db.updateTable('processes').set({ alive_until: 1 }).execute();
    expect(await reap(store, systemClock)).toBe(1);
    expect(await pockets()).toEqual([0n, 91n, 0n]);
    expect(await beat(store, 'p1')).toBe(false);
    // It was not dead after all: only what recovery did not know of is still due.
    await charged(charge('r', 15n));
    await charged(charge('r', 15n));
    expect(await pockets()).toEqual([0n, 85n, 0n]);
  });

  test('what is booked cannot be changed or removed', async () => {
    await credits(store, systemClock).topUp(ordered(100n, 't'));
    await expect(store.db.updateTable('entries').set({ amount: 1n }).execute()).rejects.toThrow('never changed');
    await expect(store.db.deleteFrom('transfers').execute()).rejects.toThrow('never changed');
  });

  test('whatever happens in whatever order, the ledger is sound and nobody is below the floor', async () => {
    await credits(store, systemClock).topUp(ordered(500n, 'start'));
    const processId = fc.constantFrom('p1', 'p2');
    const amount = fc.bigInt({ min: 1n, max: 120n });
    const step = fc.oneof(
      fc.record({ act: fc.constant('lease' as const), processId, amount }),
      fc.record({ act: fc.constant('back' as const), processId, amount }),
      fc.record({ act: fc.constant('charge' as const), processId, amount, held: amount, request: fc.nat(9) }),
      fc.record({ act: fc.constant('grant' as const), amount, reference: fc.nat(3) }),
      fc.record({ act: fc.constant('refund' as const), amount, reference: fc.nat(3) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        for (const each of steps) {
          if (each.act === 'lease') await lease(each.amount, each.processId);
          else if (each.act === 'back') {
            await store.transaction((tx) => giveBack(tx, { processId: each.processId, accountId }, each.amount));
          } else if (each.act === 'charge') {
            await charged(charge(`r${each.request}`, each.amount, { held: each.held, processId: each.processId }));
          } else if (each.act === 'grant') {
            await credits(store, systemClock).grant(ordered(each.amount, `g${each.reference}`));
          } else {
            const refund = credits(store, systemClock).adjust(ordered(-each.amount, `f${each.reference}`));
            await refund.catch((error: { case?: string }) => expect(error.case).toBe('invalid-request'));
          }
          expect((await verifyLedger(store)).isSound).toBe(true);
        }
      }),
      { numRuns: 40 },
    );
  });
});
