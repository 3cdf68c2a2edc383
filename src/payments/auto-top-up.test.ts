import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { manualClock, type ManualClock } from '../../test/clocks/manual-clock.ts';
import { forEachStore, testStores } from '../../test/stores/stores.ts';
import { accounts } from '../accounts/accounts.ts';
import { credits } from '../billing/ledger/credits.ts';
import { verifyLedger } from '../billing/ledger/verify.ts';
import { balanceOf } from '../billing/wallet/balance.ts';
import type { Store } from '../store/store.ts';
import { runAutoTopUps } from './auto-top-up-job.ts';
import { autoTopUpOf, chargedThisMonth, deleteAutoTopUp, setAutoTopUp } from './auto-top-up.ts';
import type { ChargeFailure, ChargeOrder, ChargeResult, PaymentEvent, PaymentProvider } from './payment-provider.ts';
import { bookPaymentEvent, listPayments } from './payments.ts';
import { removeCard, saveCard, savedCardOf } from './saved-cards.ts';

const unit = 1_000_000_000n;
const hourMs = 3_600_000;
const settings = { threshold: 5n * unit, amount: 10n * unit, monthlyMax: 25n * unit };

/** A provider that remembers the result of each idempotency key, as the real one does for a day. */
function simulatedProvider() {
  const results = new Map<string, ChargeResult>();
  const charges: ChargeOrder[] = [];
  const forgotten: string[] = [];
  const state: { decline?: ChargeFailure | undefined; away?: 'before' | 'after' | undefined } = {};
  function resultOf(order: ChargeOrder): ChargeResult {
    const { paymentId, minorUnits, currency } = order;
    const known = results.get(paymentId);
    if (known) return known;
    const result: ChargeResult = state.decline
      ? { kind: 'failed', failure: state.decline }
      : { kind: 'paid', minorUnits, currency, intent: `pi_${paymentId}` };
    if (result.kind === 'paid') charges.push(order);
    results.set(paymentId, result);
    return result;
  }
  const unused = () => Promise.reject(new Error('not used here'));
  const provider: PaymentProvider = {
    ...{ name: 'simulated', checkout: unused, setUpCard: unused, cardOf: unused },
    decodeWebhook: () => undefined,
    forgetCard: (card) => Promise.resolve(void forgotten.push(card)),
    async charge(order) {
      await Promise.resolve();
      if (state.away === 'before') throw new Error('the call was lost');
      const result = resultOf(order);
      if (state.away === 'after') throw new Error('the answer was lost');
      return result;
    },
  };
  /** The webhooks of all results so far. */
  const webhooks = (): PaymentEvent[] =>
    [...results].flatMap(([paymentId, result]) => (result.kind === 'pending' ? [] : [{ ...result, paymentId }]));
  return { provider, state, charges, forgotten, webhooks };
}

type Provider = ReturnType<typeof simulatedProvider>;

async function newAccount(store: Store, clock: ManualClock, name = 'ann'): Promise<string> {
  const { id } = await accounts(store, clock).create({ name, packageName: 'standard' });
  await store.transaction((tx) => saveCard(tx, cardOf(id, 'pm_1', clock.now())));
  await setAutoTopUp(store.db, { accountId: id, by: 'ann', at: clock.now(), ...settings });
  return id;
}

function cardOf(accountId: string, card: string, at: number) {
  const shown = { brand: 'visa', last4: card.slice(-4).padStart(4, '0'), expMonth: 4, expYear: 2031 };
  const provider = { card, customer: 'cus_1', setUpAt: at };
  return { accountId, provider: 'simulated', by: 'ann', setup: `seti_${card}`, card: { ...shown, ...provider }, at };
}

function jobOn(store: Store, clock: ManualClock, { provider }: Provider) {
  const { signal } = new AbortController();
  return () => runAutoTopUps({ store, clock, provider, currency: 'USD', onError: () => undefined, signal });
}

forEachStore(({ open }) => {
  let store: Store;
  let clock: ManualClock;
  let bank: Provider;
  let accountId: string;
  let run: () => Promise<void>;
  beforeEach(async () => {
    [store, clock, bank] = [await open(), manualClock(Date.UTC(2026, 2, 10)), simulatedProvider()];
    accountId = await newAccount(store, clock);
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
    await run();
    await spend(5n * unit, 'at the threshold');
    await run();
    expect(bank.charges).toHaveLength(1);
    await spend(1n, 'below it');
    await Promise.all([run(), elsewhere()]);
    expect([bank.charges.length, await has()]).toEqual([2, 15n * unit - 1n]);
  });

  test('money that processes have leased is not spendable', async () => {
    await run();
    await store.db
      .updateTable('balances')
      .set({ leased: 6n * unit })
      .execute();
    await run();
    expect(bank.charges).toHaveLength(2);
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
    for (const event of bank.webhooks()) await bookPaymentEvent(store, clock, event);
    expect(await has()).toBe(10n * unit);
  });

  test('a declined card pauses the top-up with one event; a new card or a change ends the pause', async () => {
    bank.state.decline = 'authentication_required';
    await run();
    for (const event of bank.webhooks()) await bookPaymentEvent(store, clock, event);
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
    for (const event of bank.webhooks()) await bookPaymentEvent(store, clock, event);
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

type Step =
  | { readonly kind: 'run'; readonly both: boolean }
  | { readonly kind: 'webhooks' }
  | { readonly kind: 'spend' }
  | { readonly kind: 'wait'; readonly ms: number }
  | {
      readonly kind: 'bank';
      readonly away?: 'before' | 'after' | undefined;
      readonly decline?: ChargeFailure | undefined;
    }
  | { readonly kind: 'new-card' }
  | { readonly kind: 'resume' };

const steps: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('run' as const), both: fc.boolean() }) },
  { weight: 2, arbitrary: fc.constant({ kind: 'webhooks' as const }) },
  { weight: 3, arbitrary: fc.constant({ kind: 'spend' as const }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('wait' as const),
      ms: fc.constantFrom(1000, 30_000, hourMs, 21 * hourMs, 20 * 24 * hourMs),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('bank' as const),
      away: fc.constantFrom('before' as const, 'after' as const, undefined),
      decline: fc.constantFrom('declined' as const, undefined, undefined),
    }),
  },
  fc.constant({ kind: 'new-card' as const }),
  fc.constant({ kind: 'resume' as const }),
);

const { open: openSqlite } = testStores('sqlite');

test('any order of lost answers, repeated webhooks, two processes and declines charges each payment at most once, within the maximum, and credits it once', async () => {
  const clock = manualClock(Date.UTC(2026, 2, 10));
  const store = await openSqlite();
  let number = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(steps, { maxLength: 25 }), async (order) => {
      number += 1;
      const bank = simulatedProvider();
      await store.db.deleteFrom('auto_top_ups').execute();
      const accountId = await newAccount(store, clock, `account-${number}`);
      const run = jobOn(store, clock, bank);
      const spentIn = new Map<string, bigint>();
      for (const [index, step] of order.entries()) {
        await take(step, { store, clock, bank, accountId, run, name: `${number}.${index}` });
      }
      Object.assign(bank.state, { away: undefined, decline: undefined });
      clock.advance(hourMs);
      await run();
      for (const event of bank.webhooks()) await bookPaymentEvent(store, clock, event);
      const rows = await listPayments(store, accountId, 100);
      const ids = bank.charges.map(({ paymentId }) => paymentId);
      expect(new Set(ids).size).toBe(ids.length);
      const paid = rows.filter(({ state }) => state === 'paid');
      expect(paid.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
      for (const { createdAt, amount } of paid) {
        const month = new Date(createdAt).toISOString().slice(0, 7);
        spentIn.set(month, (spentIn.get(month) ?? 0n) + amount);
      }
      for (const sum of spentIn.values()) expect(sum).toBeLessThanOrEqual(settings.monthlyMax);
      const booked = store.db.selectFrom('transfers').select('reference').where('account_id', '=', accountId);
      const topUps = (await booked.where('kind', '=', 'top_up').execute()).map(({ reference }) => reference);
      expect(topUps.toSorted()).toEqual(ids.toSorted());
    }),
    { numRuns: 60 },
  );
  expect((await verifyLedger(store)).checks.flatMap(({ violations }) => violations)).toEqual([]);
});

interface Scene {
  readonly store: Store;
  readonly clock: ManualClock;
  readonly bank: Provider;
  readonly accountId: string;
  readonly run: () => Promise<void>;
  readonly name: string;
}

async function take(step: Step, { store, clock, bank, accountId, run, name }: Scene): Promise<void> {
  switch (step.kind) {
    case 'run':
      await (step.both ? Promise.all([run(), run()]) : run());
      return;
    case 'webhooks':
      for (const event of [...bank.webhooks(), ...bank.webhooks()]) await bookPaymentEvent(store, clock, event);
      return;
    case 'spend': {
      const { toppedUp } = await balanceOf(store, accountId);
      const credit = { accountId, reference: `spent ${name}`, by: 'op', reason: 'spent' };
      if (toppedUp > 0n) await credits(store, clock).adjust({ ...credit, amount: -toppedUp });
      return;
    }
    case 'wait':
      clock.advance(step.ms);
      return;
    case 'bank':
      Object.assign(bank.state, { away: step.away, decline: step.decline });
      return;
    case 'new-card':
      await store.transaction((tx) => saveCard(tx, cardOf(accountId, `pm_${name}`, clock.now())));
      return;
    case 'resume':
      await setAutoTopUp(store.db, { accountId, by: 'ann', at: clock.now(), ...settings });
      return;
    default:
      step satisfies never;
  }
}
