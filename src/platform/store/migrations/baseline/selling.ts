import type { SchemaStatement } from './schema-statement.ts';

/** Payments, saved cards, redemption codes, monthly statements and billing documents. */
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
    paid_at bigint,
    kind text not null default 'checkout',
    customer text,
    card text,
    attempts integer not null default 0,
    due_at bigint,
    failure text
  )`,
  'create index payments_by_account on payments (account_id, created_at, id)',
  'create index payments_by_intent on payments (intent)',
  // An account has at most one automatic payment in flight.
  "create unique index payments_in_flight on payments (account_id) where kind = 'automatic' and state = 'open'",
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
  `create table saved_cards (
    account_id text not null primary key references accounts (id),
    provider text not null,
    customer text not null,
    card text,
    brand text not null,
    last4 text not null,
    exp_month integer not null,
    exp_year integer not null,
    saved_by text not null,
    setup text not null,
    set_up_at bigint not null
  )`,
  `create table card_removals (
    card text not null primary key,
    provider text not null,
    attempts integer not null,
    due_at bigint not null
  )`,
  `create table auto_top_ups (
    account_id text not null primary key references accounts (id),
    threshold bigint not null check (threshold >= 0),
    amount bigint not null check (amount > 0),
    monthly_max bigint not null,
    set_by text not null,
    set_at bigint not null,
    pause text,
    paused_at bigint
  )`,
  `create table billing_documents (
    number text not null primary key,
    kind text not null,
    series text not null,
    position bigint not null check (position > 0),
    account_id text references accounts (id),
    organisation_id text,
    reference text not null,
    amount bigint not null,
    currency text not null,
    content text not null,
    issued_at bigint not null,
    constraint billing_documents_position unique (series, position),
    constraint billing_documents_reference unique (account_id, kind, reference),
    constraint billing_documents_bill unique (organisation_id, kind, reference),
    constraint billing_documents_owner check (account_id is not null or organisation_id is not null)
  )`,
  'create index billing_documents_by_account on billing_documents (account_id, issued_at, number)',
  'create index billing_documents_by_organisation on billing_documents (organisation_id, issued_at, number)',
  `create table billing_details (
    account_id text not null primary key references accounts (id),
    details text not null,
    changed_at bigint not null
  )`,
];
