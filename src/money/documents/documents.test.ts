import { beforeEach, expect, test } from 'vitest';
import { forEachStore } from '../../../test/stores/stores.ts';
import { accounts } from '../accounts/accounts.ts';
import { credits } from '../billing/ledger/credits.ts';
import { settleCharges } from '../billing/settle.ts';
import { decimalText } from '../../core/money.ts';
import { systemClock } from '../../core/time/clock.ts';
import type { PaymentEvent } from '../payments/payment-provider.ts';
import { bookPaymentEvent, newPayment } from '../payments/payments.ts';
import type { Store } from '../../platform/store/store.ts';
import type { Seller } from './billing-document.ts';
import { setBillingDetails } from './billing-details.ts';
import { findDocument, issueMissing, listDocuments } from './documents.ts';

const unit = 1_000_000_000n;
const byNumber = ([one = '']: readonly (string | undefined)[], [other = '']: readonly (string | undefined)[]) =>
  one < other ? -1 : 1;
const seller: Seller = {
  name: 'Example Ltd',
  address: ['1 Example Street'],
  numberPrefix: 'EX-',
  tax: { name: 'VAT', rate: '19', shownOn: 'payments' },
};

forEachStore(({ open }) => {
  let store: Store;
  let accountId: string;
  const time = { at: 0 };
  const clock = { ...systemClock, now: () => time.at };
  beforeEach(async () => {
    store = await open();
    time.at = Date.parse('2026-01-30T10:00Z');
    accountId = (await accounts(store, clock).create({ name: 'ann', packageName: 'standard' })).id;
  });
  const order = (id: string, amount = 20n * unit) =>
    newPayment({ store, clock }, { id, accountId, amount, currency: 'USD', by: 'ann', provider: 'stripe' });
  const paid = (id: string, minorUnits = 2000): PaymentEvent => ({
    kind: 'paid',
    paymentId: id,
    minorUnits,
    currency: 'USD',
    intent: `intent of ${id}`,
  });
  const returned = (id: string, minorUnits: number): PaymentEvent => ({
    kind: 'refunded',
    intent: `intent of ${id}`,
    minorUnits,
  });
  const book = (event: PaymentEvent, by: Seller | undefined = seller, here = store) =>
    bookPaymentEvent(here, clock, event, by);
  const parts = (by: Seller | undefined = seller) => ({
    store,
    clock,
    seller: () => by,
    currency: () => 'USD',
  });
  const listed = async () => (await listDocuments(store, { accountId, limit: 100 })).toReversed();
  const summary = async () =>
    (await listed()).map(({ number, amount, tax }) => [number, decimalText(amount), tax?.amount]);

  test('a payment gets its receipt once, with seller, customer and tax as they were then', async () => {
    await order('p1');
    await Promise.all([book(paid('p1')), book(paid('p1'))]);
    await setBillingDetails(store.db, accountId, { now: 1, details: { name: '上海示例有限公司', address: [] } });
    await book(paid('p1'), { ...seller, name: 'Renamed Ltd' });
    const found = await findDocument(store, 'EX-R-2026-000001');
    expect(found).toMatchObject({ seller: { name: 'Example Ltd' }, customer: { name: 'ann' }, reference: 'p1' });
    expect(await summary()).toEqual([['EX-R-2026-000001', '20.00', '3.19']]);
    time.at += 1;
    await order('p2');
    await book(paid('p2'), { name: 'Renamed Ltd', address: [], numberPrefix: '' });
    const [, later] = await listed();
    expect(later).toMatchObject({ number: 'R-2026-000002', customer: { name: '上海示例有限公司' } });
    expect(later?.tax).toBeUndefined();
  });

  test('numbers start again with each year, and each kind of document has its own', async () => {
    for (const [index, id] of ['p1', 'p2', 'p3'].entries()) {
      if (index === 2) time.at = Date.parse('2027-01-01T00:00Z');
      time.at += 1;
      await order(id);
      await book(paid(id));
    }
    await book(returned('p3', 2000));
    expect((await listed()).map(({ number }) => number).toSorted()).toEqual([
      'EX-C-2027-000001',
      'EX-R-2026-000001',
      'EX-R-2026-000002',
      'EX-R-2027-000001',
    ]);
  });

  test('the tax of several refunds adds up to the tax of the payment, whatever the rate is by then', async () => {
    await order('p1');
    await book(paid('p1'));
    for (const total of [333, 334, 999, 2000]) {
      time.at += 1;
      await book(returned('p1', total), { ...seller, tax: { name: 'VAT', rate: '25', shownOn: 'payments' } });
    }
    const notes = (await summary()).slice(1);
    expect(notes).toEqual([
      ['EX-C-2026-000001', '-3.33', '-0.53'],
      ['EX-C-2026-000002', '-0.01', '0.00'],
      ['EX-C-2026-000003', '-6.65', '-1.07'],
      ['EX-C-2026-000004', '-10.01', '-1.59'],
    ]);
  });

  test('a dispute gets a credit note, and a receipt when it is won', async () => {
    await order('p1');
    await book(paid('p1'));
    const dispute = { intent: 'intent of p1', disputeId: 'dp_1', minorUnits: 2000 };
    time.at += 1;
    await book({ kind: 'disputed', ...dispute });
    time.at += 1;
    await book({ kind: 'dispute-won', ...dispute });
    await book({ kind: 'dispute-won', ...dispute });
    expect(await summary()).toEqual([
      ['EX-R-2026-000001', '20.00', '3.19'],
      ['EX-C-2026-000001', '-20.00', '-3.19'],
      ['EX-R-2026-000002', '20.00', '3.19'],
    ]);
  });

  test('bookings at two gateways, some of which fail, leave no gap and no number twice', async () => {
    const elsewhere = await open();
    const ids = Array.from({ length: 12 }, (_, index) => `p${index}`);
    for (const id of ids) await order(id);
    const failing = async (id: string, here: Store) => {
      await here.transaction(async (tx) => {
        const { issueReceipt } = await import('./payment-documents.ts');
        await tx.updateTable('payments').set({ state: 'paid', paid_at: 1 }).where('id', '=', id).execute();
        await issueReceipt({ tx, clock, seller }, id);
        throw new Error('the process ends here');
      });
    };
    const work = ids.flatMap((id, index) => {
      const here = index % 2 === 0 ? store : elsewhere;
      const failed = index % 3 === 0 ? [failing(id, here).catch(() => undefined)] : [];
      return [...failed, book(paid(id), seller, here)];
    });
    await Promise.all(work);
    const numbers = (await listed()).map(({ number }) => number).toSorted();
    expect(numbers).toEqual(ids.map((_, index) => `EX-R-2026-${String(index + 1).padStart(6, '0')}`));
  });

  test('payments of an earlier version get their numbers before a new one, oldest first', async () => {
    for (const id of ['p1', 'p2', 'p3']) await order(id);
    for (const id of ['p2', 'p1', 'p3']) {
      time.at += 1;
      await book(paid(id));
    }
    await book(returned('p1', 500));
    // As an earlier version leaves the store.
    await store.db.deleteFrom('billing_documents').execute();
    time.at += 1;
    await order('p4');
    await book(paid('p4'));
    const references = (await listed()).map(({ number, reference }) => [number, reference]);
    expect(references.toSorted(byNumber)).toEqual([
      ['EX-C-2026-000001', 'p1 refund 500'],
      ['EX-R-2026-000001', 'p2'],
      ['EX-R-2026-000002', 'p1'],
      ['EX-R-2026-000003', 'p3'],
      ['EX-R-2026-000004', 'p4'],
    ]);
    await store.db.deleteFrom('billing_documents').where('reference', '=', 'p4').execute();
    await issueMissing(parts(), accountId);
    await book(returned('p2', 100));
    expect((await listed()).map(({ number }) => number)).toContain('EX-R-2026-000004');
    expect((await listed()).map(({ number }) => number)).toContain('EX-C-2026-000002');
  });

  test('a refund of a payment of an earlier version gets its receipt and one credit note', async () => {
    await order('p1');
    await book(paid('p1'));
    await book(returned('p1', 500));
    await store.db.deleteFrom('billing_documents').execute();
    await book(returned('p1', 700));
    expect((await summary()).toSorted(byNumber)).toEqual([
      ['EX-C-2026-000001', '-7.00', '-1.12'],
      ['EX-R-2026-000001', '20.00', '3.19'],
    ]);
  });

  test('each closed month with a movement gets one statement, which adds up', async () => {
    const movement = { accountId, by: 'op', reason: 'test' };
    await credits(store, clock).topUp({ ...movement, amount: 100n, reference: 't' });
    const name = {
      requestId: 'r1',
      accountId,
      keyId: 'key_1',
      processId: 'p',
      priceVersion: 'v',
      by: 'gateway',
    } as const;
    await store.commit(settleCharges, [{ ...name, held: 7n, cost: 7n, reason: 'request', at: time.at }]);
    await issueMissing(parts(), accountId);
    expect(await listed()).toEqual([]);
    time.at = Date.parse('2026-04-02T00:00Z');
    const taxed: Seller = { ...seller, tax: { name: 'VAT', rate: '19', shownOn: 'statements' } };
    await Promise.all([issueMissing(parts(taxed), accountId), issueMissing(parts(taxed), accountId)]);
    const all = await listed();
    expect(all).toMatchObject([
      {
        number: 'EX-S-2026-000001',
        reference: '2026-01',
        amount: 7n,
        tax: { rate: '19', amount: '0.00' },
        subject: {
          opening: '0.00',
          credits: [{ kind: 'topUps', amount: '0.0000001' }],
          charges: '-0.000000007',
          models: [{ amount: '-0.000000007' }],
          closing: '0.000000093',
        },
      },
    ]);
  });
});
