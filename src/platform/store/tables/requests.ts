import type { UsageSource } from 'chat-formats/chat/usage.ts';
import type { OptionalMoney, TableBounds } from './columns.ts';

export interface RequestTables {
  requests: {
    id: string;
    started_at: number;
    account_id: string;
    key_id: string;
    user_id: string | null;
    site: string;
    surface: string;
    requested_model: string;
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
    /** 1 if the client disconnected before the end. */
    client_gone: number;
    /** JSON list of strings: anomalies and repairs. */
    notes: string | null;
    /** Nano-units; null if the request was not charged. */
    cost: OptionalMoney;
    price_version: string | null;
    /** JSON list, if the calculation of the cost does not follow from the token counts. */
    cost_lines: string | null;
    /** Queue length when the request arrived; null if it did not wait, or the length is not known. */
    queue_position: number | null;
    cache_write_5m_tokens: number | null;
    cache_write_1h_tokens: number | null;
    /** JSON list of the attempts. */
    attempt_log: string | null;
    /** The request whose answer was replayed. */
    replay_of: string | null;
    /** Error detail of a rejected request, in addition to its error case. */
    error_detail: string | null;
    /** 1 if the client requested one JSON body; null if the request could not be read. */
    requested_whole: number | null;
    /** 1 if it received a stream instead. */
    unwanted_stream: number | null;
    /** JSON object: how often the provider ran each of its own tools. */
    tool_uses: string | null;
    /** The provider's charge in nano-units; null if no route has a cost. */
    provider_cost: OptionalMoney;
    /** Tags of the client, one per line. */
    tags: string | null;
  };
}

export const requestBounds: TableBounds<RequestTables> = {
  // Those that reached a provider: one row per request, for `requests.retention`.
  requests: { quota: 'refusalsMax', enforcedBy: 'money/requests/request-writer.ts' },
};
