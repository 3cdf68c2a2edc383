import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { manualClock } from '../../../../test/clocks/manual-clock.ts';
import { lockWaits } from '../../../../test/stores/lock-waits.ts';
import { accept, refuse } from '../../../../test/stores/poison.ts';
import { storeBetween } from '../../../../test/stores/store-between.ts';
import { forEachStore } from '../../../../test/stores/stores.ts';
import { accounts } from '../../accounts/accounts.ts';
import { systemClock } from '../../../core/time/clock.ts';
import { engineOf } from '../../../platform/store/engine.ts';
import type { Store } from '../../../platform/store/store.ts';
import { balanceOf } from '../wallet/balance.ts';
import { credits } from '../ledger/credits.ts';
import { adjustLease } from '../wallet/leases.ts';
import { Membership } from './membership.ts';
import { reap, registerProcess } from './processes.ts';
import { DeadLetterCheckpoints } from './dead-letter-checkpoints.ts';
import { verifyLedger } from '../ledger/verify.ts';

forEachStore(({ open }) => {
  let store: Store;
  let accountId: string;
  let reported: unknown[];
  const clock = manualClock();
  const order = { amount: 1000n, reference: 't', by: 'op', reason: 'test' };
  const onError = (error: unknown) => void reported.push(error);
  const newReaper = () => new DeadLetterCheckpoints({ store, clock, onError });
  beforeEach(async () => {
    store = await open();
    reported = [];
    accountId = (await accounts(store, systemClock).create({ name: 'ann', packageName: 'standard' })).id;
    await credits(store, systemClock).topUp({ ...order, accountId });
  });
  afterEach(async () => {
    expect((await verifyLedger(store)).checks.flatMap(({ violations }) => violations)).toEqual([]);
  });

  /** Creates an expired process with a lease, and a checkpoint of 10 for each request. */
  async function createExpired(processId: string, requests: readonly string[], payer = accountId): Promise<void> {
    await registerProcess(store, processId);
    const wish = { leased: 0n, free: 0n, amounts: [100n], spare: 'give-back' } as const;
    await store.commit(adjustLease, { name: { processId, accountId: payer }, wish });
    const names = { process_id: processId, account_id: payer, key_id: 'k', price_version: 'p_1' };
    const rows = requests.map((request_id) => ({ request_id, ...names, cost: 10n, held: 10n, at: 1 }));
    await store.db.insertInto('open_charges').values(rows).execute();
    await store.db.updateTable('processes').set({ heartbeat_at: 1 }).where('id', '=', processId).execute();
  }

  const left = async () => {
    const { toppedUp, reserved } = await balanceOf(store, accountId);
    return [toppedUp, reserved];
  };
  const checkpoints = async () => {
    const rows = await store.db.selectFrom('open_charges').select('request_id').orderBy('request_id').execute();
    return rows.map(({ request_id: requestId }) => requestId);
  };
  const poison = { requestId: 'poison', name: 'DeadLetterCheckpoint' };

  test('a checkpoint that the store rejects blocks neither other checkpoints nor the reaper', async () => {
    await createExpired('p1', ['a', 'b', 'poison', 'c']);
    await createExpired('p2', ['d']);
    await refuse(store, 'transfers', 'reference', 'poison');
    const refused = newReaper();
    expect(await reap(store, clock, { refused })).toBe(2);
    expect([await left(), await checkpoints()]).toEqual([[960n, 10n], ['poison']]);
    expect([reported.length, refused.count]).toEqual([1, 1]);
    expect(reported).toMatchObject([{ ...poison, accountId, cost: '10' }]);
  });

  test('each process reports a rejected checkpoint once, and it is charged once when the store accepts it', async () => {
    await createExpired('p1', ['poison']);
    await refuse(store, 'transfers', 'reference', 'poison');
    const [one, other] = [newReaper(), newReaper()];
    for (let minute = 0; minute < 3; minute += 1) {
      for (const refused of [one, other]) await reap(store, clock, { refused });
      clock.advance(60_000);
    }
    expect([reported.length, one.count, other.count]).toEqual([2, 1, 1]);
    await accept(store, 'transfers');
    await Promise.all([one, other].map((refused) => reap(store, clock, { refused })));
    await Promise.all([one, other].map((refused) => reap(store, clock, { refused })));
    expect([await left(), await checkpoints()]).toEqual([[990n, 0n], []]);
    expect([reported.length, one.count, other.count]).toEqual([2, 0, 0]);
  });

  test('a rejected checkpoint is retried at most once a minute', async () => {
    await createExpired('p1', ['poison']);
    await refuse(store, 'transfers', 'reference', 'poison');
    const refused = newReaper();
    await reap(store, clock, { refused });
    await accept(store, 'transfers');
    clock.advance(59_000);
    await reap(store, clock, { refused });
    expect(await checkpoints()).toEqual(['poison']);
    clock.advance(1000);
    await reap(store, clock, { refused });
    expect([await checkpoints(), await left()]).toEqual([[], [990n, 0n]]);
  });

  test('a process that cannot be reaped does not block others, and none of its data is lost', async () => {
    const { id: bob } = await accounts(store, systemClock).create({ name: 'bob', packageName: 'standard' });
    await credits(store, systemClock).topUp({ ...order, accountId: bob, reference: 'b' });
    await createExpired('p0', ['x', 'y'], bob);
    await createExpired('p1', ['a']);
    await createExpired('p2', ['z'], bob);
    // The balance row has a smaller leased amount than the leases.
    const setLeased = (amount: bigint) =>
      store.db.updateTable('balances').set({ leased: amount }).where('account_id', '=', bob).execute();
    await setLeased(1n);
    const refused = newReaper();
    await expect(reap(store, clock, { refused })).rejects.toThrow();
    expect([await left(), await checkpoints()]).toEqual([
      [990n, 0n],
      ['x', 'y', 'z'],
    ]);
    await setLeased(200n);
    expect(await reap(store, clock, { refused })).toBe(2);
    expect([await checkpoints(), (await balanceOf(store, bob)).toppedUp]).toEqual([[], 970n]);
  });

  test('checkpoints that fail because the store is broken are not dead letters', async () => {
    await createExpired('p1', ['a', 'b']);
    await store.db.schema.alterTable('transfers').renameTo('away').execute();
    const refused = newReaper();
    await expect(reap(store, clock, { refused })).rejects.toThrow();
    await store.db.schema.alterTable('away').renameTo('transfers').execute();
    expect([reported, refused.count, (await checkpoints()).length]).toEqual([[], 0, 2]);
    expect(await reap(store, clock, { refused })).toBe(1);
    expect(await left()).toEqual([980n, 0n]);
  });

  test('only the unreadable checkpoint is kept as a dead letter', async () => {
    // A numeric column of PostgreSQL cannot hold text.
    if (engineOf(store.db) === 'postgres') return;
    await createExpired('p1', ['a', 'poison', 'b']);
    const cost = (text: unknown) =>
      sql`update open_charges set cost = ${text} where request_id = 'poison'`.execute(store.db);
    await cost('ten');
    const refused = newReaper();
    expect(await reap(store, clock, { refused })).toBe(1);
    expect([await left(), await checkpoints()]).toEqual([[980n, 10n], ['poison']]);
    expect(reported).toMatchObject([{ ...poison, cost: 'ten' }]);
    await cost(10);
    clock.advance(60_000);
    await reap(store, clock, { refused });
    expect([await left(), refused.count]).toEqual([[970n, 0n], 0]);
  });

  test('a rejected checkpoint keeps its part of the lease, and is charged in full although the rest is spent', async () => {
    await createExpired('p1', ['a', 'poison']);
    await refuse(store, 'transfers', 'reference', 'poison');
    const refused = newReaper();
    await reap(store, clock, { refused });
    expect(await left()).toEqual([990n, 10n]);
    await credits(store, systemClock).adjust({ ...order, accountId, amount: -980n, reference: 'spent' });
    await accept(store, 'transfers');
    clock.advance(60_000);
    await reap(store, clock, { refused });
    expect(await left()).toEqual([0n, 0n]);
    const charge = store.db.selectFrom('transfers').select('reason').where('reference', '=', 'poison');
    expect((await charge.executeTakeFirstOrThrow()).reason).not.toContain('not all of it');
  });

  test('a rejected checkpoint keeps at most its hold leased, and releases it once there is nothing to charge', async () => {
    await createExpired('p1', ['poison']);
    await store.db.updateTable('open_charges').set({ cost: 70n, held: 30n }).execute();
    await refuse(store, 'transfers', 'reference', 'poison');
    const refused = newReaper();
    await reap(store, clock, { refused });
    expect(await left()).toEqual([1000n, 30n]);
    // Its process had journaled that it cost nothing in the end.
    await store.db.deleteFrom('open_charges').execute();
    await reap(store, clock, { refused });
    expect(await left()).toEqual([1000n, 0n]);
    expect(await store.db.selectFrom('leases').selectAll().execute()).toEqual([]);
  });

  test('a process that was alive reclaims its checkpoint, and no other process charges it', async () => {
    await createExpired('p1', ['poison']);
    await refuse(store, 'transfers', 'reference', 'poison');
    const refused = newReaper();
    await store.db.updateTable('processes').set({ heartbeat_at: 1e15 }).where('id', '=', 'p1').execute();
    let ids = 0;
    const newId = () => ['p1', 'p2'][ids++] ?? 'none';
    const membership = new Membership({ store, clock, newId, running: () => ['poison'], onNewId: () => {}, refused });
    await store.db.updateTable('processes').set({ heartbeat_at: 1 }).where('id', '=', 'p1').execute();
    await reap(store, clock, { refused });
    expect(refused.count).toBe(1);
    await membership.sendHeartbeat();
    await accept(store, 'transfers');
    clock.advance(60_000);
    await reap(store, clock, { refused });
    expect([refused.count, await checkpoints(), await left()]).toEqual([0, ['poison'], [1000n, 0n]]);
  });

  test('a process reclaims its checkpoint even if the reply to its registration was lost', async () => {
    await createExpired('p1', ['poison']);
    await refuse(store, 'transfers', 'reference', 'poison');
    const refused = newReaper();
    let replies = 0;
    const lossyStore = storeBetween(store, async (work) => {
      const result = await work();
      replies += 1;
      if (replies === 1) throw new Error('the reply was lost');
      return result;
    });
    let ids = 0;
    const newId = () => ['p1', 'p2', 'p3'][ids++] ?? 'none';
    const membership = new Membership({
      store: lossyStore,
      clock,
      newId,
      running: () => ['poison'],
      onNewId: () => {},
      refused,
    });
    await reap(store, clock, { refused });
    await expect(membership.sendHeartbeat()).rejects.toThrow('the reply was lost');
    await membership.sendHeartbeat();
    expect(membership.processId).toBe('p3');
    // The id that it did not learn of expires.
    await store.db.updateTable('processes').set({ heartbeat_at: 1 }).where('id', '=', 'p2').execute();
    await accept(store, 'transfers');
    await reap(store, clock, { refused });
    expect([await checkpoints(), await left()]).toEqual([['poison'], [1000n, 0n]]);
  });

  test('a process that reclaims a checkpoint during its charge learns the charged amount', async () => {
    // The embedded store has one writer at a time.
    if (engineOf(store.db) === 'sqlite') return;
    await createExpired('p1', ['poison']);
    await refuse(store, 'transfers', 'reference', 'poison');
    const refused = newReaper();
    await reap(store, clock, { refused });
    await accept(store, 'transfers');
    clock.advance(60_000);
    let known: ReadonlyMap<string, bigint> | undefined;
    let ids = 0;
    const newId = () => ['p1', 'p2'][ids++] ?? 'none';
    const onNewId = (charged: ReadonlyMap<string, bigint>) => void (known = charged);
    const membership = new Membership({
      store,
      clock,
      newId,
      running: () => ['poison'],
      onNewId,
      refused: newReaper(),
    });
    const work = await store.transaction(async (tx) => {
      await sql`select 1 from balances for update`.execute(tx);
      const charging = refused.retry();
      await expect.poll(() => lockWaits(store), { message: 'the charge waits for the balance' }).toBe(1);
      let isReborn = false;
      const staying = membership.sendHeartbeat().then(() => (isReborn = true));
      const isWaiting = async () => isReborn || (await lockWaits(store)) === 2;
      await expect.poll(isWaiting, { message: 'the process has a new name, or waits for it' }).toBe(true);
      return [charging, staying];
    });
    await Promise.all(work);
    const { toppedUp } = await balanceOf(store, accountId);
    const isCharged = toppedUp === 990n;
    expect([known?.get('poison'), await checkpoints()]).toEqual(isCharged ? [10n, []] : [undefined, ['poison']]);
    expect(await left()).toEqual([toppedUp, 0n]);
  });
});
