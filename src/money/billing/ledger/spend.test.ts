import { beforeEach, expect, test } from 'vitest';
import { forEachStore } from '../../../../test/stores/stores.ts';
import { accounts } from '../../accounts/accounts.ts';
import { systemClock } from '../../../core/time/clock.ts';
import type { Store } from '../../../platform/store/store.ts';
import { credits } from './credits.ts';
import { settleCharges } from '../settle.ts';
import { spendSeries, spentByKeys, topSpenders } from './spend.ts';
import { verifyLedger } from './verify.ts';

const hourMs = 3_600_000;

forEachStore(({ open }) => {
  let store: Store;
  let accountId: string;
  beforeEach(async () => {
    store = await open();
    accountId = (await accounts(store, systemClock).create({ name: 'ann', packageName: 'standard' })).id;
    await credits(store, systemClock).topUp({ accountId, amount: 1000n, reference: 't', by: 'op', reason: 'test' });
  });

  const terms = { processId: 'p1', held: 0n, priceVersion: 'p_1', by: 'gateway', reason: 'request' } as const;
  const charge = (requestId: string, keyId: string, cost: bigint, at: number) => ({
    ...terms,
    requestId,
    accountId,
    keyId,
    cost,
    at,
  });
  const all = { from: 0, to: 3 * hourMs, intervalMs: hourMs };

  async function spend(): Promise<void> {
    await store.commit(settleCharges, [charge('a', 'k1', 5n, 1), charge('b', 'k2', 7n, 2)]);
    await store.commit(settleCharges, [charge('c', 'k1', 11n, hourMs), charge('a', 'k1', 5n, hourMs)]);
  }

  async function expectCounted(): Promise<void> {
    const counted = await spendSeries(store, all);
    expect([...counted].sort(([one], [other]) => one - other)).toEqual([
      [0, 12n],
      [hourMs, 11n],
    ]);
    expect(await topSpenders(store, { ...all, by: 'key_id', limit: 5 })).toEqual([
      { id: 'k1', accountId, spent: 16n },
      { id: 'k2', accountId, spent: 7n },
    ]);
    expect(await topSpenders(store, { ...all, by: 'account_id', limit: 5 })).toEqual([
      { id: accountId, accountId, spent: 23n },
    ]);
    expect(await spentByKeys(store, ['k1', 'none'])).toEqual(new Map([['k1', 16n]]));
    expect((await verifyLedger(store)).isSound).toBe(true);
  }

  test('charges count in the hour of their booking, each once, and credits do not count', async () => {
    await spend();
    await expectCounted();
    await store.db.updateTable('spend_hours').set({ amount: 1n }).where('key_id', '=', 'k2').execute();
    const { checks } = await verifyLedger(store);
    expect(checks.flatMap(({ violations }) => violations)).toEqual([`${accountId} -6`]);
  });
});
