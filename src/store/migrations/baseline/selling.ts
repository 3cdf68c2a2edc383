import type { SchemaStatement } from './schema-statement.ts';

/** Payments, redemption codes and monthly statements. */
export const sellingTables: readonly SchemaStatement[] = [
  `create table payments (
    id text not null primary key,
    account_id text not null references accounts (id),
    amount bigint not null check (amount > 0),
    currency text not null,
    state text not null,
    provider text not null,
    intent text,
    return_url text,
    refunded bigint not null,
    "by" text not null,
    created_at bigint not null,
    paid_at bigint
  )`,
  'create index payments_by_account on payments (account_id, created_at, id)',
  'create index payments_by_intent on payments (intent)',
  `create table early_payment_events (
    intent text not null,
    event text not null,
    received_at bigint not null,
    constraint early_payment_events_pk primary key (intent, event)
  )`,
  `create table code_batches (
    id text not null primary key,
    note text not null,
    amount bigint not null check (amount > 0),
    kind text not null,
    site text,
    package text,
    expires_at bigint,
    count integer not null,
    created_by text not null,
    created_at bigint not null
  )`,
  'create index code_batches_by_time on code_batches (created_at, id)',
  `create table redemption_codes (
    id text not null primary key,
    batch_id text not null references code_batches (id),
    digest text not null unique,
    digest_secret text not null,
    display text not null,
    withdrawn_at bigint,
    redeemed_at bigint,
    account_id text references accounts (id),
    redeemed_by text
  )`,
  'create index redemption_codes_by_batch on redemption_codes (batch_id)',
  `create table statements (
    account_id text not null references accounts (id),
    month text not null,
    time_zone text not null,
    starts_at bigint not null,
    ends_at bigint not null,
    opening bigint not null,
    closing bigint not null,
    sums text not null,
    constraint statements_pk primary key (account_id, month)
  )`,
];
