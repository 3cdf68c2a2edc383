import type { SellerSpec } from '../../platform/config/schema/seller.ts';
import { type Nano, nanoFrom } from '../../core/money.ts';
import type { Database } from '../../platform/store/database.ts';

export type DocumentKind = Database['billing_documents']['kind'];

export type Seller = SellerSpec;

/** A seller or customer as a document prints it. */
export interface Party {
  readonly name: string;
  readonly address: readonly string[];
  readonly country?: string | undefined;
  readonly taxNumber?: string | undefined;
  readonly email?: string | undefined;
}

/** A numbered document. Everything in it stays as it was when it was issued. */
export interface BillingDocument extends DocumentContent {
  readonly number: string;
  readonly kind: DocumentKind;
  /** A bill belongs to an organisation, every other document to an account. */
  readonly accountId?: string | undefined;
  readonly organisationId?: string | undefined;
  /** Of its ledger entry; the month of a statement or bill. */
  readonly reference: string;
  /** Negative for a credit note. For a statement: the charges of the month. */
  readonly amount: Nano;
  readonly currency: string;
  readonly issuedAt: number;
}

/** The part of a document that is stored as JSON. Money is decimal text. */
export interface DocumentContent {
  readonly seller?: (Party & { readonly note?: string | undefined }) | undefined;
  readonly customer: Party;
  /** The tax that the amount includes. */
  readonly tax?: { readonly name: string; readonly rate: string; readonly amount: string } | undefined;
  readonly subject: DocumentSubject;
}

export type DocumentSubject = PaidSubject | ReturnedSubject | MonthSubject | BillSubject;

/** A payment, or one that came back after a won dispute. */
interface PaidSubject {
  readonly paid: 'payment' | 'dispute-won';
  readonly paymentId: string;
  readonly provider: string;
  readonly paidAt: number;
}

/** Money of a payment that went back to the payer. */
interface ReturnedSubject {
  readonly returned: 'refunded' | 'disputed';
  readonly paymentId: string;
  /** The number of the receipt. */
  readonly receipt: string;
}

interface MonthSubject {
  readonly month: string;
  readonly timeZone: string;
  readonly from: number;
  readonly to: number;
  readonly opening: string;
  readonly closing: string;
  /** The movements besides charges that are not zero. */
  readonly credits: readonly { readonly kind: CreditSum; readonly amount: string }[];
  readonly charges: string;
  readonly models: readonly { readonly model?: string | undefined; readonly amount: string }[];
}

interface BillSubject {
  /** The month. */
  readonly billed: string;
  readonly accounts: readonly BilledAccount[];
}

/** The line of an account on the bill of its organisation, from its monthly statement. */
export interface BilledAccount {
  readonly accountId: string;
  readonly name: string;
  readonly opening: string;
  /** All movements besides charges. */
  readonly credits: string;
  /** Negative. */
  readonly charges: string;
  readonly closing: string;
}

export const creditSums = ['topUps', 'grants', 'refunds', 'adjustments', 'reversals'] as const;
type CreditSum = (typeof creditSums)[number];

/**
 * The amount that the accounts of these lines owe: their negative closing balances. The money of one account does not pay for
 * another.
 */
export function openAmountOf(lines: readonly { readonly closing: string }[]): Nano {
  return lines.reduce((total, { closing }) => (nanoFrom(closing) < 0n ? total - nanoFrom(closing) : total), 0n);
}
