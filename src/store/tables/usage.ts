import type { ColumnType } from 'kysely';
import type { Money } from './columns.ts';

/** What requests add up to. */
export interface UsageTables {
  usage_hours: UsageHoursTable;
  usage_totals: UsageTotalsTable;
  usage_notes: UsageNotesTable;
  usage_slices: UsageSlicesTable;
  usage_slice_days: UsageSliceDaysTable;
  error_hours: ErrorHoursTable;
  cache_savings: CacheSavingsTable;
}

/** What was used within an hour: the sums over the requests that started in it, kept for longer than they are. */
export interface UsageHoursTable {
  /** The start of the hour. */
  hour: number;
  account_id: string;
  key_id: string;
  /** Empty for requests that asked for no model we know. */
  model: string;
  site: string;
  requests: number;
  errors: number;
  client_gone: number;
  /** Requests that got a first byte: what `first_byte_ms` is to be divided by. */
  answered: number;
  prompt_tokens: number;
  completion_tokens: number;
  cached_tokens: number;
  reasoning_tokens: number;
  cost: ColumnType<never, bigint, bigint>;
  wait_ms: number;
  first_byte_ms: number;
  duration_ms: number;
  /** Requests that asked for one JSON body and got a stream. */
  unwanted_streams: number;
}

/** The same over all accounts, keys and sites. */
export type UsageTotalsTable = Omit<UsageHoursTable, 'account_id' | 'key_id' | 'site'>;

/** What requests add up to that were stored together, until it is added to the slices. */
interface UsageNotesTable {
  /** Of the first of these requests. */
  id: string;
  /** JSON, as `usage-group` writes it. */
  body: string;
}

/** Usage within an hour along one dimension: the sums of one of its values. */
interface UsageSlicesTable extends SliceSumsColumns {
  hour: number;
}

/** The same for each day of UTC. */
interface UsageSliceDaysTable extends SliceSumsColumns {
  day: number;
}

/** How many of the requests that started within an hour failed, by what went wrong. */
export interface ErrorHoursTable {
  hour: number;
  account_id: string;
  error_case: string;
  requests: number;
}

/** What prompt caches spared an account in one hour. */
interface CacheSavingsTable {
  hour: number;
  account_id: string;
  amount: bigint;
}

interface SliceSumsColumns {
  /** Empty for all accounts together. */
  account_id: string;
  dimension: string;
  /** `=` and the value, `-` where requests do not say it, `+` for those that an hour does not tell apart. */
  value: string;
  requests: number;
  errors: number;
  client_gone: number;
  answered: number;
  prompt_tokens: number;
  completion_tokens: number;
  cached_tokens: number;
  reasoning_tokens: number;
  cost: Money;
  provider_cost: Money;
  /** What was charged for those requests whose provider's cost is known. */
  costed: Money;
  wait_ms: number;
  first_byte_ms: number;
  duration_ms: number;
}
