import type { SchemaStatement } from './schema-statement.ts';

/** Sums over requests, so that the cost of a page does not depend on the number of requests. */
export const usageTables: readonly SchemaStatement[] = [
  `create table error_hours (
    hour bigint not null,
    account_id text not null,
    error_case text not null,
    requests bigint not null,
    constraint error_hours_pk primary key (account_id, hour, error_case)
  )`,
  'create index error_hours_by_hour on error_hours (hour)',
  `create table cache_savings (
    hour bigint not null,
    account_id text not null,
    amount bigint not null,
    constraint cache_savings_pk primary key (account_id, hour)
  )`,
  'create index cache_savings_by_hour on cache_savings (hour)',
  'create table usage_deltas (id text not null primary key, body text not null)',
  rollups('usage_rollups', 'hour'),
  'create index usage_rollups_by_hour on usage_rollups (hour)',
  // Few hours have any, and the query covers all accounts.
  'create index usage_rollups_unwanted on usage_rollups (hour) where unwanted_streams > 0',
  // In SQLite the key finds the hours of one value.
  { postgres: 'create index usage_rollups_by_value on usage_rollups (account_id, dimension, value, hour)' },
  rollups('usage_rollup_days', 'day'),
  'create index usage_rollup_days_by_day on usage_rollup_days (day)',
];

/** The rows of one page are next to each other. SQLite stores in key order only `without rowid`. */
function rollups(name: string, start: 'hour' | 'day'): SchemaStatement {
  const table = `create table ${name} (
    account_id text not null,
    dimension text not null,
    ${start} bigint not null,
    value text not null,
    requests bigint not null,
    errors bigint not null,
    client_gone bigint not null,
    answered bigint not null,
    prompt_tokens bigint not null,
    completion_tokens bigint not null,
    cached_tokens bigint not null,
    reasoning_tokens bigint not null,
    cost bigint not null,
    provider_cost bigint not null,
    costed bigint not null,
    wait_ms bigint not null,
    first_byte_ms bigint not null,
    duration_ms bigint not null,
    calls bigint not null default 0,
    failed_calls bigint not null default 0,
    unwanted_streams bigint not null default 0,
    histograms text not null default '',
    constraint ${name}_pk primary key (account_id, dimension, ${start}, value)
  )`;
  return { sqlite: `${table} without rowid`, postgres: table };
}
