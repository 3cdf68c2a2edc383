import type { Kysely, Selectable } from 'kysely';
import { credits } from '../billing/credits.ts';
import { moneyText } from '../billing/locked-accounts.ts';
import { takeBack } from '../billing/reversals.ts';
import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/gateway-error.ts';
import type { Nano } from '../core/money.ts';
import type { Database } from '../store/database.ts';
import { engineOf } from '../store/engine.ts';
import { joined } from '../store/joined.ts';
import type { Store } from '../store/store.ts';
import { fromMinorUnits } from './minor-units.ts';
import type { PaymentNews } from './payment-provider.ts';

/** Money that somebody means to pay in. */
export interface Payment {
  readonly id: string;
  readonly accountId: string;
  readonly amount: Nano;
  readonly currency: string;
  readonly state: 'open' | 'paid' | 'ended';
  readonly by: string;
  readonly createdAt: number;
  readonly paidAt: number | undefined;
  /** How much of it went back to whoever paid. */
  readonly refunded: Nano;
}

/** Notes it before anybody is asked to pay: news of a payment always find it. */
export async function newPayment(
  { store, clock }: { readonly store: Store; readonly clock: Clock },
  order: Pick<Payment, 'id' | 'accountId' | 'amount' | 'currency' | 'by'> & { readonly provider: string },
): Promise<Payment> {
  const { id, accountId, amount, currency, by, provider } = order;
  const row = { id, account_id: accountId, amount, currency, by, provider, created_at: clock.now() };
  await store.db
    .insertInto('payments')
    .values({ ...row, state: 'open', paid_at: null, intent: null, refunded: 0n })
    .execute();
  return {
    id,
    accountId,
    amount,
    currency,
    by,
    state: 'open',
    createdAt: row.created_at,
    paidAt: undefined,
    refunded: 0n,
  };
}

/** An account's payments, newest first. */
export async function listPayments({ db }: Store, accountId: string, limit: number): Promise<readonly Payment[]> {
  const rows = await payments(db)
    .where('account_id', '=', accountId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
  return rows.map(fromRow);
}

export async function findPayment({ db }: Pick<Store, 'db'>, id: string): Promise<Payment | undefined> {
  const row = await payments(db).where('id', '=', id).executeTakeFirst();
  return row && fromRow(row);
}

/**
 * Books what a provider told us, in one transaction. News say how things stand and are booked under names that come from them,
 * so the same news twice, at two gateways, or in another order than they happened change nothing more.
 */
export function bookNews(store: Store, clock: Clock, news: PaymentNews): Promise<void> {
  return store.transaction(async (tx) => {
    const payment = await lockPayment(tx, news);
    // Others may be paid through the same account of the provider.
    if (!payment) return;
    const inside = joined(store, tx);
    const change = (values: Partial<{ state: Payment['state']; paid_at: number; intent: string; refunded: bigint }>) =>
      tx.updateTable('payments').set(values).where('id', '=', payment.id).execute();
    switch (news.kind) {
      case 'paid':
        requireSame(payment, news);
        await credits(inside, clock).topUp(movement(payment, payment.amount, payment.id, 'paid by card or bank'));
        if (payment.state !== 'paid') await change({ state: 'paid', paid_at: clock.now(), intent: news.intent });
        return;
      case 'ended':
        if (payment.state === 'open') await change({ state: 'ended' });
        return;
      case 'refunded': {
        requirePaid(payment);
        const refunded = fromMinorUnits(news.minorUnits, payment.currency);
        const more = refunded - payment.refunded;
        if (more <= 0n) return;
        await takeBack(inside, clock, movement(payment, more, `${payment.id} refund ${news.minorUnits}`, 'refunded'));
        await change({ refunded });
        return;
      }
      case 'disputed':
      case 'dispute-won': {
        requirePaid(payment);
        const amount = fromMinorUnits(news.minorUnits, payment.currency);
        const isWon = news.kind === 'dispute-won';
        const order = movement(payment, amount, news.disputeId, isWon ? 'a dispute was won' : 'disputed at the bank');
        await (isWon ? credits(inside, clock).topUp(order) : takeBack(inside, clock, order));
        return;
      }
      default:
        news satisfies never;
    }
  });
}

function movement({ accountId }: Payment, amount: Nano, reference: string, reason: string) {
  return { accountId, amount, reference, by: 'payments', reason };
}

/** What was paid is what was asked for, or nobody knows what it was for. */
function requireSame({ amount, currency }: Payment, news: Extract<PaymentNews, { kind: 'paid' }>): void {
  if (news.currency === currency && fromMinorUnits(news.minorUnits, currency) === amount) return;
  throw new GatewayError('conflict', { detail: 'Another amount or currency was paid than was asked for.' });
}

/** News that came too early are refused; the provider tells them again. */
function requirePaid({ state }: Payment): void {
  if (state !== 'paid') throw new GatewayError('conflict', { detail: 'This payment is not known as paid yet.' });
}

async function lockPayment(tx: Kysely<Database>, news: PaymentNews): Promise<Payment | undefined> {
  const id = 'paymentId' in news ? news.paymentId : undefined;
  const found = payments(tx);
  const query =
    id === undefined && 'intent' in news ? found.where('intent', '=', news.intent) : found.where('id', '=', id ?? '');
  const row = await (engineOf(tx) === 'postgres' ? query.forUpdate() : query).executeTakeFirst();
  return row && fromRow(row);
}

function payments(db: Kysely<Database>) {
  return db
    .selectFrom('payments')
    .select(['id', 'account_id', 'currency', 'state', 'by', 'created_at', 'paid_at'])
    .select([moneyText('amount').as('amount'), moneyText('refunded').as('refunded')]);
}

type Row = Pick<
  Selectable<Database['payments']>,
  'id' | 'account_id' | 'currency' | 'state' | 'by' | 'created_at' | 'paid_at'
> & {
  readonly amount: string;
  readonly refunded: string;
};

function fromRow(row: Row): Payment {
  return {
    id: row.id,
    accountId: row.account_id,
    amount: BigInt(row.amount),
    currency: row.currency,
    state: row.state,
    by: row.by,
    createdAt: row.created_at,
    paidAt: row.paid_at ?? undefined,
    refunded: BigInt(row.refunded),
  };
}
