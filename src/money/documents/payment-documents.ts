import { assert } from 'chat-formats/assert.ts';
import { decimalText, minorUnit, type Nano } from '../../core/money.ts';
import { ownJson } from 'chat-formats/json/own-json.ts';
import { moneyText } from '../billing/ledger/locked-accounts.ts';
import type { DocumentContent } from './billing-document.ts';
import { includedTax } from './included-tax.ts';
import { type Issuing, issueDocument, lockNumbers, taxLine } from './issue-document.ts';

/**
 * Issues the receipt of a payment that is now paid. Before the first receipt of an installation, payments that an
 * earlier version booked get theirs, oldest first.
 */
export async function issueReceipt(issuing: Issuing, paymentId: string): Promise<void> {
  await lockNumbers(issuing);
  const any = await issuing.tx
    .selectFrom('billing_documents')
    .select('number')
    .where('kind', '=', 'receipt')
    .limit(1)
    .executeTakeFirst();
  if (!any) await issueEarlierReceipts(issuing);
  const payment = await paidPayments(issuing).where('id', '=', paymentId).executeTakeFirst();
  if (payment) await issueFor(issuing, payment);
}

/** Issues the missing receipts of all paid payments, oldest first, and a credit note for what was refunded of each. */
export async function issueEarlierReceipts(issuing: Issuing): Promise<void> {
  await lockNumbers(issuing);
  const earlier = await withoutReceipt(issuing).orderBy('paid_at').orderBy('id').execute();
  for (const payment of earlier) {
    await issueFor(issuing, payment);
    const refunded = BigInt(payment.refunded);
    if (refunded === 0n) continue;
    const reference = refundReference(payment.id, Number(refunded / minorUnit(payment.currency)));
    await issueCreditNote(issuing, {
      paymentId: payment.id,
      reference,
      returned: 'refunded',
      before: 0n,
      amount: refunded,
    });
  }
}

/** Whether a paid payment of the account has no receipt. */
export async function lacksReceipt(issuing: Pick<Issuing, 'tx'>, accountId: string): Promise<boolean> {
  const row = await withoutReceipt(issuing).where('account_id', '=', accountId).limit(1).executeTakeFirst();
  return row !== undefined;
}

/** The reference of the refund after which a payment has this amount refunded. */
export function refundReference(paymentId: string, minorUnits: number): string {
  return `${paymentId} refund ${minorUnits}`;
}

interface ReturnedMoney {
  readonly paymentId: string;
  /** The reference of the booking. */
  readonly reference: string;
  readonly returned: 'refunded' | 'disputed';
  readonly amount: Nano;
  /** The amount that was returned before. */
  readonly before: Nano;
}

/**
 * Issues the credit note of a refund or a dispute, with the tax rate of the receipt. The tax of several refunds adds up
 * to the tax of their sum. A payment that an earlier version booked gets its receipt first.
 */
export async function issueCreditNote(issuing: Issuing, money: ReturnedMoney): Promise<void> {
  const { paymentId, reference, returned, before } = money;
  if (!(await receiptOf(issuing, paymentId))) await issueEarlierReceipts(issuing);
  const receipt = await receiptOf(issuing, paymentId);
  assert(receipt !== undefined, 'a paid payment has a receipt');
  const { number, accountId, currency, tax } = receipt;
  const taxOf = (amount: Nano, rate: string) => includedTax(amount, rate, currency);
  const returnedTax = tax && {
    ...tax,
    amount: decimalText(taxOf(before, tax.rate) - taxOf(before + money.amount, tax.rate)),
  };
  const subject = { returned, paymentId, receipt: number };
  const order = { accountId, reference, currency, amount: -money.amount, tax: returnedTax, subject };
  await issueDocument(issuing, { kind: 'credit_note', ...order });
}

/** Issues the receipt for money that came back with a won dispute, at the tax rate of the first receipt. */
export async function issueRegainedReceipt(
  issuing: Issuing,
  { paymentId, reference, amount }: Pick<ReturnedMoney, 'paymentId' | 'reference' | 'amount'>,
): Promise<void> {
  const [receipt, payment] = [
    await receiptOf(issuing, paymentId),
    await paidPayments(issuing).where('id', '=', paymentId).executeTakeFirst(),
  ];
  if (!receipt || !payment) return;
  const { accountId, currency, tax } = receipt;
  const regained = tax && { ...tax, amount: decimalText(includedTax(amount, tax.rate, currency)) };
  const subject = { paid: 'dispute-won', paymentId, provider: payment.provider, paidAt: issuing.clock.now() } as const;
  await issueDocument(issuing, { kind: 'receipt', accountId, reference, currency, amount, tax: regained, subject });
}

type PaidPayment = Awaited<ReturnType<ReturnType<typeof paidPayments>['execute']>>[number];

async function issueFor(issuing: Issuing, payment: PaidPayment): Promise<void> {
  const { id, account_id: accountId, currency, provider, paid_at: paidAt } = payment;
  const amount = BigInt(payment.amount);
  const tax = taxLine(issuing.seller, 'payments', { amount, currency });
  const subject = { paid: 'payment', paymentId: id, provider, paidAt: paidAt ?? issuing.clock.now() } as const;
  await issueDocument(issuing, { kind: 'receipt', accountId, reference: id, currency, amount, tax, subject });
}

function paidPayments({ tx }: Pick<Issuing, 'tx'>) {
  return tx
    .selectFrom('payments')
    .select(['id', 'account_id', 'currency', 'provider', 'paid_at'])
    .select([moneyText('amount').as('amount'), moneyText('refunded').as('refunded')])
    .where('state', '=', 'paid');
}

function withoutReceipt(issuing: Pick<Issuing, 'tx'>) {
  return paidPayments(issuing).where((payment) =>
    payment.not(
      payment.exists(
        payment
          .selectFrom('billing_documents')
          .select('number')
          .where('billing_documents.kind', '=', 'receipt')
          .whereRef('billing_documents.account_id', '=', 'payments.account_id')
          .whereRef('billing_documents.reference', '=', 'payments.id'),
      ),
    ),
  );
}

async function receiptOf({ tx }: Issuing, paymentId: string) {
  const row = await tx
    .selectFrom('billing_documents')
    .innerJoin('payments', 'payments.account_id', 'billing_documents.account_id')
    .select(['number', 'payments.account_id', 'billing_documents.currency', 'content'])
    .where('payments.id', '=', paymentId)
    .where('billing_documents.kind', '=', 'receipt')
    .where('billing_documents.reference', '=', paymentId)
    .executeTakeFirst();
  if (!row) return undefined;
  const { tax } = ownJson(row.content) as DocumentContent;
  return { number: row.number, accountId: row.account_id, currency: row.currency, tax };
}
