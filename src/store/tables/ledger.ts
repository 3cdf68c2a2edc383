import type { ColumnType } from 'kysely';
import type { Money, OptionalMoney } from './columns.ts';

/** The ledger: balances, leases and every movement of money. */
export interface LedgerTables {
  balances: {
    account_id: string;
    /** Credit granted by the operator; spent first. */
    granted: Money;
    topped_up: Money;
    /** Reserved by running processes: neither spent nor available. */
    leased: Money;
    /** Available money never goes below this. */
    floor: Money;
    /** The balance at which the owners receive an alert; null: never. */
    low_at: OptionalMoney;
    /** Months before this time are closed: no booking may have an earlier time. Null: no month is closed. */
    closed_until: ColumnType<number | null, number | null | undefined, number | null>;
  };
  transfers: {
    reference: string;
    kind: string;
    account_id: string;
    key_id: string | null;
    /** From the customer's side: money spent is negative. */
    amount: Money;
    by: string;
    reason: string;
    price_version: string | null;
    at: number;
    /** Amount held for a charge; null for other movements. */
    held: OptionalMoney;
  };
  entries: { reference: string; kind: string; account: string; amount: Money };
  /** Prices that were ever charged. A version id always means the same prices. */
  price_versions: {
    version: string;
    /** JSON object, with figures as text. */
    price: string;
  };
  processes: {
    id: string;
    started_at: number;
    /** By the database's clock. */
    heartbeat_at: number;
  };
  leases: { process_id: string; account_id: string; amount: Money };
  key_leases: {
    process_id: string;
    /** Key, cap and period of the lease, as written by `budgetName`. */
    budget: string;
    /** The first of the keys that share the spend cap. */
    first_id: string;
    /** How often the cap resets, and in which time zone. */
    period: string;
    since: number;
    amount: Money;
  };
  open_charges: {
    request_id: string;
    process_id: string;
    account_id: string;
    key_id: string;
    cost: Money;
    price_version: string;
    held: Money;
    at: number;
  };
  /** Charges per hour, added in the transaction that books them. */
  spend_hours: {
    /** Start of the hour of the charges. */
    hour: number;
    account_id: string;
    key_id: string;
    amount: Money;
  };
  key_spend: { key_id: string; spent: Money };
}
