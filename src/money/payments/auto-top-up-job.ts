import { randomBytes } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import type { Clock } from '../../core/time/clock.ts';
import { decimalText } from '../../core/money.ts';
import type { Seller } from '../documents/billing-document.ts';
import type { Database } from '../../platform/store/database.ts';
import type { Store } from '../../platform/store/store.ts';
import { dueTopUps } from './auto-top-up.ts';
import { minorUnits } from './minor-units.ts';
import type { ChargeOrder, PaymentProvider } from './payment-provider.ts';
import { bookPaymentEvent } from './payments.ts';
import { forgetRemovedCards } from './saved-cards.ts';

export interface AutoTopUpParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly provider: PaymentProvider;
  readonly currency: string;
  /** The seller on receipts. */
  readonly seller?: Seller | undefined;
  readonly onError: (error: unknown) => void;
  /** Ends calls of the provider when the process stops. */
  readonly signal: AbortSignal;
}

/** Their cards are charged at the same time. The others follow in the next run. */
const paymentsPerRun = 20;
/** Longer than a call of the provider may take, so that two processes rarely attempt the same payment. */
const firstRetryMs = 30_000;
const retryMaxMs = 3_600_000;
/**
 * Providers keep an idempotency key for 24 hours. Later, a repeated call could charge a second time, so the payment is
 * given up before.
 */
const giveUpAfterMs = 20 * 3_600_000;

/**
 * Makes the automatic payments that are due. Several processes may run this at once, and any of them may stop at any
 * step: a payment is stored before its first call of the provider, and all calls for it share one idempotency key.
 */
export async function runAutoTopUps(parts: AutoTopUpParts): Promise<void> {
  const { store, clock, provider, onError } = parts;
  await createDuePayments(parts);
  const due = await duePayments(parts);
  await Promise.all(due.map(({ id, attempts }) => attemptCharge(parts, id, attempts).catch(onError)));
  await forgetRemovedCards(store.db, provider, { now: clock.now(), onError });
}

async function createDuePayments(parts: AutoTopUpParts): Promise<void> {
  const { store, clock, provider, onError } = parts;
  const filter = { provider: provider.name, now: clock.now(), limit: paymentsPerRun };
  for (const { accountId } of await dueTopUps(store.db, filter)) {
    await createPayment(parts, accountId).catch(onError);
  }
}

/** The lock and the second look make this one payment, however many processes see that it is due. */
async function createPayment({ store, clock, provider, currency }: AutoTopUpParts, accountId: string): Promise<void> {
  await store.transaction(
    async (tx) => {
      const now = clock.now();
      const [due] = await dueTopUps(tx, { provider: provider.name, now, accountId, limit: 1 });
      if (!due) return;
      const id = `pay_${randomBytes(12).toString('hex')}`;
      const order = { account_id: accountId, amount: due.amount, currency, by: due.by, provider: provider.name };
      const charge = { customer: due.customer, card: due.card, attempts: 0, due_at: now };
      const begun = { state: 'open', created_at: now, paid_at: null, intent: null, refunded: 0n } as const;
      await tx
        .insertInto('payments')
        .values({ id, kind: 'automatic', ...order, ...charge, ...begun })
        .execute();
    },
    { lock: `auto top-up ${accountId}` },
  );
}

function duePayments({ store, clock, provider }: AutoTopUpParts) {
  return store.db
    .selectFrom('payments')
    .select(['id', 'attempts'])
    .where('kind', '=', 'automatic')
    .where('state', '=', 'open')
    .where('provider', '=', provider.name)
    .where('due_at', '<=', clock.now())
    .orderBy('due_at')
    .limit(paymentsPerRun)
    .execute();
}

/** Charges the card once. If the result is unknown, the payment stays in flight until its next attempt. */
async function attemptCharge(parts: AutoTopUpParts, id: string, attempts: number): Promise<void> {
  const { store, clock, provider, seller } = parts;
  const claim = await store.transaction((tx) => claimAttempt(tx, { id, attempts, now: clock.now() }));
  if (claim === undefined) return;
  if (typeof claim === 'string') {
    await bookPaymentEvent(store, clock, { kind: 'failed', paymentId: id, failure: claim });
    return;
  }
  const result = await provider.charge(claim, parts.signal);
  if (result.kind !== 'pending') await bookPaymentEvent(store, clock, { ...result, paymentId: id }, seller);
}

/**
 * Claims the next attempt. Returns its order, the failure of a payment that is over, or `undefined` if another process
 * was faster. An untried payment is canceled if its card or the automatic top-up is gone; a tried one may be paid
 * already, so it is tried again.
 */
async function claimAttempt(
  tx: Kysely<Database>,
  { id, attempts, now }: { readonly id: string; readonly attempts: number; readonly now: number },
): Promise<ChargeOrder | 'canceled' | 'unreachable' | undefined> {
  const due_at = now + Math.min(firstRetryMs * 2 ** attempts, retryMaxMs);
  const row = await tx
    .updateTable('payments')
    .set({ attempts: attempts + 1, due_at })
    .where('id', '=', id)
    .where('state', '=', 'open')
    .where('attempts', '=', attempts)
    .returning([
      'account_id',
      'currency',
      'customer',
      'card',
      'created_at',
      sql<string>`cast(amount as text)`.as('sum'),
    ])
    .executeTakeFirst();
  if (!row) return undefined;
  const { customer, card, currency, created_at: createdAt } = row;
  if (now - createdAt >= giveUpAfterMs) return attempts === 0 ? 'canceled' : 'unreachable';
  if (customer === null || card === null) return 'canceled';
  if (attempts === 0 && !(await isStillWanted(tx, row.account_id, card))) return 'canceled';
  const amount = BigInt(row.sum);
  const title = `${decimalText(amount)} ${currency}`;
  return { paymentId: id, minorUnits: minorUnits(amount, currency) ?? 0, currency, customer, card, title };
}

async function isStillWanted(tx: Kysely<Database>, accountId: string, card: string): Promise<boolean> {
  const row = await tx
    .selectFrom('auto_top_ups')
    .innerJoin('saved_cards', 'saved_cards.account_id', 'auto_top_ups.account_id')
    .select('card')
    .where('auto_top_ups.account_id', '=', accountId)
    .executeTakeFirst();
  return row?.card === card;
}
