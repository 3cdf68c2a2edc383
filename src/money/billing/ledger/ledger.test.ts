import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { isDeep } from '../../../../test/depth.ts';
import { forEachStore } from '../../../../test/stores/stores.ts';
import { accounts } from '../../accounts/accounts.ts';
import { systemClock } from '../../../core/time/clock.ts';
import { runWithin } from '../../../platform/store/run-tasks.ts';
import type { Store } from '../../../platform/store/store.ts';
import { balanceOf } from '../wallet/balance.ts';
import { book } from './book.ts';
import { credits } from './credits.ts';
import { ledgerLines } from './ledger-lines.ts';
import { adjustLease, type LeaseRequest } from '../wallet/leases.ts';
import { heartbeat, reap, registerProcess } from '../recovery/processes.ts';
import type { Settlement } from './charging.ts';
import { settleCharges } from '../settle.ts';
import { verifyLedger } from './verify.ts';

forEachStore(({ open }) => {
  let store: Store;
  let accountId: string;
  beforeEach(async () => {
    store = await open();
    accountId = (await accounts(store, systemClock).create({ name: 'ann', packageName: 'standard' })).id;
    for (const id of ['p0', 'p1', 'p2']) await registerProcess(store, id);
  });
  afterEach(async () => {
    expect((await verifyLedger(store)).checks.flatMap(({ violations }) => violations)).toEqual([]);
  });

  const ordered = (amount: bigint, reference: string) => ({ accountId, amount, reference, by: 'op', reason: 'test' });

  function charge(requestId: string, cost: bigint, more: Partial<Settlement> = {}): Settlement {
    const base = { requestId, accountId, keyId: 'key_1', processId: 'p1', held: cost, cost, priceVersion: 'p_1' };
    return { ...base, by: 'gateway', reason: 'request', at: 1, ...more };
  }

  /**
   * Exchanges with the store as a process does that knows its lease and holds all of it, unless `wish` overrides it.
   */
  const adjust = (processId: string, wish: Partial<LeaseRequest>) =>
    store.transaction(async (tx) => {
      const own = tx.selectFrom('leases').select('amount').where('process_id', '=', processId);
      const leased = BigInt((await own.where('account_id', '=', accountId).executeTakeFirst())?.amount ?? 0);
      const nothing = { leased, free: 0n, amounts: [], spare: 'give-back' } as const;
      return runWithin(tx, adjustLease, { name: { processId, accountId }, wish: { ...nothing, ...wish } });
    });
  const lease = async (amount: bigint, processId = 'p1') => (await adjust(processId, { amounts: [amount] }))?.free;
  const giveBack = (amount: bigint, processId = 'p1') => adjust(processId, { free: amount });
  const charged = (...settlements: Settlement[]) => store.commit(settleCharges, settlements);
  const losses = async () => {
    const rows = await store.db.selectFrom('entries').select('amount').where('account', '=', 'loss').execute();
    return rows.reduce((sum, { amount }) => sum - BigInt(amount), 0n);
  };
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

  test('a charge with a negative cost is not booked, and the others of its batch are', async () => {
    await credits(store, systemClock).topUp(ordered(100n, 't'));
    await lease(50n);
    const { broken } = await charged(charge('r1', -4n), charge('r2', 20n));
    expect([...broken]).toEqual([['r1', 'a charge is never negative']]);
    expect(await pockets()).toEqual([0n, 80n, 30n]);
  });

  test('ordering a movement twice under one reference moves the money once', async () => {
    const book = credits(store, systemClock);
    expect(await book.topUp(ordered(100n, 'same'))).toEqual({ isNew: true });
    for (let i = 0; i < 50; i++) expect(await book.topUp(ordered(100n, 'same'))).toEqual({ isNew: false });
    expect(await pockets()).toEqual([0n, 100n, 0n]);
  });

  test('a correction cannot take more than is available', async () => {
    await credits(store, systemClock).topUp(ordered(100n, 't'));
    await lease(60n);
    await expect(credits(store, systemClock).adjust(ordered(-41n, 'r'))).rejects.toMatchObject({
      case: 'invalid-request',
    });
    await credits(store, systemClock).adjust(ordered(-40n, 'r'));
    expect(await pockets()).toEqual([0n, 60n, 60n]);
  });

  test('a correction takes from the granted pocket first, as a charge does, and neither pocket becomes negative', async () => {
    const book = credits(store, systemClock);
    await book.grant(ordered(20n, 'g'));
    await book.topUp(ordered(5n, 't'));
    await book.adjust(ordered(-15n, 'a'));
    expect(await pockets()).toEqual([5n, 5n, 0n]);
    await book.adjust(ordered(-10n, 'b'));
    expect(await pockets()).toEqual([0n, 0n, 0n]);
    await book.adjust(ordered(3n, 'c'));
    expect(await pockets()).toEqual([0n, 3n, 0n]);
  });

  test('a request is charged once, however often it is settled', async () => {
    await credits(store, systemClock).topUp(ordered(100n, 't'));
    await lease(50n);
    await charged(charge('r', 7n), charge('r', 7n));
    await charged(charge('r', 7n));
    expect(await pockets()).toEqual([0n, 93n, 43n]);
  });

  test('an overcharge by recovery is refunded once, to the pockets it came from', async () => {
    await credits(store, systemClock).grant(ordered(10n, 'g'));
    await credits(store, systemClock).topUp(ordered(90n, 't'));
    await charged(charge('r', 20n, { held: 50n, by: 'recovery' }));
    expect(await pockets()).toEqual([0n, 80n, 0n]);
    for (let times = 0; times < 2; times += 1) {
      expect((await charged(charge('r', 4n, { held: 50n }))).short.size).toBe(0);
      expect(await pockets()).toEqual([6n, 90n, 0n]);
    }
    const { spent } = await store.db.selectFrom('key_spend').select('spent').executeTakeFirstOrThrow();
    expect(Number(spent)).toBe(4);
  });

  test('a lease covers only the hold of a request; the excess comes from the available balance, the rest is a loss', async () => {
    await credits(store, systemClock).topUp(ordered(100n, 't'));
    await lease(90n);
    await charged(charge('r', 120n, { held: 20n }));
    expect(await pockets()).toEqual([0n, 70n, 70n]);
  });

  test('the cost above the hold is a loss too for an account without any movement', async () => {
    await charged(charge('r', 12n, { held: 0n }));
    expect([await losses(), await pockets()]).toEqual([12n, [0n, 0n, 0n]]);
    await charged(charge('r', 12n, { held: 0n }));
    expect(await losses()).toBe(12n);
  });

  test('two processes cannot lease the same money', async () => {
    await credits(store, systemClock).topUp(ordered(100n, 't'));
    const taken: unknown[] = [];
    const takeAll = async (processId: string) => {
      for (let i = 0; i < 20; i++) taken.push(await lease(7n, processId));
    };
    await Promise.all(['p1', 'p2'].map(takeAll));
    expect(taken.filter((amount) => amount === 7n)).toHaveLength(14);
    expect(await pockets()).toEqual([0n, 100n, 98n]);
  });

  test('returned money is available again; a process cannot return more than its lease', async () => {
    await credits(store, systemClock).topUp(ordered(100n, 't'));
    await lease(100n);
    await giveBack(60n);
    expect(await pockets()).toEqual([0n, 100n, 40n]);
    await expect(giveBack(60n)).rejects.toThrow('a lease is never negative');
    expect(await pockets()).toEqual([0n, 100n, 40n]);
  });

  test('a lease serves as many requests as possible, in order; a smaller one passes one that cannot be paid', async () => {
    await credits(store, systemClock).topUp(ordered(100n, 't'));
    const outcome = await adjust('p1', { amounts: [60n, 50n, 30n, 20n, 10n], spare: 'keep' });
    expect(outcome).toMatchObject({
      isPaid: [true, false, true, false, true],
      free: 100n,
      available: 0n,
      elsewhere: 0n,
    });
  });

  test('a lease has headroom if the balance allows it, and otherwise exactly the needed amount', async () => {
    await credits(store, systemClock).topUp(ordered(100n, 't'));
    expect(await adjust('p1', { amounts: [5n, 5n], spare: 'keep' })).toMatchObject({ free: 50n, available: 50n });
    expect(await adjust('p2', { amounts: [10n], spare: 'keep' })).toMatchObject({ free: 10n, available: 40n });
  });

  test('unused money is returned if a request cannot be paid and other processes have leases', async () => {
    await credits(store, systemClock).topUp(ordered(100n, 't'));
    await lease(40n, 'p1');
    await lease(40n, 'p2');
    const outcome = await adjust('p1', { free: 40n, amounts: [70n, 5n], spare: 'keep' });
    expect(outcome).toMatchObject({ isPaid: [false, true], leased: 5n, free: 5n, available: 55n, elsewhere: 40n });
    expect(await pockets()).toEqual([0n, 100n, 45n]);
  });

  test('a lease whose reply was lost is found and used', async () => {
    await credits(store, systemClock).topUp(ordered(100n, 't'));
    await lease(70n);
    const outcome = await adjust('p1', { leased: 20n, amounts: [60n], spare: 'keep' });
    expect(outcome).toMatchObject({ isPaid: [true], leased: 80n, free: 60n, available: 20n });
  });

  test('an expired process leases nothing', async () => {
    await credits(store, systemClock).topUp(ordered(100n, 't'));
    expect(await lease(10n, 'unknown')).toBeUndefined();
    expect(await pockets()).toEqual([0n, 100n, 0n]);
  });

  test('a charge whose lease was returned takes what the balance covers, and the rest is not a loss', async () => {
    await credits(store, systemClock).topUp(ordered(100n, 't'));
    await lease(90n, 'p2');
    const settled = await charged(charge('r', 50n, { held: 60n }));
    expect(settled.short).toEqual(new Map([['r', 40n]]));
    expect(await pockets()).toEqual([0n, 90n, 90n]);
    // A caller whose reply was lost settles again.
    expect((await charged(charge('r', 50n, { held: 60n }))).short).toEqual(settled.short);
    expect(await losses()).toBe(0n);
  });

  test('only the cost above the hold is a loss', async () => {
    await credits(store, systemClock).topUp(ordered(100n, 't'));
    await lease(80n);
    await lease(20n, 'p2');
    expect((await charged(charge('r', 110n, { held: 80n }))).short).toEqual(new Map());
    expect(await pockets()).toEqual([0n, 20n, 20n]);
    expect(await losses()).toBe(30n);
  });

  test('only the cost above the hold is a loss if recovery charged the request before', async () => {
    await credits(store, systemClock).topUp(ordered(100n, 't'));
    await charged(charge('r', 10n, { held: 20n, by: 'recovery' }));
    await charged(charge('r', 150n, { held: 20n }));
    expect(await pockets()).toEqual([0n, 0n, 0n]);
    expect(await losses()).toBe(50n);
    expect((await verifyLedger(store)).isSound).toBe(true);
  });

  test('a loss that recovery booked is not booked again', async () => {
    await credits(store, systemClock).topUp(ordered(100n, 't'));
    await charged(charge('r', 120n, { held: 20n, by: 'recovery' }));
    await credits(store, systemClock).topUp(ordered(10n, 'later'));
    await charged(charge('r', 150n, { held: 20n }));
    expect(await pockets()).toEqual([0n, 0n, 0n]);
    expect(await losses()).toBe(20n);
  });

  test('the verification finds a loss without an excess, and one without a hold', async () => {
    await credits(store, systemClock).topUp(ordered(100n, 't'));
    const entries = new Map([
      ['loss', -5n],
      ['revenue', 5n],
    ]);
    const booking = { accountId, by: 'gateway', reason: 'request', at: 1, entries } as const;
    const wrong = [
      { ...booking, reference: 'a', kind: 'charge', held: 1n },
      { ...booking, reference: 'b', kind: 'charge-rest', held: 1n },
      { ...booking, reference: 'c', kind: 'charge', held: 0n },
      { ...booking, reference: 'd', kind: 'charge' },
      { ...booking, reference: 'e', kind: 'adjust', held: 0n },
    ] as const;
    const rolledBack = store.transaction(async (tx) => {
      await book(tx, wrong);
      const { checks } = await verifyLedger({ transaction: (work) => work(tx) });
      throw new Error(checks.flatMap(({ violations }) => violations).join('; '));
    });
    await expect(rolledBack).rejects.toThrow(/^a charge -5; b charge-rest -5; d charge -5; e adjust -5$/);
  });

  test('the lease of an expired process is returned, and its requests are charged up to the last checkpoint', async () => {
    await credits(store, systemClock).topUp(ordered(100n, 't'));
    await lease(60n);
    const row = { request_id: 'r', process_id: 'p1', account_id: accountId, key_id: 'k', price_version: 'p_1' };
    await store.db
      .insertInto('open_charges')
      .values({ ...row, cost: 9n, held: 9n, at: 1 })
      .execute();
    expect(await reap(store, systemClock)).toBe(0);
    await store.db.updateTable('processes').set({ heartbeat_at: 1 }).where('id', '=', 'p1').execute();
    expect(await reap(store, systemClock)).toBe(1);
    expect(await pockets()).toEqual([0n, 91n, 0n]);
    expect(await heartbeat(store, 'p1')).toBeUndefined();
    // The process was alive: only the cost since the checkpoint is still due.
    await charged(charge('r', 15n));
    await charged(charge('r', 15n));
    expect(await pockets()).toEqual([0n, 85n, 0n]);
  });

  test('a heartbeat in the future is reset, so that its process expires one TTL from now', async () => {
    const hourMs = 3_600_000;
    const ahead = { heartbeat_at: systemClock.now() + hourMs };
    await store.db.updateTable('processes').set(ahead).where('id', '=', 'p1').execute();
    const heartbeats = async () =>
      (await store.db.selectFrom('processes').select('heartbeat_at').execute()).map(Object.values);
    expect(await reap(store, systemClock)).toBe(0);
    expect(Math.max(...(await heartbeats()).flat())).toBeLessThan(systemClock.now() + hourMs / 2);
    expect(await heartbeat(store, 'p1')).toBeDefined();
  });

  test('bookings cannot be changed or deleted', async () => {
    await credits(store, systemClock).topUp(ordered(100n, 't'));
    await expect(store.db.updateTable('entries').set({ amount: 1n }).execute()).rejects.toThrow('never changed');
    await expect(store.db.deleteFrom('transfers').execute()).rejects.toThrow('never changed');
  });

  test('in any order of operations the ledger is sound and no account is below its floor', async () => {
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
            await giveBack(each.amount, each.processId).catch((error: Error) => {
              expect(error.message).toBe('a lease is never negative');
            });
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
      { numRuns: isDeep ? 40 : 12 },
    );
  });
});
