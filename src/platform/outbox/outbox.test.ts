import { createSecretKey } from 'node:crypto';
import { expect, test } from 'vitest';
import { manualClock } from '../../../test/clocks/manual-clock.ts';
import { storeBetween } from '../../../test/stores/store-between.ts';
import { forEachStore } from '../../../test/stores/stores.ts';
import { accounts } from '../../money/accounts/accounts.ts';
import { createKey, keys, rotateKey } from '../../money/accounts/keys.ts';
import { credits } from '../../money/billing/ledger/credits.ts';
import { setLowBalance } from '../../money/billing/ledger/low-balance-threshold.ts';
import { reverse } from '../../money/billing/ledger/reversals.ts';
import { settleCharges } from '../../money/billing/settle.ts';
import type { Store } from '../store/store.ts';
import { AlertStateWriter } from '../../operate/notifications/alerts/alert-state-writer.ts';
import { setAlertState, clearAlertState } from './alert-state.ts';

const clock = manualClock();
const pepper = createSecretKey(Buffer.alloc(32, 3));

async function kindsIn(store: Store): Promise<readonly string[]> {
  const rows = await store.db.selectFrom('events').select(['kind', 'data']).orderBy('at').execute();
  return rows.map(({ kind }) => kind).toSorted();
}

function charge(accountId: string, cost: bigint, requestId: string) {
  const money = { cost, held: cost, priceVersion: 'v1', reason: 'tokens', by: 'gateway' } as const;
  return { requestId, processId: 'p1', accountId, keyId: 'key_1', at: clock.now(), ...money };
}

forEachStore(({ open }) => {
  async function begin() {
    const store = await open();
    const { id } = await accounts(store, clock).create({ name: 'ann', packageName: 'standard' });
    const order = { accountId: id, reference: 'one', by: 'test', reason: 'paid' };
    return { store, id, order, money: credits(store, clock) };
  }

  test('a credit is recorded once, in its transaction; one that changes nothing is not recorded', async () => {
    const { store, order, money } = await begin();
    await money.topUp({ ...order, amount: 10n });
    await money.topUp({ ...order, amount: 10n });
    await money.adjust({ ...order, reference: 'less', amount: -4n });
    await expect(money.adjust({ ...order, reference: 'too much', amount: -40n })).rejects.toThrow();
    expect(await kindsIn(store)).toEqual(['credit.added']);
  });

  test('a low balance is recorded once each time the balance crosses its threshold', async () => {
    const { store, id, order, money } = await begin();
    await setLowBalance(store.db, id, 5n);
    await money.topUp({ ...order, amount: 10n });
    const low = async () => (await kindsIn(store)).filter((kind) => kind === 'balance.low').length;
    await store.commit(settleCharges, [charge(id, 3n, 'r1')]);
    expect(await low()).toBe(0);
    await store.commit(settleCharges, [charge(id, 1n, 'r2'), charge(id, 1n, 'r3')]);
    expect(await low()).toBe(1);
    await store.commit(settleCharges, [charge(id, 1n, 'r3'), charge(id, 1n, 'r4')]);
    expect(await low()).toBe(1);
    await money.topUp({ ...order, reference: 'two', amount: 10n });
    await money.adjust({ ...order, reference: 'three', amount: -12n });
    expect(await low()).toBe(2);
    const { data } = await store.db
      .selectFrom('events')
      .select('data')
      .where('kind', '=', 'balance.low')
      .orderBy('data')
      .executeTakeFirstOrThrow();
    expect(JSON.parse(data)).toEqual({ balance: '0.000000002', threshold: '0.000000005' });
  });

  test('a reversal that crosses the threshold records a low balance', async () => {
    const { store, id, order, money } = await begin();
    await setLowBalance(store.db, id, 5n);
    await money.topUp({ ...order, amount: 10n });
    await reverse(store, clock, { ...order, reference: 'refund', amount: 8n });
    expect(await kindsIn(store)).toEqual(['balance.low', 'credit.added']);
  });

  test('each created, revoked or rotated key is recorded once', async () => {
    const { store, id } = await begin();
    const making = { store, clock, pepper };
    const { key } = await createKey(making, { accountId: id, name: 'laptop' });
    expect(await keys(store, clock).revoke(key.id)).toBe(true);
    expect(await keys(store, clock).revoke(key.id)).toBe(false);
    const temporary = await createKey(making, { accountId: id, name: 'playground', isTemporary: true });
    expect(await keys(store, clock).revoke(temporary.key.id)).toBe(true);
    const other = await createKey(making, { accountId: id, name: 'server' });
    await rotateKey(making, other.key.id, { graceMs: 0 });
    expect(await kindsIn(store)).toEqual(['key.created', 'key.created', 'key.created', 'key.revoked', 'key.revoked']);
    expect(JSON.stringify(await store.db.selectFrom('events').selectAll().execute())).not.toContain(other.secret);
  });

  test('of several processes that see the same change, one gets true', async () => {
    const { store } = await begin();
    const down = { subject: 'upstream acme', state: 'down', initial: 'up' };
    const results = await Promise.all(Array.from({ length: 6 }, () => setAlertState(store.db, down)));
    expect(results.filter(Boolean)).toHaveLength(1);
    expect(await setAlertState(store.db, { ...down, state: 'up' })).toBe(true);
    expect(await setAlertState(store.db, { ...down, state: 'up' })).toBe(false);
    expect(await clearAlertState(store.db, down.subject)).toBe(false);
  });

  test('while the store is away the latest state is kept, and a state that arrives during a write is not lost', async () => {
    const { store } = await begin();
    let isAway = true;
    let during: () => void = () => {};
    const between = storeBetween(store, async (work) => {
      if (isAway) throw new Error('away');
      await Promise.resolve();
      during();
      return work();
    });
    const writer = new AlertStateWriter({ store: between, clock, onError: () => undefined });
    const see = (state: string) => {
      const event = { kind: 'upstream.down', accountId: undefined, at: clock.now(), data: { state } } as const;
      writer.observe({ subject: 'upstream acme', initial: 'up', state, event: () => event });
    };
    const results = async () =>
      (await store.db.selectFrom('events').select('data').orderBy('data').execute()).map(({ data }) => data);
    see('slow');
    await writer.flush();
    see('down');
    isAway = false;
    during = () => {
      during = () => {};
      see('worse');
    };
    clock.advance(1000);
    await writer.flush();
    expect(await results()).toEqual(['{"state":"down"}', '{"state":"worse"}']);
    expect(await store.db.selectFrom('alert_states').select('state').execute()).toEqual([{ state: 'worse' }]);
    await writer.stop();
  });

  test('a state that cannot be written does not block others', async () => {
    const { store } = await begin();
    const errors: unknown[] = [];
    const writer = new AlertStateWriter({ store, clock, onError: (error) => void errors.push(error) });
    const event = { kind: 'upstream.down', accountId: undefined, at: clock.now(), data: {} } as const;
    const unable = () => Promise.reject(new Error('cannot be built'));
    writer.observe({ subject: 'upstream acme', initial: 'up', state: 'down', event: unable });
    writer.observe({ subject: 'upstream other', initial: 'up', state: 'down', event: () => event });
    for (let again = 0; again < 2; again += 1) {
      await writer.flush();
      clock.advance(1000);
    }
    expect(await store.db.selectFrom('alert_states').select('subject').execute()).toEqual([
      { subject: 'upstream other' },
    ]);
    expect(errors.length).toBeGreaterThan(0);
    await writer.stop();
  });
});
