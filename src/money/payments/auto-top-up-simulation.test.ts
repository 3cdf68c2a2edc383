import fc from 'fast-check';
import { expect, test } from 'vitest';
import { manualClock, type ManualClock } from '../../../test/clocks/manual-clock.ts';
import {
  cardOf,
  jobOn,
  newCardAccount,
  settings,
  simulatedProvider,
  type SimulatedProvider,
} from '../../../test/fakes/simulated-payments.ts';
import { testStores } from '../../../test/stores/stores.ts';
import { credits } from '../billing/ledger/credits.ts';
import { verifyLedger } from '../billing/ledger/verify.ts';
import { balanceOf } from '../billing/wallet/balance.ts';
import type { Store } from '../../platform/store/store.ts';
import { setAutoTopUp } from './auto-top-up.ts';
import type { ChargeFailure } from './payment-provider.ts';
import { bookPaymentEvent, listPayments } from './payments.ts';
import { saveCard } from './saved-cards.ts';

const hourMs = 3_600_000;

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
      const bank = simulatedProvider(clock);
      await store.db.deleteFrom('auto_top_ups').execute();
      const accountId = await newCardAccount(store, clock, `account-${number}`);
      const run = jobOn(store, clock, bank);
      const spentIn = new Map<string, bigint>();
      for (const [index, step] of order.entries()) {
        await take(step, { store, clock, bank, accountId, run, name: `${number}.${index}` });
      }
      Object.assign(bank.state, { away: undefined, decline: undefined });
      clock.advance(hourMs);
      await run();
      for (const event of bank.webhooks) await bookPaymentEvent(store, clock, event);
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
  readonly bank: SimulatedProvider;
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
      for (const event of [...bank.webhooks, ...bank.webhooks]) await bookPaymentEvent(store, clock, event);
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
