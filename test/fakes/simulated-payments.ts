import { accounts } from '../../src/money/accounts/accounts.ts';
import { runAutoTopUps } from '../../src/money/payments/auto-top-up-job.ts';
import { setAutoTopUp } from '../../src/money/payments/auto-top-up.ts';
import type {
  ChargeFailure,
  ChargeOrder,
  ChargeResult,
  PaymentEvent,
  PaymentProvider,
} from '../../src/money/payments/payment-provider.ts';
import { saveCard } from '../../src/money/payments/saved-cards.ts';
import type { Store } from '../../src/platform/store/store.ts';
import type { ManualClock } from '../clocks/manual-clock.ts';

export const unit = 1_000_000_000n;
/** The automatic top-up of `newCardAccount`. */
export const settings = { threshold: 5n * unit, amount: 10n * unit, monthlyMax: 25n * unit };

const dayMs = 86_400_000;

/** A provider that remembers the result of each idempotency key for a day, as the real one does. */
export function simulatedProvider({ now }: Pick<ManualClock, 'now'>) {
  const results = new Map<string, { readonly result: ChargeResult; readonly at: number }>();
  const webhooks: PaymentEvent[] = [];
  const charges: ChargeOrder[] = [];
  const forgotten: string[] = [];
  const state: { decline?: ChargeFailure | undefined; away?: 'before' | 'after' | undefined } = {};
  function resultOf(order: ChargeOrder): ChargeResult {
    const { paymentId, minorUnits, currency } = order;
    const known = results.get(paymentId);
    if (known && now() - known.at < dayMs) return known.result;
    const result: Exclude<ChargeResult, { kind: 'pending' }> = state.decline
      ? { kind: 'failed', failure: state.decline }
      : { kind: 'paid', minorUnits, currency, intent: `pi_${paymentId}` };
    if (result.kind === 'paid') charges.push(order);
    results.set(paymentId, { result, at: now() });
    webhooks.push({ ...result, paymentId });
    return result;
  }
  const unused = () => Promise.reject(new Error('not used here'));
  const provider: PaymentProvider = {
    name: 'simulated',
    checkout: unused,
    setUpCard: unused,
    cardOf: unused,
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
  return { provider, state, charges, forgotten, webhooks };
}

export type SimulatedProvider = ReturnType<typeof simulatedProvider>;

/** An account with a card and an automatic top-up. */
export async function newCardAccount(store: Store, clock: ManualClock, name = 'ann'): Promise<string> {
  const { id } = await accounts(store, clock).create({ name, packageName: 'standard' });
  await store.transaction((tx) => saveCard(tx, cardOf(id, 'pm_1', clock.now())));
  await setAutoTopUp(store.db, { accountId: id, by: 'ann', at: clock.now(), ...settings });
  return id;
}

/** A card as a set-up saves it. */
export function cardOf(accountId: string, card: string, at: number) {
  const shown = { brand: 'visa', last4: card.slice(-4).padStart(4, '0'), expMonth: 4, expYear: 2031 };
  const provider = { card, customer: 'cus_1', setUpAt: at };
  return { accountId, provider: 'simulated', by: 'ann', setup: `seti_${card}`, card: { ...shown, ...provider }, at };
}

/** The job of one process. */
export function jobOn(store: Store, clock: ManualClock, { provider }: SimulatedProvider) {
  const { signal } = new AbortController();
  return () => runAutoTopUps({ store, clock, provider, currency: 'USD', onError: () => undefined, signal });
}
