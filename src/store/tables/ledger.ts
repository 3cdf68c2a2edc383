import type { ColumnType, Generated } from 'kysely';
import type { Money, OldMoney } from './columns.ts';

/** The ledger: whose money it is, who has set some of it aside, and every movement. */
export interface LedgerTables {
  balances: BalancesTable;
  transfers: TransfersTable;
  entries: EntriesTable;
  price_versions: PriceVersionsTable;
  processes: ProcessesTable;
  leases: LeasesTable;
  key_leases: KeyLeasesTable;
  open_charges: OpenChargesTable;
  spend_hours: SpendHoursTable;
  key_spend: KeySpendTable;
}

interface BalancesTable {
  account_id: string;
  /** Given away by the operator; spent first. */
  granted: Money;
  topped_up: Money;
  /** Set aside by running processes: neither spent nor available. */
  leased: Money;
  /** Available money never goes below this. */
  floor: Money;
  /** The balance at which its owners want to be told; null: never. */
  low_at: OldMoney;
  /** Nothing is booked before this time any more: months up to here are closed. Null: none is. */
  closed_until: ColumnType<number | null, number | null | undefined, number | null>;
}

interface TransfersTable {
  reference: string;
  kind: string;
  account_id: string;
  key_id: string | null;
  /** As the customer sees it: what was spent is negative. */
  amount: Money;
  by: string;
  reason: string;
  price_version: string | null;
  at: number;
  /** What was held for a charge; null for other movements, and for charges of older versions. */
  held: OldMoney;
  /** 1 for a charge whose booker has added it up; otherwise the database does. */
  counted: Generated<number | null>;
}

interface EntriesTable {
  reference: string;
  kind: string;
  account: string;
  amount: Money;
}

/** Figures that were ever charged by, in pico-units as text: a version names them for good. */
interface PriceVersionsTable {
  version: string;
  input: string;
  cached_input: string;
  cache_write_5m: string;
  cache_write_1h: string;
  output: string;
  /** JSON object: what one use of each tool costs; null where none is priced. */
  tool_uses: string | null;
}

interface ProcessesTable {
  id: string;
  started_at: number;
  /** By the database's clock. */
  alive_until: number;
}

interface LeasesTable {
  process_id: string;
  account_id: string;
  amount: Money;
}

interface KeyLeasesTable {
  process_id: string;
  /** Which key, cap and span it is of, as `budgetName` writes it. */
  budget: string;
  /** The first of the keys that share what may be spent. */
  first_id: string;
  /** How often the cap renews, and by whose clocks. */
  period: string;
  since: number;
  amount: Money;
}

interface OpenChargesTable {
  request_id: string;
  process_id: string;
  account_id: string;
  key_id: string;
  cost: Money;
  price_version: string;
  /** What is set aside for it; null where an older version noted it. */
  held: OldMoney;
  /** When its money was set aside; null where an older version noted it. */
  at: number | null;
}

/** What was charged within an hour. The database keeps it in step with the ledger; nobody else writes it. */
interface SpendHoursTable {
  /** The start of the hour in which it was charged. */
  hour: number;
  account_id: string;
  key_id: string;
  amount: Money;
}

/** What each key was charged in all its life. */
interface KeySpendTable {
  key_id: string;
  spent: Money;
}
