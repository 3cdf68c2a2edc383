import type { Generated } from 'kysely';
import type { Money } from './columns.ts';

/** How money comes in, and what a month came to. */
export interface SellingTables {
  payments: PaymentsTable;
  /** JSON of what a provider told of payments that nobody knew as paid yet, by what it calls them. */
  early_payment_news: { intent: string; news: string; heard_at: number };
  code_batches: CodeBatchesTable;
  redemption_codes: RedemptionCodesTable;
  statements: StatementsTable;
}

/** Money that somebody means to pay in through a provider. */
interface PaymentsTable {
  id: string;
  account_id: string;
  amount: Money;
  currency: string;
  state: 'open' | 'paid' | 'ended';
  provider: string;
  /** What the provider calls it once it is paid. */
  intent: string | null;
  /** The beginning of the addresses that whoever pays comes back to: that of the first checkout. */
  return_url: Generated<string | null>;
  /** How much of it went back in all. */
  refunded: Money;
  by: string;
  created_at: number;
  paid_at: number | null;
}

/** Codes that were made together, and what each of them is worth. */
interface CodeBatchesTable {
  id: string;
  note: string;
  amount: Money;
  kind: 'top_up' | 'grant';
  /** Where they can be redeemed; null: anywhere. */
  site: string | null;
  /** Whose accounts may redeem them; null: any. */
  package: string | null;
  expires_at: number | null;
  count: number;
  made_by: string;
  created_at: number;
}

/** A code is redeemed or withdrawn, once, or neither yet. */
interface RedemptionCodesTable {
  id: string;
  batch_id: string;
  /** Hex HMAC of the code; the code itself is nowhere. */
  digest: string;
  /** Names the secret that the digest was made with; null: the one that the store was made with. */
  digest_secret: Generated<string | null>;
  display: string;
  withdrawn_at: number | null;
  redeemed_at: number | null;
  account_id: string | null;
  redeemed_by: string | null;
}

/** A month of an account that is over: it never changes. */
interface StatementsTable {
  account_id: string;
  /** As `2026-03`. */
  month: string;
  /** By whose clocks; null: in UTC. */
  time_zone: Generated<string | null>;
  starts_at: number;
  ends_at: number;
  opening: Money;
  closing: Money;
  /** JSON: what moved the money, added up by kind and by model. */
  sums: string;
}
