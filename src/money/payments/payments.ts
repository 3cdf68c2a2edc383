import type { Kysely, Selectable, Transaction } from 'kysely';
import { credits } from '../billing/ledger/credits.ts';
import { moneyText } from '../billing/ledger/locked-accounts.ts';
import { undoReversal, reverse } from '../billing/ledger/reversals.ts';
import type { Seller } from '../documents/billing-document.ts';
import {
  issueCreditNote,
  issueReceipt,
  issueRegainedReceipt,
  refundReference,
} from '../documents/payment-documents.ts';
import type { Clock } from '../../core/time/clock.ts';
import { GatewayError } from 'chat-formats/gateway-error.ts';
import type { Nano } from '../../core/money.ts';
import type { Database } from '../../platform/store/database.ts';
import { engineOf } from '../../platform/store/engine.ts';
import { joined } from '../../platform/store/joined.ts';
import type { Store } from '../../platform/store/store.ts';
import { fromMinorUnits } from './minor-units.ts';
import { pauseAutoTopUp } from './auto-top-up.ts';
import type { ChargeFailure, PaymentEvent } from './payment-provider.ts';
import { reason } from 'chat-formats/reasons/reason.ts';
import { ownJson } from 'chat-formats/json/own-json.ts';

export interface Payment {
  readonly id: string;
  readonly accountId: string;
  readonly amount: Nano;
  readonly currency: string;
  readonly state: 'open' | 'paid' | 'ended';
  /** The provider's id of the payment, once it is paid. */
  readonly intent: string | undefined;
  readonly by: string;
  readonly createdAt: number;
  readonly paidAt: number | undefined;
  readonly refunded: Nano;
  readonly kind: 'checkout' | 'automatic';
  /** Why an automatic payment was not paid. */
  readonly failure: ChargeFailure | undefined;
  /** The provider's id of the card that an automatic payment is charged to. */
  readonly card: string | undefined;
}

/** Stores the payment before the checkout exists, so that every event finds it. */
export async function newPayment(
  { store, clock }: { readonly store: Store; readonly clock: Clock },
  order: Pick<Payment, 'id' | 'accountId' | 'amount' | 'currency' | 'by'> & { readonly provider: string },
): Promise<Payment> {
  const { id, accountId, amount, currency, by, provider } = order;
  const row = { id, account_id: accountId, amount, currency, by, provider, created_at: clock.now() };
  const state = { state: 'open', paid_at: null, intent: null, kind: 'checkout', failure: null, card: null } as const;
  await store.db
    .insertInto('payments')
    .values({ ...row, ...state, refunded: 0n })
    .execute();
  return fromRow({ ...row, ...state, amount: String(amount), refunded: '0' });
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
 * The return URL of a checkout: the one of the first call, whatever later calls pass. With an identical request the
 * provider returns the same checkout, so there are never two to pay.
 */
export async function returnUrl({ db }: Pick<Store, 'db'>, id: string, url: string): Promise<string> {
  const own = db.updateTable('payments').set({ return_url: url });
  await own.where('id', '=', id).where('return_url', 'is', null).execute();
  const row = await db.selectFrom('payments').select('return_url').where('id', '=', id).executeTakeFirst();
  return row?.return_url ?? url;
}

/**
 * Books a provider event in one transaction. Events state the resulting state, and their bookings have references
 * derived from them. A repeated event, at two gateways or in another order, therefore changes nothing more. Events that
 * arrive before the payment is known as paid are stored, and booked with it. Receipts and credit notes name the seller.
 */
export function bookPaymentEvent(store: Store, clock: Clock, event: PaymentEvent, seller?: Seller): Promise<void> {
  const book = async (tx: Transaction<Database>): Promise<void> => {
    const payment = await lockPayment(tx, event);
    const booking = { tx, inside: joined(store, tx), clock, seller };
    if (event.kind === 'ended') {
      if (payment?.state === 'open') await change(tx, payment, { state: 'ended' });
    } else if (event.kind === 'failed') {
      if (payment?.state === 'open') await bookFailed(booking, payment, event.failure);
    } else if (event.kind === 'paid') {
      // An unknown payment is ignored: other systems may use the same provider account.
      if (payment) await bookPaid(booking, payment, event);
    } else if (payment?.state === 'paid') {
      if (isAboveAmount(payment, event)) throw refundedTooMuch(payment, event);
      await bookLater(booking, payment, event);
    } else {
      await storeEarlyEvent(tx, event, clock.now());
    }
  };
  // Serialised per payment: an early event must not be stored after the payment has read the stored ones.
  return store.transaction(book, 'intent' in event ? { lock: `payment ${event.intent}` } : {});
}

interface PaymentBooking {
  readonly tx: Transaction<Database>;
  /** The same transaction, as a `Store`. */
  readonly inside: Store;
  readonly clock: Clock;
  readonly seller: Seller | undefined;
}

/** Ends an automatic payment, and pauses the automatic top-up unless the payment was never tried. */
async function bookFailed({ tx, clock }: PaymentBooking, payment: Payment, failure: ChargeFailure): Promise<void> {
  await change(tx, payment, { state: 'ended', failure });
  if (failure !== 'canceled') await pauseAutoTopUp(tx, { ...payment, failure, at: clock.now() });
}

type PaidEvent = Extract<PaymentEvent, { kind: 'paid' }>;

/** The reasons of the ledger entries. The dashboard translates them. */
const paidReasons = { checkout: 'paid by card or bank', automatic: 'automatic top-up' } as const;

async function bookPaid(booking: PaymentBooking, payment: Payment, event: PaidEvent): Promise<void> {
  const { tx, inside, clock } = booking;
  requireSame(payment, event);
  await credits(inside, clock).topUp(movement(payment, payment.amount, payment.id, paidReasons[payment.kind]));
  if (payment.state === 'paid') return;
  await change(tx, payment, { state: 'paid', paid_at: clock.now(), intent: event.intent, failure: null });
  await issueReceipt(booking, payment.id);
  for (const early of await takeEarlyEvents(tx, event.intent)) {
    const now = await findPayment({ db: tx }, payment.id);
    // Book the payment even if an earlier refund event cannot be true.
    if (now && !isAboveAmount(now, early)) await bookLater(booking, now, early);
  }
}

/** A won dispute took the money before, even if that event arrives later. It returns exactly what it took. */
async function bookLater(booking: PaymentBooking, payment: Payment, event: LaterPaymentEvent): Promise<void> {
  const { tx, inside, clock } = booking;
  const paymentId = payment.id;
  const amount = fromMinorUnits(event.minorUnits, payment.currency);
  if (event.kind === 'refunded') {
    const more = amount - payment.refunded;
    if (more <= 0n) return;
    const reference = refundReference(paymentId, event.minorUnits);
    await reverse(inside, clock, movement(payment, more, reference, 'refunded'));
    await change(tx, payment, { refunded: amount });
    const before = payment.refunded;
    await issueCreditNote(booking, { paymentId, reference, returned: 'refunded', amount: more, before });
    return;
  }
  const dispute = { paymentId, reference: event.disputeId, amount };
  await reverse(inside, clock, movement(payment, amount, event.disputeId, 'disputed at the bank'));
  await issueCreditNote(booking, { ...dispute, returned: 'disputed', before: 0n });
  if (event.kind === 'dispute-won') {
    await undoReversal(inside, clock, movement(payment, amount, event.disputeId, 'a dispute was won'));
    await issueRegainedReceipt(booking, dispute);
  }
}

/** Whether a refund exceeds the payment. A dispute may exceed it, because banks count in other currencies. */
function isAboveAmount({ amount, currency }: Payment, { kind, minorUnits }: LaterPaymentEvent): boolean {
  return kind === 'refunded' && fromMinorUnits(minorUnits, currency) > amount;
}

function refundedTooMuch({ id, currency }: Payment, { minorUnits }: LaterPaymentEvent): GatewayError {
  return new GatewayError('invalid-request', {
    reason: reason('refund_too_large', { amount: minorUnits, currency, id }),
  });
}

type PaymentChange = Partial<{
  state: Payment['state'];
  paid_at: number;
  intent: string;
  refunded: bigint;
  failure: ChargeFailure | null;
}>;

async function change(tx: Kysely<Database>, { id }: Payment, values: PaymentChange): Promise<void> {
  await tx.updateTable('payments').set(values).where('id', '=', id).execute();
}

function movement({ accountId }: Payment, amount: Nano, reference: string, reason: string) {
  return { accountId, amount, reference, by: 'payments', reason };
}

/** Rejects a payment with another amount or currency than ordered, and a second payment of the same order. */
function requireSame({ amount, currency, intent }: Payment, event: PaidEvent): void {
  if (event.currency !== currency || fromMinorUnits(event.minorUnits, currency) !== amount) {
    throw new GatewayError('conflict', { reason: reason('payment_differs') });
  }
  if (intent !== undefined && intent !== event.intent) {
    throw new GatewayError('conflict', { reason: reason('payment_booked_before') });
  }
}

async function lockPayment(tx: Kysely<Database>, event: PaymentEvent): Promise<Payment | undefined> {
  const id = 'paymentId' in event ? event.paymentId : undefined;
  const all = payments(tx);
  const query =
    id === undefined && 'intent' in event ? all.where('intent', '=', event.intent) : all.where('id', '=', id ?? '');
  const row = await (engineOf(tx) === 'postgres' ? query.forUpdate() : query).executeTakeFirst();
  return row && fromRow(row);
}

function payments(db: Kysely<Database>) {
  return db
    .selectFrom('payments')
    .select(paymentColumns)
    .select([moneyText('amount').as('amount'), moneyText('refunded').as('refunded')]);
}

const paymentColumns = [
  ...(['id', 'account_id', 'currency', 'state', 'intent', 'by'] as const),
  ...(['created_at', 'paid_at', 'kind', 'failure', 'card'] as const),
] as const;

type PaymentRow = Pick<Selectable<Database['payments']>, (typeof paymentColumns)[number]> & {
  readonly amount: string;
  readonly refunded: string;
};

function fromRow(row: PaymentRow): Payment {
  return {
    id: row.id,
    accountId: row.account_id,
    amount: BigInt(row.amount),
    currency: row.currency,
    state: row.state,
    intent: row.intent ?? undefined,
    by: row.by,
    createdAt: row.created_at,
    paidAt: row.paid_at ?? undefined,
    refunded: BigInt(row.refunded),
    kind: row.kind,
    failure: row.failure ?? undefined,
    card: row.card ?? undefined,
  };
}

/** Provider events that identify a payment by the provider's own id. */
type LaterPaymentEvent = Extract<PaymentEvent, { kind: 'refunded' | 'disputed' | 'dispute-won' }>;

/**
 * Providers retry an event for days, and it can be resent by hand for weeks. Older events belong to payments that are
 * not ours.
 */
const retentionMs = 30 * 86_400_000;

/** Stores an event of a payment that is not known as paid yet: providers send events in any order. */
async function storeEarlyEvent(tx: Kysely<Database>, event: LaterPaymentEvent, now: number): Promise<void> {
  const row = { intent: event.intent, event: JSON.stringify(event), received_at: now };
  await tx
    .insertInto('early_payment_events')
    .values(row)
    .onConflict((kept) => kept.columns(['intent', 'event']).doNothing())
    .execute();
  await tx
    .deleteFrom('early_payment_events')
    .where('received_at', '<', now - retentionMs)
    .execute();
}

async function takeEarlyEvents(tx: Kysely<Database>, intent: string): Promise<readonly LaterPaymentEvent[]> {
  const rows = await tx.deleteFrom('early_payment_events').where('intent', '=', intent).returning('event').execute();
  return rows.map(({ event }) => ownJson(event) as LaterPaymentEvent);
}
