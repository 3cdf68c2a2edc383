import type { Generated } from 'kysely';
import type { Money, TableBounds } from './columns.ts';

export interface UsageTables {
  /** Rollup deltas: the usage of requests stored together, until the rollup worker adds it. */
  usage_deltas: {
    /** Id of the first of these requests. */
    id: string;
    /** JSON written by `usage-group`. */
    body: string;
  };
  /** Usage per hour: sums over the requests that started in it. They are kept longer than the requests. */
  usage_rollups: RollupColumns & { hour: number };
  usage_rollup_days: RollupColumns & { day: number };
  /** Failed requests that started in an hour, by error case. */
  error_hours: { hour: number; account_id: string; error_case: string; requests: number };
  /** Savings of an account through prompt caches, per hour. */
  cache_savings: { hour: number; account_id: string; amount: bigint };
}

/** Rollups: the usage of one value of one dimension. */
interface RollupColumns {
  /** Empty for the sum of all accounts. */
  account_id: string;
  dimension: string;
  /** `=` and the value; `-` for requests without one; `+` for the other values, which an hour does not store separately. */
  value: string;
  requests: number;
  errors: number;
  client_gone: number;
  /** Requests that received a first byte: the divisor of `first_byte_ms`. */
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
  /** Attempts at upstreams, and the failed ones among them. */
  calls: Generated<number>;
  failed_calls: Generated<number>;
  /** Requests for one JSON body that received a stream. */
  unwanted_streams: Generated<number>;
  /** Times and speeds of the requests, written by `histograms`. Empty before they were counted. */
  histograms: Generated<string>;
}

export const usageBounds: TableBounds<UsageTables> = {
  usage_deltas: { reason: 'rows that the rollup worker has not added yet' },
  usage_rollups: { quota: 'valuesMax', enforcedBy: 'money/requests/rollups/rollup-dimensions.ts' },
  usage_rollup_days: { quota: 'valuesMax', enforcedBy: 'money/requests/rollups/rollup-dimensions.ts' },
  error_hours: { reason: 'sums per hour or day, for `requests.usage_retention`' },
  cache_savings: { reason: 'sums per hour or day, for `requests.usage_retention`' },
};
