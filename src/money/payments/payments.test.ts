import { afterEach, beforeEach, expect, test } from 'vitest';
import { lockWaits } from '../../../test/stores/lock-waits.ts';
import { forEachStore } from '../../../test/stores/stores.ts';
import { accounts } from '../accounts/accounts.ts';
import { balanceOf } from '../billing/wallet/balance.ts';
import { credits } from '../billing/ledger/credits.ts';
import { ledgerLines } from '../billing/ledger/ledger-lines.ts';
import { verifyLedger } from '../billing/ledger/verify.ts';
import { systemClock } from '../../core/time/clock.ts';
import type { Store } from '../../platform/store/store.ts';
import { fromMinorUnits, minorUnits } from './minor-units.ts';
import { bookPaymentEvent, findPayment, newPayment } from './payments.ts';

const time = { at: 1_800_000_000_000 };
const clock = { ...systemClock, now: () => time.at };
const unit = 1_000_000_000n;
test('amounts use the minor unit of their currency', () => {
  expect([minorUnits(10n * unit, 'USD'), minorUnits(10n * unit, 'JPY'), minorUnits(unit, 'KWD')]).toEqual([
    1000, 10, 1000,
  ]);
  expect([minorUnits(1n, 'USD'), minorUnits(unit / 100n, 'JPY')]).toEqual([undefined, undefined]);
  expect(fromMinorUnits(1050, 'USD')).toBe(10n * unit + unit / 2n);
});

forEachStore(({ engine, open }) => {
  let store: Store;
  let accountId: string;
  beforeEach(async () => {
    store = await open();
    accountId = (await accounts(store, clock).create({ name: 'ann', packageName: 'standard' })).id;
    await newPayment(
      { store, clock },
      { id: 'pay_1', accountId, amount: 10n * unit, currency: 'USD', by: 'ann', provider: 'stripe' },
    );
  });
  afterEach(async () => {
    expect((await verifyLedger(store)).checks.flatMap(({ violations }) => violations)).toEqual([]);
  });
  const paid = { kind: 'paid', paymentId: 'pay_1', minorUnits: 1000, currency: 'USD', intent: 'pi_1' } as const;
  const bookEvent = (event: Parameters<typeof bookPaymentEvent>[2], here = store) =>
    bookPaymentEvent(here, clock, event);
  const has = async () => (await balanceOf(store, accountId)).toppedUp;
  const refund = (minor: number) =>
    ({ kind: 'refunded', intent: 'pi_1', paymentId: 'pay_1', minorUnits: minor }) as const;
  const dispute = (kind: 'disputed' | 'dispute-won') =>
    ({ kind, intent: 'pi_1', disputeId: 'dp_1', minorUnits: 1000 }) as const;

  test('a payment is credited once although two gateways get the event, even if the account is suspended', async () => {
    const elsewhere = await open();
    await accounts(store, clock).suspend(accountId as never);
    await Promise.all([bookEvent(paid), bookEvent(paid, elsewhere), bookEvent(paid)]);
    await bookEvent({ kind: 'ended', paymentId: 'pay_1' });
    expect([await has(), (await findPayment(store, 'pay_1'))?.state]).toEqual([10n * unit, 'paid']);
    await bookEvent({ ...paid, paymentId: 'pay_of_stranger_else' });
    expect(await has()).toBe(10n * unit);
  });

  test('a refund above the payment is not booked, even if it arrives before the payment', async () => {
    await bookEvent(refund(9_000_000_000));
    await bookEvent(paid);
    expect(await has()).toBe(10n * unit);
    await expect(bookEvent(refund(1001))).rejects.toThrow('is larger than payment pay_1');
    expect([await has(), (await findPayment(store, 'pay_1'))?.refunded]).toEqual([10n * unit, 0n]);
  });

  test('an ended checkout that is paid after all counts, and can be refunded from granted credit too', async () => {
    await bookEvent({ kind: 'ended', paymentId: 'pay_1' });
    await bookEvent(paid);
    expect([await has(), (await findPayment(store, 'pay_1'))?.state]).toEqual([10n * unit, 'paid']);
    await credits(store, clock).grant({ accountId, amount: 4n * unit, reference: 'g', by: 'op', reason: 'test' });
    await credits(store, clock).adjust({ accountId, amount: -3n * unit, reference: 'a', by: 'op', reason: 'test' });
    const before = await balanceOf(store, accountId);
    await bookEvent(refund(1000));
    const { granted, toppedUp } = await balanceOf(store, accountId);
    expect([granted + toppedUp, toppedUp]).toEqual([before.granted + before.toppedUp - 10n * unit, 0n]);
  });

  test('another amount or currency than was asked for is not credited', async () => {
    await expect(bookEvent({ ...paid, minorUnits: 999 })).rejects.toThrow(
      'The amount or currency that was paid differs',
    );
    await expect(bookEvent({ ...paid, currency: 'EUR' })).rejects.toThrow(
      'The amount or currency that was paid differs',
    );
    expect([await has(), (await findPayment(store, 'pay_1'))?.state]).toEqual([0n, 'open']);
  });

  test('refunds add up in any order, and spent money is the operator’s loss, never a debt', async () => {
    await bookEvent(refund(300));
    await bookEvent(paid);
    expect(await has()).toBe(7n * unit);
    await bookEvent(refund(500));
    await Promise.all([bookEvent(refund(300)), bookEvent(refund(500), await open())]);
    expect(await has()).toBe(5n * unit);
    await credits(store, clock).adjust({ accountId, amount: -4n * unit, reference: 'spent', by: 'op', reason: 'test' });
    await bookEvent(refund(1000));
    expect(await has()).toBe(0n);
    const lines = await ledgerLines(store, { accountId, kind: 'reversal', limit: 9 });
    expect(new Set(lines.map(({ amount }) => amount))).toEqual(new Set([-3n * unit, -2n * unit, -1n * unit]));
    const loss = await store.db.selectFrom('entries').select('amount').where('account', '=', 'loss').execute();
    expect(loss.map(({ amount }) => BigInt(amount))).toEqual([-4n * unit]);
  });

  test('events that arrive before the payment are booked with it once, even if both arrive at once', async () => {
    const elsewhere = await open();
    const { paymentId: _, ...nameless } = refund(400);
    await bookEvent(nameless);
    await bookEvent(dispute('disputed'), elsewhere);
    await bookEvent(dispute('disputed'));
    await bookEvent({ ...dispute('disputed'), intent: 'pi_of_stranger_else' });
    await Promise.all([bookEvent(paid), bookEvent(dispute('dispute-won'), elsewhere), bookEvent(paid, elsewhere)]);
    expect(await has()).toBe(6n * unit);
    expect(await movements()).toEqual(['reversal dp_1', 'reversal pay_1 refund 400', 'top_up dp_1', 'top_up pay_1']);
    const left = () => store.db.selectFrom('early_payment_events').select('intent').execute();
    expect(await left()).toEqual([{ intent: 'pi_of_stranger_else' }]);
    time.at += 31 * 86_400_000;
    await bookEvent({ ...dispute('disputed'), intent: 'pi_of_another' });
    expect(await left()).toEqual([{ intent: 'pi_of_another' }]);
    time.at -= 31 * 86_400_000;
  });

  test.runIf(engine === 'postgres')(
    'an event that arrives while its payment is being booked waits for it and is not stored',
    async () => {
      const booked = Promise.withResolvers<void>();
      const commit = Promise.withResolvers<void>();
      const transaction: Store['transaction'] = (work, options) =>
        store.transaction(async (tx) => {
          const result = await work(tx);
          booked.resolve();
          await commit.promise;
          return result;
        }, options);
      const paying = bookEvent(paid, { ...store, transaction });
      await booked.promise;
      const booking = bookEvent(dispute('disputed'), await open());
      let isOver = false;
      const over = () => (isOver = true);
      booking.then(over, over);
      const isHeldUp = async () => isOver || (await lockWaits(store)) > 0;
      await expect.poll(isHeldUp, { message: 'the event waits for the payment or is over' }).toBe(true);
      commit.resolve();
      await Promise.all([paying, booking]);
      expect(await has()).toBe(0n);
    },
  );

  test('a won dispute returns what it took, not what was spent before, in either order of events', async () => {
    await bookEvent(paid);
    await credits(store, clock).grant({ accountId, amount: 2n * unit, reference: 'g', by: 'op', reason: 'test' });
    await credits(store, clock).adjust({ accountId, amount: -8n * unit, reference: 'spent', by: 'op', reason: 'test' });
    const before = await balanceOf(store, accountId);
    await bookEvent(dispute('dispute-won'));
    expect(await balanceOf(store, accountId)).toEqual(before);
    await bookEvent(dispute('disputed'));
    expect(await balanceOf(store, accountId)).toEqual(before);
    const entries = await store.db.selectFrom('entries').select('amount').where('account', '=', 'loss').execute();
    expect(entries.reduce((sum, { amount }) => sum + BigInt(amount), 0n)).toBe(0n);
    expect(await movements()).toContain('reversal dp_1');
  });

  test('a payment that is paid a second time is rejected, and the provider gets an error', async () => {
    await bookEvent(paid);
    await expect(bookEvent({ ...paid, intent: 'pi_2' })).rejects.toThrow('already booked');
  });

  async function movements(): Promise<readonly string[]> {
    const rows = await store.db.selectFrom('transfers').select(['kind', 'reference']).execute();
    return rows.map(({ kind, reference }) => `${kind} ${reference}`).toSorted();
  }

  test('a dispute takes the money and a won dispute returns it, each once', async () => {
    await bookEvent(paid);
    await Promise.all([bookEvent(dispute('disputed')), bookEvent(dispute('disputed'))]);
    expect(await has()).toBe(0n);
    await Promise.all([bookEvent(dispute('dispute-won')), bookEvent(dispute('dispute-won'))]);
    expect(await has()).toBe(10n * unit);
  });
});
