import type { SellerSpec } from '../config/schema/seller.ts';
import type { Nano } from '../core/money.ts';
import type { Database } from '../store/database.ts';

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
  readonly accountId: string;
  /** Of its ledger entry; the month of a statement. */
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

export type DocumentSubject = PaidSubject | ReturnedSubject | MonthSubject;

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

export const creditSums = ['topUps', 'grants', 'refunds', 'adjustments', 'reversals'] as const;
type CreditSum = (typeof creditSums)[number];
