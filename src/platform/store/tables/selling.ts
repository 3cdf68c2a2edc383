import type { Generated } from 'kysely';
import { byChanges, type Money, type SecretDigest, type TableBounds } from './columns.ts';

/** Why an automatic payment was not paid. */
export type ChargeFailure =
  | 'declined'
  | 'authentication_required'
  | 'expired_card'
  | 'insufficient_funds'
  | 'refused'
  | 'unreachable'
  | 'canceled';

/** Payments, redemption codes, monthly statements and billing documents. */
export interface SellingTables {
  payments: {
    id: string;
    account_id: string;
    amount: Money;
    currency: string;
    state: 'open' | 'paid' | 'ended';
    provider: string;
    /** The provider's id of the payment, once it is paid. */
    intent: string | null;
    /** Start of the URLs that the payer returns to, from the first checkout. */
    return_url: Generated<string | null>;
    refunded: Money;
    by: string;
    created_at: number;
    paid_at: number | null;
    kind: Generated<'checkout' | 'automatic'>;
    /** The provider's ids of the customer and the card of an automatic payment. They never change. */
    customer: Generated<string | null>;
    card: Generated<string | null>;
    /** Calls of the provider for an automatic payment so far, and the time of the next one. */
    attempts: Generated<number>;
    due_at: Generated<number | null>;
    failure: Generated<ChargeFailure | null>;
  };
  /** The card of an account: the provider's ids, and the figures that people recognise it by. No card number. */
  saved_cards: {
    account_id: string;
    provider: string;
    customer: string;
    /** The provider's id of the card; null: it was removed. */
    card: string | null;
    brand: string;
    last4: string;
    exp_month: number;
    exp_year: number;
    saved_by: string;
    /** The newest set-up that was read. Older ones and repeated reports of it change nothing. */
    setup: string;
    set_up_at: number;
  };
  /** Cards that the provider shall forget. */
  card_removals: { card: string; provider: string; attempts: number; due_at: number };
  auto_top_ups: {
    account_id: string;
    /** An automatic payment is made when the spendable balance is below this. */
    threshold: Money;
    amount: Money;
    /** The limit on automatic payments of one calendar month in UTC. */
    monthly_max: Money;
    set_by: string;
    set_at: number;
    pause: ChargeFailure | null;
    paused_at: number | null;
  };
  /** Payment events that arrived before the payment was known to be paid: JSON, by the provider's payment id. */
  early_payment_events: { intent: string; event: string; received_at: number };
  /** Codes that were created together, with the value of each. */
  code_batches: {
    id: string;
    note: string;
    amount: Money;
    kind: 'top_up' | 'grant';
    /** The site where they can be redeemed; null: any site. */
    site: string | null;
    /** The package whose accounts may redeem them; null: any package. */
    package: string | null;
    expires_at: number | null;
    count: number;
    created_by: string;
    created_at: number;
  };
  /** A code can be redeemed once or withdrawn once, not both. */
  redemption_codes: SecretDigest & {
    id: string;
    batch_id: string;
    withdrawn_at: number | null;
    redeemed_at: number | null;
    account_id: string | null;
    redeemed_by: string | null;
  };
  /** A closed month of an account. It never changes. */
  statements: {
    account_id: string;
    /** For example `2026-03`. */
    month: string;
    time_zone: string;
    starts_at: number;
    ends_at: number;
    opening: Money;
    closing: Money;
    /** JSON: movements of money, summed by kind and by model. */
    sums: string;
  };
  /** Receipts, credit notes and statements as they were issued. A row never changes. */
  billing_documents: {
    /** For example `R-2026-000001`. */
    number: string;
    kind: 'receipt' | 'credit_note' | 'statement' | 'bill';
    /** The kind and year within which positions have no gaps. */
    series: string;
    position: number;
    /** Its account, or for a bill its organisation. */
    account_id: string | null;
    organisation_id: Generated<string | null>;
    /** Of its ledger entry; the month of a statement or bill. */
    reference: string;
    /** Negative for a credit note. For a statement: the charges of the month. */
    amount: Money;
    currency: string;
    /** JSON: seller, customer, tax and lines. */
    content: string;
    issued_at: number;
  };
  /** How an account wants to be named on billing documents, as JSON. */
  billing_details: { account_id: string; details: string; changed_at: number };
}

export const sellingBounds: TableBounds<SellingTables> = {
  payments: byChanges,
  saved_cards: { reason: 'one row per account' },
  card_removals: byChanges,
  auto_top_ups: { reason: 'one row per account' },
  early_payment_events: { reason: 'signed by the payment provider; deleted after days' },
  code_batches: { reason: 'rows of the operator' },
  redemption_codes: { reason: 'rows of the operator' },
  statements: { reason: 'one row per account and month' },
  billing_documents: {
    reason: 'kept forever: each row is a charge, or money that the operator or a payment provider confirmed',
  },
  billing_details: { reason: 'one row per account' },
};
