import type { ColumnType } from 'kysely';
import type { LimitScope } from '../../../core/limit.ts';
import type { Money, OptionalMoney, TableBounds } from './columns.ts';

/** The ledger: balances, leases and every movement of money. */
export interface LedgerTables {
  balances: {
    account_id: string;
    /** Credit granted by the operator; spent first. */
    granted: Money;
    topped_up: Money;
    /** Reserved by running processes: neither spent nor available. */
    leased: Money;
    /** Available money never goes below this; far below any balance for a postpaid account. */
    floor: Money;
    /** When it was last postpaid, or an import booked a negative balance. It is prepaid now, and may still be negative. */
    postpaid_until: ColumnType<number | null, number | null | undefined, number | null>;
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
  budget_leases: {
    process_id: string;
    /** Limit and span of the lease, as written by `budgetName`. */
    budget: string;
    scope: LimitScope;
    /** The keys that share the limit. */
    subject_id: string;
    /** How often the limit renews, and in which time zone. */
    period: string;
    since: number;
    /** Amount of the limit. */
    limit_amount: Money;
    amount: Money;
  };
  /**
   * The spend of a limit in one span, from its first lease on. Transactions that change it lock the account, or the
   * organisation.
   */
  budget_spend: { scope: LimitScope; subject_id: string; since: number; until: number; spent: Money };
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

export const ledgerBounds: TableBounds<LedgerTables> = {
  balances: { reason: 'one row per account' },
  transfers: {
    reason: 'kept forever: each row is a charge, or money that the operator or a payment provider confirmed',
  },
  entries: { reason: 'kept forever: each row is a charge, or money that the operator or a payment provider confirmed' },
  price_versions: { reason: 'one row per price of the operator' },
  processes: { reason: 'rows of running processes' },
  leases: { reason: 'one row per account and running process' },
  budget_leases: { reason: 'one row per limit and running process' },
  budget_spend: { reason: 'one row per limit and span' },
  open_charges: { reason: 'requests that run now' },
  spend_hours: { reason: 'one row per key and hour with charges' },
  key_spend: { reason: 'one row per key' },
};
