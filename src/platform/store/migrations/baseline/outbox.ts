import type { SchemaStatement } from './schema-statement.ts';

/** The outbox of events, alert states, webhook endpoints with their deliveries, and regular summaries. */
export const outboxTables: readonly SchemaStatement[] = [
  `create table events (
    id text not null primary key,
    kind text not null,
    account_id text,
    at bigint not null,
    data text not null,
    fanned_out_at bigint
  )`,
  'create index events_pending on events (at) where fanned_out_at is null',
  'create index events_by_age on events (at)',
  `create table alert_states (
    subject text not null primary key,
    state text not null,
    since bigint not null
  )`,
  `create table delivery_endpoints (
    id text not null primary key,
    channel text not null,
    account_id text,
    name text not null,
    url text not null,
    kinds text,
    secret text,
    old_secret text,
    old_secret_until bigint,
    status text not null,
    source text not null,
    created_at bigint not null,
    failing_since bigint,
    failures integer not null default 0,
    cooldown_until bigint not null default 0,
    claim text,
    claimed_until bigint not null default 0,
    served_at bigint not null default 0
  )`,
  'create index delivery_endpoints_by_account on delivery_endpoints (account_id)',
  `create table deliveries (
    id text not null primary key,
    event_id text,
    endpoint_id text not null,
    account_id text,
    target text not null default '',
    state text not null,
    attempts integer not null,
    next_at bigint not null,
    first_at bigint not null,
    payload text,
    attempt_log text not null,
    created_at bigint not null,
    constraint deliveries_once unique (event_id, endpoint_id, target)
  )`,
  `create index deliveries_due on deliveries (endpoint_id, next_at) where state = 'waiting'`,
  'create index deliveries_by_endpoint on deliveries (endpoint_id, created_at, id)',
  'create index deliveries_by_account on deliveries (account_id, created_at, id)',
  'create index deliveries_by_age on deliveries (created_at)',
  `create table account_readers (
    account_id text not null references accounts (id),
    user_id text not null references console_users (id) on delete cascade,
    constraint account_readers_pk primary key (account_id, user_id)
  )`,
  `create table digests (
    subject text not null primary key,
    account_id text references accounts (id),
    user_id text references console_users (id) on delete cascade,
    cadence text not null,
    since bigint not null,
    due_at bigint not null
  )`,
  'create index digests_due on digests (due_at)',
];
