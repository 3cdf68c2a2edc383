import type { Generated } from 'kysely';
import type { Money, SecretDigest } from './columns.ts';

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
    kind: 'receipt' | 'credit_note' | 'statement';
    /** The kind and year within which positions have no gaps. */
    series: string;
    position: number;
    account_id: string;
    /** Of its ledger entry; the month of a statement. */
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
