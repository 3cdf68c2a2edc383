import type { SchemaStatement } from './schema-statement.ts';

/** Accounts and their keys. */
export const accountTables: readonly SchemaStatement[] = [
  `create table accounts (
    id text not null primary key,
    name text not null unique,
    display_name text,
    package text not null,
    status text not null,
    credit text,
    time_zone text,
    source text not null,
    created_at bigint not null
  )`,
  `create table api_keys (
    id text not null primary key,
    account_id text not null references accounts (id),
    name text not null,
    digest text not null unique,
    digest_secret text not null,
    display text not null,
    models text,
    spend_cap text,
    cap_period text,
    max_concurrency integer,
    addresses text,
    first_id text not null,
    rotated_from text,
    honour_stream_false integer not null,
    report_cost integer not null,
    store_bodies integer not null,
    temporary integer not null,
    expires_at bigint,
    revoked_at bigint,
    created_at bigint not null,
    last_used_at bigint
  )`,
  'create index api_keys_by_account on api_keys (account_id)',
  'create index api_keys_by_first on api_keys (first_id)',
];
