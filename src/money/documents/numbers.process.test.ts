import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { forEachStore } from '../../../test/stores/stores.ts';
import { accounts } from '../accounts/accounts.ts';
import { systemClock } from '../../core/time/clock.ts';
import { newPayment } from '../payments/payments.ts';
import { listDocuments } from './documents.ts';

const src = (path: string): string => JSON.stringify(new URL(`../../${path}`, import.meta.url).href);

forEachStore(({ open, place }) => {
  test('two processes that book payments at the same time leave no gap and use no number twice', async () => {
    const store = await open();
    const account = await accounts(store, systemClock).create({ name: 'ann', packageName: 'standard' });
    const order = { accountId: account.id, amount: 10n ** 10n, currency: 'USD', by: 'ann', provider: 'stripe' };
    const ids = Array.from({ length: 40 }, (_, index) => `p${index}`);
    for (const id of ids) await newPayment({ store, clock: systemClock }, { ...order, id });
    await Promise.all([ids.slice(0, 20), ids.slice(20)].map(bookElsewhere));
    const documents = await listDocuments(store, { accountId: account.id, limit: 100 });
    const positions = documents.map(({ number }) => Number(number.slice(-6)));
    expect(positions.toSorted((one, other) => one - other)).toEqual(ids.map((_, index) => index + 1));
  });

  /** Books payments in a process of its own, two at a time. */
  async function bookElsewhere(ids: readonly string[]): Promise<void> {
    const program = `
      const { openStore } = await import(${src('platform/store/store.ts')});
      const { systemClock } = await import(${src('core/time/clock.ts')});
      const { bookPaymentEvent } = await import(${src('money/payments/payments.ts')});
      const store = await openStore(${JSON.stringify(place())});
      const paid = (id) => ({ kind: 'paid', paymentId: id, minorUnits: 1000, currency: 'USD', intent: 'of ' + id });
      const ids = ${JSON.stringify(ids)};
      // Two at a time: more would wait for a connection while others wait for the lock.
      while (ids.length > 0) {
        await Promise.all(ids.splice(0, 2).map((id) => bookPaymentEvent(store, systemClock, paid(id))));
      }
      await store.close();
    `;
    await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program]);
  }
});
