import type { SchemaStatement } from './schema-statement.ts';

/**
 * The request log. No foreign keys: it is written in bulk and outlives the rows it refers to. Each index ends with the
 * sort order of a page: newest first, and the id orders requests of the same millisecond.
 */
export const requestTables: readonly SchemaStatement[] = [
  `create table requests (
    id text not null primary key,
    started_at bigint not null,
    account_id text not null,
    key_id text not null,
    user_id text,
    site text not null,
    surface text not null,
    requested_model text not null,
    model text,
    upstream text,
    upstream_model text,
    status integer not null,
    error_case text,
    error_detail text,
    finish text,
    prompt_tokens bigint,
    completion_tokens bigint,
    cached_tokens bigint,
    cache_write_5m_tokens bigint,
    cache_write_1h_tokens bigint,
    reasoning_tokens bigint,
    usage_source text,
    tool_uses text,
    attempts integer not null,
    attempt_log text,
    queue_position integer,
    wait_ms bigint,
    first_byte_ms bigint,
    duration_ms bigint not null,
    client_gone integer not null,
    requested_whole integer,
    unwanted_stream integer,
    notes text,
    cost bigint,
    price_version text,
    cost_lines text,
    provider_cost bigint,
    replay_of text,
    tags text
  )`,
  'create index requests_by_time on requests (started_at, id)',
  // The costliest of many requests of an account are found in the index alone.
  `create index requests_by_account on requests
    (account_id, started_at, id, cost, duration_ms, status, error_case, model)`,
  // The requests of one account for one of its users: other accounts may have users of that name.
  `create index requests_by_account_user on requests (account_id, user_id, started_at, id)
    where user_id is not null`,
  'create index requests_by_key on requests (key_id, started_at, id)',
  'create index requests_by_site on requests (site, started_at, id)',
  'create index requests_by_model on requests (model, started_at, id) where model is not null',
  'create index requests_by_user on requests (user_id, started_at, id) where user_id is not null',
  'create index requests_by_error on requests (started_at, id) where error_case is not null',
  // Refused before a provider was called: only the newest of an account and hour are kept.
  `create index requests_by_account_refusal on requests (account_id, started_at, id)
    where status >= 400 and attempts = 0`,
  'create index requests_by_refusal on requests (started_at, id) where status >= 400',
];
