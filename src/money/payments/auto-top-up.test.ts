import { afterEach, beforeEach, expect, test } from 'vitest';
import { manualClock, type ManualClock } from '../../../test/clocks/manual-clock.ts';
import {
  cardOf,
  jobOn,
  newCardAccount,
  simulatedProvider,
  type SimulatedProvider,
  unit,
} from '../../../test/fakes/simulated-payments.ts';
import { forEachStore } from '../../../test/stores/stores.ts';
import { accounts } from '../accounts/accounts.ts';
import { credits } from '../billing/ledger/credits.ts';
import { verifyLedger } from '../billing/ledger/verify.ts';
import { balanceOf } from '../billing/wallet/balance.ts';
import type { Store } from '../../platform/store/store.ts';
import { autoTopUpOf, chargedThisMonth, deleteAutoTopUp } from './auto-top-up.ts';
import { bookPaymentEvent, listPayments } from './payments.ts';
import { removeCard, saveCard, savedCardOf } from './saved-cards.ts';

const hourMs = 3_600_000;

forEachStore(({ open }) => {
  let store: Store;
  let clock: ManualClock;
  let bank: SimulatedProvider;
  let accountId: string;
  let run: () => Promise<void>;
  beforeEach(async () => {
    [store, clock] = [await open(), manualClock(Date.UTC(2026, 2, 10))];
    bank = simulatedProvider(clock);
    accountId = await newCardAccount(store, clock);
    run = jobOn(store, clock, bank);
  });
  afterEach(async () => {
    expect((await verifyLedger(store)).checks.flatMap(({ violations }) => violations)).toEqual([]);
  });
  const has = async () => (await balanceOf(store, accountId)).toppedUp;
  const states = async () => (await listPayments(store, accountId, 50)).map(({ state }) => state).toReversed();
  const spend = (amount: bigint, reference: string) =>
    credits(store, clock).adjust({ accountId, amount: -amount, reference, by: 'op', reason: 'spent' });
  const pause = async () => (await autoTopUpOf(store.db, accountId))?.pause?.failure;
  const pauses = () => store.db.selectFrom('events').select('data').where('kind', '=', 'top_up.paused').execute();

  test('two processes charge once below the threshold, and not above it', async () => {
    const elsewhere = jobOn(await open(), clock, bank);
    await Promise.all([run(), elsewhere(), run()]);
    expect([bank.charges.length, await has(), await states()]).toEqual([1, 10n * unit, ['paid']]);
    const receipts = store.db.selectFrom('billing_documents').select('reference').where('kind', '=', 'receipt');
    expect(await receipts.execute()).toEqual(bank.charges.map(({ paymentId }) => ({ reference: paymentId })));
    await run();
    await spend(5n * unit, 'at the threshold');
    await run();
    expect(bank.charges).toHaveLength(1);
    await spend(1n, 'below it');
    await Promise.all([run(), elsewhere()]);
    expect([bank.charges.length, await has()]).toEqual([2, 15n * unit - 1n]);
  });

  test('money that processes have leased is not spent, so it causes no charge', async () => {
    await run();
    await store.db
      .updateTable('balances')
      .set({ leased: 10n * unit })
      .execute();
    await run();
    expect(bank.charges).toHaveLength(1);
    await store.db.updateTable('balances').set({ leased: 0n }).execute();
  });

  test('the monthly maximum is never exceeded, and a new month in UTC begins at zero', async () => {
    for (const round of [1, 2, 3, 4]) {
      await run();
      if ((await has()) > 0n) await spend(await has(), `round ${round}`);
    }
    expect(bank.charges).toHaveLength(2);
    expect(await chargedThisMonth(store.db, accountId, clock.now())).toBe(20n * unit);
    clock.advance(Date.UTC(2026, 3, 1) - clock.now() - 1);
    await run();
    expect(bank.charges).toHaveLength(2);
    clock.advance(1);
    await run();
    expect([bank.charges.length, await chargedThisMonth(store.db, accountId, clock.now())]).toEqual([3, 10n * unit]);
  });

  test('a lost call or answer is repeated under the same key, whichever of answer and webhook comes first', async () => {
    bank.state.away = 'after';
    await run();
    expect([bank.charges.length, await has(), await states()]).toEqual([1, 0n, ['open']]);
    bank.state.away = undefined;
    await run();
    expect(await states()).toEqual(['open']);
    clock.advance(30_000);
    await run();
    expect([bank.charges.length, await has()]).toEqual([1, 10n * unit]);
    for (const event of bank.webhooks) await bookPaymentEvent(store, clock, event);
    expect(await has()).toBe(10n * unit);
  });

  test('a declined card pauses the top-up with one event; a new card or a change ends the pause', async () => {
    bank.state.decline = 'authentication_required';
    await run();
    for (const event of bank.webhooks) await bookPaymentEvent(store, clock, event);
    expect([await pause(), await states()]).toEqual(['authentication_required', ['ended']]);
    const data = { amount: '10.00', brand: 'visa', last4: 'pm_1', reason: 'authentication_required' };
    expect((await pauses()).map((row) => JSON.parse(row.data))).toEqual([data]);
    bank.state.decline = undefined;
    await run();
    expect(bank.charges).toEqual([]);
    clock.advance(1000);
    await store.transaction((tx) => saveCard(tx, cardOf(accountId, 'pm_2', clock.now())));
    await run();
    expect([await pause(), bank.charges.map(({ card }) => card), bank.forgotten]).toEqual([
      undefined,
      ['pm_2'],
      ['pm_1'],
    ]);
  });

  test('a provider that stays away for 20 hours ends the payment, which counts until its result is known', async () => {
    bank.state.away = 'after';
    for (let hour = 0; hour <= 21; hour += 1) {
      await run();
      clock.advance(hourMs);
    }
    expect([await pause(), await states()]).toEqual(['unreachable', ['ended']]);
    expect(await chargedThisMonth(store.db, accountId, clock.now())).toBe(10n * unit);
    for (const event of bank.webhooks) await bookPaymentEvent(store, clock, event);
    expect([bank.charges.length, await has(), await states()]).toEqual([1, 10n * unit, ['paid']]);
  });

  test('a removed card is not charged, and a repeated report of its set-up does not bring it back', async () => {
    const report = cardOf(accountId, 'pm_1', clock.now());
    await store.transaction((tx) => removeCard(tx, accountId, clock.now()));
    expect(await store.transaction((tx) => saveCard(tx, report))).toBe(false);
    await run();
    expect([await savedCardOf(store.db, accountId), bank.charges, bank.forgotten]).toEqual([undefined, [], ['pm_1']]);
    expect(await store.transaction((tx) => saveCard(tx, { ...report, accountId: 'acc_of_others' }))).toBe(false);
  });

  test('a payment that was stored but never tried is canceled if the top-up is off by then', async () => {
    bank.state.away = 'before';
    await run();
    await store.db.updateTable('payments').set({ attempts: 0, due_at: clock.now() }).execute();
    await deleteAutoTopUp(store.db, accountId);
    bank.state.away = undefined;
    await run();
    expect([bank.charges, await states(), await pauses()]).toEqual([[], ['ended'], []]);
  });

  test('a suspended account is not charged', async () => {
    await accounts(store, clock).suspend(accountId as never);
    await run();
    expect(bank.charges).toEqual([]);
  });
});
