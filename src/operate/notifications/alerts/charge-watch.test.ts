import { expect, test } from 'vitest';
import { manualClock } from '../../../../test/clocks/manual-clock.ts';
import { forEachStore } from '../../../../test/stores/stores.ts';
import { accounts } from '../../../money/accounts/accounts.ts';
import { reportedRefusals } from '../../../money/billing/recovery/reported-refusals.ts';
import { AlertStateWriter } from './alert-state-writer.ts';
import { chargeWatch } from './charge-watch.ts';

const dayMs = 86_400_000;

forEachStore(({ open }) => {
  test('operators get one event a day per account for charges that cannot be booked, from any process', async () => {
    const store = await open();
    const clock = manualClock();
    const writers = [1, 2].map(
      () => new AlertStateWriter({ store, clock, onError: (error) => expect.fail(String(error)) }),
    );
    const watches = writers.map((alertStates) => chargeWatch({ clock, alertStates }));
    const reject = async (accountId: string, requestId: string) => {
      for (const watch of watches) watch.refused({ accountId, requestId, cost: '0.5', error: 'e'.repeat(1000) });
      await Promise.all(writers.map((alertStates) => alertStates.flush()));
    };
    const events = async () => {
      const rows = await store.db.selectFrom('events').selectAll().orderBy('at').orderBy('data').execute();
      return rows.map((row) => ({ kind: row.kind, account: row.account_id, ...JSON.parse(row.data) }));
    };
    await reject('ann', 'r1');
    await reject('ann', 'r2');
    await reject('bob', 'r3');
    const one = { kind: 'charge.refused', account: null, cost: '0.5', error: 'e'.repeat(300) };
    const first = [
      { ...one, account_id: 'ann', request_id: 'r1' },
      { ...one, account_id: 'bob', request_id: 'r3' },
    ];
    expect(await events()).toEqual(first);
    clock.advance(dayMs);
    await reject('ann', 'r4');
    await reject('ann', 'r1');
    expect(await events()).toEqual([...first, { ...one, account_id: 'ann', request_id: 'r4' }]);
    const listed = async () => {
      const refusals = await reportedRefusals(store, 2);
      return refusals.map(({ accountId, requestId, isBooked }) => [accountId, requestId, isBooked]);
    };
    expect((await listed())[0]).toEqual(['ann', 'r4', false]);
    expect(await listed()).toHaveLength(2);
    const { id } = await accounts(store, clock).create({ name: 'ann', packageName: 'standard' });
    const charge = { kind: 'charge', account_id: id, key_id: null, amount: -5n, by: '', reason: '', at: 1 };
    await store.db
      .insertInto('transfers')
      .values({ ...charge, reference: 'r4', price_version: null })
      .execute();
    expect((await listed())[0]).toEqual(['ann', 'r4', true]);
    await Promise.all(writers.map((alertStates) => alertStates.stop()));
  });
});
