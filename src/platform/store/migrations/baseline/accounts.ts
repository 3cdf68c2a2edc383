import type { SchemaStatement } from './schema-statement.ts';

/** Organisations, accounts and their keys. */
export const accountTables: readonly SchemaStatement[] = [
  `create table organisations (
    id text not null primary key,
    name text not null unique,
    display_name text,
    models text,
    limits text,
    time_zone text,
    kept_spans text,
    source text not null,
    created_at bigint not null
  )`,
  `create table accounts (
    id text not null primary key,
    name text not null unique,
    display_name text,
    package text not null,
    status text not null,
    credit text,
    time_zone text,
    kept_spans text,
    billing text not null default 'prepaid',
    limits text,
    organisation_id text references organisations (id),
    organisation_since bigint,
    source text not null,
    created_at bigint not null
  )`,
  'create index accounts_by_organisation on accounts (organisation_id)',
  `create table organisation_departures (
    organisation_id text not null,
    account_id text not null references accounts (id),
    joined_at bigint not null,
    left_at bigint not null,
    constraint organisation_departures_pk primary key (organisation_id, account_id, left_at)
  )`,
  `create table api_keys (
    id text not null primary key,
    account_id text not null references accounts (id),
    member_id text,
    name text not null,
    scheme text,
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
  'create index api_keys_by_member on api_keys (member_id)',
  `create table import_sources (
    source text not null,
    kind text not null,
    source_id text not null,
    subject_id text not null,
    digest text not null,
    subject_digest text not null,
    imported_at bigint not null,
    constraint import_sources_pk primary key (source, kind, source_id)
  )`,
  'create index api_keys_imported on api_keys (id) where scheme is not null',
];
