import type { ColumnType, Generated } from 'kysely';
import type { UsageSource } from '../../core/usage.ts';
import type { OldMoney } from './columns.ts';

/** Requests that were made. */
export interface RequestTables {
  requests: RequestsTable;
}

export interface RequestsTable {
  id: string;
  started_at: number;
  account_id: string;
  key_id: string;
  user_id: string | null;
  site: string;
  surface: string;
  asked_model: string;
  model: string | null;
  upstream: string | null;
  upstream_model: string | null;
  status: number;
  error_case: string | null;
  finish: string | null;
  prompt_tokens: number | null;
  completion_tokens: number | null;
  cached_tokens: number | null;
  reasoning_tokens: number | null;
  usage_source: UsageSource | null;
  attempts: number;
  wait_ms: number | null;
  first_byte_ms: number | null;
  duration_ms: number;
  /** 1 when the client left before the end. */
  client_gone: number;
  /** JSON list of strings: what was odd, what was repaired. */
  notes: string | null;
  /** Nano-units; null for a request that was not charged. */
  cost: ColumnType<string | null, bigint | null, bigint | null>;
  price_version: string | null;
  /** How many waited before it when it came; null when it did not have to wait, or nobody said. */
  queue_position: number | null;
  cache_write_5m_tokens: number | null;
  cache_write_1h_tokens: number | null;
  /** JSON list: what happened at each upstream. */
  trail: string | null;
  /** The request whose answer it was given again. */
  replay_of: string | null;
  /** What a refused request was told, beside what its case says. */
  error_detail: string | null;
  /** 1 when one JSON body was asked for; null where the request could not be read. */
  asked_whole: number | null;
  /** 1 when it got a stream all the same. */
  unwanted_stream: number | null;
  /** JSON object: how often the provider ran each of its own tools. */
  tool_uses: string | null;
  /** What the provider charges us for it, in nano-units; null where no route says what it costs. */
  provider_cost: OldMoney;
  /** 1 for a request whose writer has noted what it adds to the usage, or which was added since. */
  sliced: Generated<number | null>;
}
