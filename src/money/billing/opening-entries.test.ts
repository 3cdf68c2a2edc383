import { beforeEach, expect, test } from 'vitest';
import { forEachStore } from '../../../test/stores/stores.ts';
import { addKey } from '../../../test/stores/wallets.ts';
import { accounts } from '../accounts/accounts.ts';
import { systemClock } from '../../core/time/clock.ts';
import type { Store } from '../../platform/store/store.ts';
import { readLimits } from './budgets/limit-reading.ts';
import { setBilling } from './budgets/limit-changes.ts';
import { balanceOf } from './wallet/balance.ts';
import { openingBalance, openingSpend } from './opening-entries.ts';
import { totalOf, statementSums } from './ledger/statement-sums.ts';
import { verifyLedger } from './ledger/verify.ts';

forEachStore(({ open }) => {
  const now = Date.UTC(2026, 10, 18, 12);
  let store: Store;
  let accountId: string;

  beforeEach(async () => {
    store = await open();
    accountId = (await accounts(store, systemClock).create({ name: 'ann', packageName: 'standard' })).id;
    await addKey(store, { id: 'key', accountId });
  });

  const entry = (amount: bigint, reference: string, at = now) => ({
    accountId,
    amount,
    reference,
    by: 'import',
    reason: 'litellm',
    at,
  });
  const balance = async () => {
    const { granted, toppedUp } = await balanceOf(store, accountId);
    return [granted, toppedUp];
  };
  const spentOfKey = async (period: 'day' | 'month' | 'total') => {
    const limits = [{ amount: 1000n, period, notifyAt: [] }];
    const subject = { scope: 'key' as const, subjectId: 'key', accountId, timeZone: 'UTC', limits };
    const [[reading] = []] = await readLimits(store, [subject], now);
    return reading?.spent;
  };
  const violations = async () => (await verifyLedger(store)).checks.flatMap((check) => check.violations);

  test('an opening balance is booked once, however often it is imported', async () => {
    const book = () => store.transaction((tx) => openingBalance(tx, entry(70n, 'import:a')));
    expect([await book(), await book()]).toEqual([true, false]);
    expect(await balance()).toEqual([0n, 70n]);
    await store.transaction((tx) => openingBalance(tx, { ...entry(30n, 'import:b'), isGranted: true }));
    expect(await balance()).toEqual([30n, 70n]);
    expect(await violations()).toEqual([]);
  });

  test.each(['prepaid', 'postpaid'] as const)('a %s account may open with a negative balance', async (billing) => {
    const owe = () => store.transaction((tx) => openingBalance(tx, entry(-70n, 'import:a')));
    if (billing === 'postpaid') await store.transaction((tx) => setBilling(tx, accountId, { billing, now }));
    expect(await owe()).toBe(true);
    expect(await balance()).toEqual([0n, -70n]);
    expect(await violations()).toEqual([]);
  });

  test('opening spend counts for the limits of its key in the period of its time, and leaves the balance', async () => {
    const book = (reference: string, amount: bigint, at = now) =>
      store.transaction((tx) => openingSpend(tx, { ...entry(amount, reference, at), keyId: 'key' }));
    expect(await book('import:today', 20n)).toBe(true);
    expect(await book('import:today', 20n)).toBe(false);
    await book('import:before', 500n, Date.UTC(2026, 8, 30));
    await book('import:this month', 7n, Date.UTC(2026, 10, 1, 0, 30));
    await book('import:corrected', -2n);
    expect(await Promise.all([spentOfKey('day'), spentOfKey('month'), spentOfKey('total')])).toEqual([18n, 25n, 525n]);
    expect(await balance()).toEqual([0n, 0n]);
    const sums = await store.transaction((tx) => statementSums(tx, accountId, { from: 0, to: now + 1 }));
    expect([totalOf(sums), sums.charges]).toEqual([0n, 0n]);
    expect(await violations()).toEqual([]);
  });
});
