import type { Transaction } from 'kysely';
import { assert } from 'chat-formats/assert.ts';
import { decimalText, type Nano } from '../../core/money.ts';
import type { Clock } from '../../core/time/clock.ts';
import type { Database } from '../../platform/store/database.ts';
import { engineOf } from '../../platform/store/engine.ts';
import { takeLock } from '../../platform/store/transactions.ts';
import { billedParty, customerOf } from './billing-details.ts';
import type { BillingDocument, DocumentContent, DocumentKind, Seller } from './billing-document.ts';
import { includedTax } from './included-tax.ts';

/** The transaction that issues documents, and the seller that they name. */
export interface Issuing {
  readonly tx: Transaction<Database>;
  readonly clock: Pick<Clock, 'now'>;
  readonly seller: Seller | undefined;
}

interface DocumentOrder
  extends Pick<
    BillingDocument,
    'kind' | 'accountId' | 'organisationId' | 'reference' | 'amount' | 'currency' | 'subject'
  > {
  /** The tax that the amount includes. */
  readonly tax: DocumentContent['tax'];
}

const letters: Readonly<Record<DocumentKind, string>> = { receipt: 'R', credit_note: 'C', statement: 'S', bill: 'B' };
const digits = 6;

/**
 * Issues a document once: a second order with the same reference changes nothing. The number is the next of its kind
 * and year. It belongs to the transaction, so a transaction that fails leaves no gap. The lock makes transactions of all
 * processes number one after another.
 */
export async function issueDocument(issuing: Issuing, order: DocumentOrder): Promise<void> {
  const { tx, clock, seller } = issuing;
  const { kind, accountId, organisationId, reference, amount, currency, subject, tax } = order;
  await lockNumbers(issuing);
  if (await numberOf(tx, order)) return;
  const issuedAt = clock.now();
  const series = `${letters[kind]}-${new Date(issuedAt).getUTCFullYear()}`;
  const position = (await lastPosition(tx, series)) + 1;
  const number = `${seller?.numberPrefix ?? ''}${series}-${String(position).padStart(digits, '0')}`;
  const content: DocumentContent = {
    seller: seller && sellerParty(seller),
    customer:
      organisationId === undefined ? await customerOf(tx, accountId ?? '') : await billedParty(tx, organisationId),
    tax,
    subject,
  };
  const owner = { account_id: accountId ?? null, organisation_id: organisationId ?? null };
  const row = { number, kind, series, position, ...owner, reference, amount, currency };
  await tx
    .insertInto('billing_documents')
    .values({ ...row, content: JSON.stringify(content), issued_at: issuedAt })
    .execute();
}

/** Waits until no other transaction numbers documents. The embedded store has one writer at a time. */
export async function lockNumbers({ tx }: Pick<Issuing, 'tx'>): Promise<void> {
  if (engineOf(tx) === 'postgres') await takeLock(tx, 'billing documents');
}

/** The seller as documents print it. */
export function sellerParty({ name, address, country, taxNumber, email, note }: Seller) {
  return { name, address, country, taxNumber, email, note };
}

/** The tax line of an amount, if the seller shows tax on documents of this kind. */
export function taxLine(
  seller: Seller | undefined,
  shownOn: NonNullable<Seller['tax']>['shownOn'],
  { amount, currency }: { readonly amount: Nano; readonly currency: string },
): DocumentContent['tax'] {
  const { tax } = seller ?? {};
  if (tax?.shownOn !== shownOn) return undefined;
  return { name: tax.name, rate: tax.rate, amount: decimalText(includedTax(amount, tax.rate, currency)) };
}

/** The number of a document that was issued for the reference. */
async function numberOf(
  tx: Issuing['tx'],
  order: Pick<BillingDocument, 'kind' | 'accountId' | 'organisationId' | 'reference'>,
): Promise<string | undefined> {
  const row = await tx
    .selectFrom('billing_documents')
    .select('number')
    .where(
      order.organisationId === undefined ? 'account_id' : 'organisation_id',
      '=',
      order.organisationId ?? order.accountId ?? '',
    )
    .where('kind', '=', order.kind)
    .where('reference', '=', order.reference)
    .executeTakeFirst();
  return row?.number;
}

async function lastPosition(tx: Issuing['tx'], series: string): Promise<number> {
  const row = await tx
    .selectFrom('billing_documents')
    .select('position')
    .where('series', '=', series)
    .orderBy('position', 'desc')
    .limit(1)
    .executeTakeFirst();
  const last = row?.position ?? 0;
  assert(Number.isSafeInteger(last), 'a position is a whole number');
  return last;
}
