import type { ColumnType } from 'kysely';
import type { Money } from './columns.ts';

/** Usage sums over requests. */
export interface UsageTables {
  usage_hours: UsageHoursTable;
  usage_totals: UsageTotalsTable;
  usage_deltas: UsageDeltasTable;
  usage_rollups: UsageRollupsTable;
  usage_rollup_days: UsageRollupDaysTable;
  error_hours: ErrorHoursTable;
  cache_savings: CacheSavingsTable;
}

/** Usage per hour: sums over the requests that started in it. They are kept longer than the requests. */
interface UsageHoursTable {
  /** Start of the hour. */
  hour: number;
  account_id: string;
  key_id: string;
  /** Empty for requests for an unknown model. */
  model: string;
  site: string;
  requests: number;
  errors: number;
  client_gone: number;
  /** Requests that received a first byte: the divisor of `first_byte_ms`. */
  answered: number;
  prompt_tokens: number;
  completion_tokens: number;
  cached_tokens: number;
  reasoning_tokens: number;
  cost: ColumnType<never, bigint, bigint>;
  wait_ms: number;
  first_byte_ms: number;
  duration_ms: number;
  /** Requests for one JSON body that received a stream. */
  unwanted_streams: number;
}

/** Usage per hour over all accounts, keys and sites. */
type UsageTotalsTable = Omit<UsageHoursTable, 'account_id' | 'key_id' | 'site'>;

/** Rollup deltas: the usage of requests stored together, until the rollup worker adds it. */
interface UsageDeltasTable {
  /** Id of the first of these requests. */
  id: string;
  /** JSON written by `usage-group`. */
  body: string;
}

/** Rollups: the usage of one value of one dimension, per hour. */
interface UsageRollupsTable extends RollupSumsColumns {
  hour: number;
}

/** The rollups per UTC day. */
interface UsageRollupDaysTable extends RollupSumsColumns {
  day: number;
}

/** Failed requests that started in an hour, by error case. */
interface ErrorHoursTable {
  hour: number;
  account_id: string;
  error_case: string;
  requests: number;
}

/** Savings of an account through prompt caches, per hour. */
interface CacheSavingsTable {
  hour: number;
  account_id: string;
  amount: bigint;
}

interface RollupSumsColumns {
  /** Empty for the sum of all accounts. */
  account_id: string;
  dimension: string;
  /**
   * `=` and the value, `-` for requests without one, `+` for the remaining values, which an hour does not store
   * separately.
   */
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
  /** Charges for the requests whose provider cost is known. */
  costed: Money;
  wait_ms: number;
  first_byte_ms: number;
  duration_ms: number;
}
