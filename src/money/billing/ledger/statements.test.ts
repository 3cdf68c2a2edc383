import { afterEach, beforeEach, expect, test } from 'vitest';
import { forEachStore } from '../../../../test/stores/stores.ts';
import type { AccountId } from '../../accounts/ids.ts';
import { accounts } from '../../accounts/accounts.ts';
import { systemClock } from '../../../core/time/clock.ts';
import type { Store } from '../../../platform/store/store.ts';
import { credits } from './credits.ts';
import { ledgerLines } from './ledger-lines.ts';
import { reverse } from './reversals.ts';
import { settleCharges } from '../settle.ts';
import { findStatement, listStatements } from './statements.ts';
import { verifyLedger } from './verify.ts';
import { recordWith } from '../../../../test/fixtures/requests/record.ts';
import { storingRequests } from '../../requests/request-writer.ts';
import { farBehind } from '../../../../test/stores/far-behind.ts';

forEachStore(({ open }) => {
  let store: Store;
  let accountId: string;
  const time = { at: 0 };
  const clock = { ...systemClock, now: () => time.at };
  const on = (day: string) => Date.parse(`${day}Z`);
  beforeEach(async () => {
    store = await open();
    time.at = on('2026-01-30T10:00');
    accountId = (await accounts(store, clock).create({ name: 'ann', packageName: 'standard' })).id;
  });
  afterEach(async () => {
    expect((await verifyLedger(store)).checks.flatMap(({ violations }) => violations)).toEqual([]);
  });
  const credit = (kind: 'topUp' | 'grant' | 'adjust', amount: bigint, reference: string) =>
    credits(store, clock)[kind]({ accountId, amount, reference, by: 'op', reason: 'test' });
  const charge = (requestId: string, cost: bigint, at: string) => {
    const name = { requestId, accountId, keyId: 'key_1', processId: 'p', priceVersion: 'v', by: 'gateway' } as const;
    return store.commit(settleCharges, [{ ...name, held: cost, cost, reason: 'request', at: on(at) }]);
  };
  const shown = async () =>
    (await listStatements(store, clock, accountId)).map((each) => [
      each.month,
      each.opening,
      each.sums.charges,
      each.closing,
      each.isClosed,
    ]);

  test('a month stays open while the usage by model is far behind, and then closes with every model', async () => {
    await credit('topUp', 100n, 't1');
    await charge('r1', 7n, '2026-01-30T11:00');
    time.at = on('2026-02-02T00:00');
    const record = { accountId, startedAt: on('2026-01-30T11:00'), cost: 7n, model: 'house/large' };
    await farBehind(store, 3000);
    await store.commit(storingRequests, [recordWith({ id: 'r1', ...record })]);
    const closed = async () => (await listStatements(store, clock, accountId)).filter(({ isClosed }) => isClosed);
    expect(await closed()).toEqual([]);
    expect((await closed()).map(({ sums }) => sums.models)).toEqual([[{ model: 'house/large', amount: -7n }]]);
  });

  test('each month continues from the exact balance of the previous one, and a closed month never changes', async () => {
    expect(await shown()).toEqual([]);
    await credit('topUp', 100n, 't1');
    await charge('r1', 7n, '2026-01-31T23:59');
    time.at = on('2026-03-02T00:00');
    await charge('r2', 5n, '2026-03-01T00:00');
    await credit('grant', 3n, 'g1');
    const months = [
      ['2026-03', 93n, -5n, 91n, false],
      ['2026-02', 93n, 0n, 93n, true],
      ['2026-01', 0n, -7n, 93n, true],
    ];
    expect(await shown()).toEqual(months);
    // A request that began in January is settled only now, and the clock of one process still shows February.
    await charge('late', 2n, '2026-01-31T23:59:59');
    time.at = on('2026-02-20T00:00');
    await credit('adjust', -1n, 'behind');
    await reverse(store, clock, { accountId, amount: 1n, reference: 'went back', by: 'payments', reason: 'test' });
    time.at = on('2026-03-02T00:00');
    expect(await shown()).toEqual([['2026-03', 93n, -7n, 87n, false], ...months.slice(1)]);
    const march = await findStatement(store, clock, { accountId, month: '2026-03' });
    expect(march?.sums).toMatchObject({
      grants: 3n,
      adjustments: -1n,
      reversals: -1n,
      models: [{ model: undefined, amount: -7n }],
    });
    const lines = await ledgerLines(store, {
      accountId,
      since: on('2026-03-01T00:00'),
      limit: 9,
      order: 'oldest-first',
    });
    expect(lines.map(({ reference }) => reference)).toEqual(['behind', 'late', 'r2', 'went back', 'g1']);
    expect(await findStatement(store, clock, { accountId, month: '2026-13' })).toBeUndefined();
  });

  test('late bookings have an hour before a month closes; two processes that close it close it once', async () => {
    await credit('topUp', 100n, 't1');
    time.at = on('2026-02-01T00:59');
    expect(await shown()).toEqual([
      ['2026-02', 100n, 0n, 100n, false],
      ['2026-01', 0n, 0n, 100n, false],
    ]);
    await charge('r1', 4n, '2026-01-31T23:59');
    time.at = on('2026-02-01T01:00');
    const elsewhere = await open();
    await Promise.all([shown(), listStatements(elsewhere, clock, accountId), charge('r2', 1n, '2026-01-31T23:58')]);
    const [february, january] = await shown();
    expect([january?.[4], february?.[3]]).toEqual([true, 95n]);
    expect(february?.[1]).toBe(january?.[3]);
  });

  test('months follow the account’s time zone, to the minute and across a change of the zone', async () => {
    const book = accounts(store, clock);
    await book.change(accountId as AccountId, { timeZone: 'Asia/Kolkata' });
    await credit('topUp', 100_000n, 't1');
    // January ends there at half past an hour of UTC.
    const minutes = ['18:00', '18:29:59.999', '18:30', '18:59:59.999', '19:00'];
    for (const [index, minute] of minutes.entries()) {
      await charge(`before ${index}`, 10n ** BigInt(index), `2026-01-31T${minute}`);
    }
    time.at = on('2026-02-28T19:30');
    expect((await shown()).map(([month, opening, , closing]) => [month, opening, closing])).toEqual([
      ['2026-03', 88_889n, 88_889n],
      ['2026-02', 99_989n, 88_889n],
      ['2026-01', 0n, 99_989n],
    ]);
    // Now in a zone that is 13.5 hours behind: closed months stay, and March begins where February ended.
    await book.change(accountId as AccountId, { timeZone: 'America/Los_Angeles' });
    await charge('evening', 1n, '2026-03-01T02:00');
    await charge('last', 2n, '2026-04-01T06:59:59.999');
    await charge('first', 4n, '2026-04-01T07:00');
    await charge('late', 8n, '2026-02-28T18:00');
    time.at = on('2026-04-02T00:00');
    const months = (await listStatements(store, clock, accountId)).toReversed();
    expect(months.map(({ month, from, to }) => [month, new Date(from).toISOString(), to])).toEqual([
      ['2026-01', '2025-12-31T18:30:00.000Z', on('2026-01-31T18:30')],
      ['2026-02', '2026-01-31T18:30:00.000Z', on('2026-02-28T18:30')],
      ['2026-03', '2026-02-28T18:30:00.000Z', on('2026-04-01T07:00')],
      ['2026-04', '2026-04-01T07:00:00.000Z', on('2026-05-01T07:00')],
    ]);
    const lines = await ledgerLines(store, { accountId, limit: 99, order: 'oldest-first' });
    let balance = 0n;
    for (const { from, to, opening, closing } of months) {
      expect(opening).toBe(balance);
      for (const { at, amount } of lines) if (from <= at && at < to) balance += amount;
      expect(closing).toBe(balance);
    }
    for (const { at, reference } of lines) {
      expect(
        months.filter(({ from, to }) => from <= at && at < to),
        reference,
      ).toHaveLength(1);
    }
  });
});
