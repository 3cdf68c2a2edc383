import type { SchemaStatement } from './schema-statement.ts';

/** Money: the balances of accounts, the leases of processes, and every movement. */
export const ledgerTables: readonly SchemaStatement[] = [
  `create table balances (
    account_id text not null primary key references accounts (id),
    granted bigint not null check (granted >= 0),
    topped_up bigint not null,
    leased bigint not null check (leased >= 0),
    floor bigint not null,
    postpaid_until bigint,
    low_at bigint,
    closed_until bigint
  )`,
  `create table transfers (
    reference text not null,
    kind text not null,
    account_id text not null references accounts (id),
    key_id text,
    amount bigint not null,
    "by" text not null,
    reason text not null,
    price_version text,
    at bigint not null,
    held bigint,
    constraint transfers_pk primary key (reference, kind)
  )`,
  'create index transfers_by_account on transfers (account_id, at)',
  // The few credits of an account among many charges.
  `create index transfers_credits on transfers (account_id, at) where kind not in ('charge', 'charge-rest')`,
  `create table entries (
    reference text not null,
    kind text not null,
    account text not null,
    amount bigint not null,
    constraint entries_pk primary key (reference, kind, account),
    constraint entries_transfer foreign key (reference, kind) references transfers (reference, kind)
  )`,
  // Bookings cannot be changed. An error is corrected with another booking.
  {
    postgres: `create function refuse_change() returns trigger language plpgsql as
      $$ begin raise exception 'the ledger is never changed'; end $$`,
  },
  ...appendOnly('transfers'),
  ...appendOnly('entries'),
  `create table price_versions (
    version text not null primary key,
    price text not null
  )`,
  `create table processes (
    id text not null primary key,
    started_at bigint not null,
    heartbeat_at bigint not null
  )`,
  `create table leases (
    process_id text not null,
    account_id text not null references accounts (id),
    amount bigint not null check (amount >= 0),
    constraint leases_pk primary key (process_id, account_id)
  )`,
  'create index leases_by_account on leases (account_id)',
  `create table budget_leases (
    process_id text not null,
    budget text not null,
    scope text not null,
    subject_id text not null,
    period text not null,
    since bigint not null,
    limit_amount bigint not null,
    amount bigint not null,
    constraint budget_leases_pk primary key (process_id, budget)
  )`,
  'create index budget_leases_by_subject on budget_leases (scope, subject_id)',
  `create table budget_spend (
    scope text not null,
    subject_id text not null,
    since bigint not null,
    until bigint not null,
    spent bigint not null,
    constraint budget_spend_pk primary key (scope, subject_id, since, until)
  )`,
  `create table open_charges (
    request_id text not null primary key,
    process_id text not null,
    account_id text not null references accounts (id),
    key_id text not null,
    cost bigint not null,
    price_version text not null,
    held bigint not null,
    at bigint not null
  )`,
  'create index open_charges_by_process on open_charges (process_id)',
  `create table spend_hours (
    hour bigint not null,
    account_id text not null,
    key_id text not null,
    amount bigint not null,
    constraint spend_hours_pk primary key (account_id, hour, key_id)
  )`,
  'create index spend_hours_by_hour on spend_hours (hour)',
  'create index spend_hours_by_key on spend_hours (key_id, hour)',
  'create table key_spend (key_id text not null primary key, spent bigint not null)',
];

function appendOnly(table: string): readonly SchemaStatement[] {
  const refuse = `begin select raise(abort, '${table} are never changed'); end`;
  return [
    {
      sqlite: `create trigger ${table}_no_update before update on ${table} ${refuse}`,
      postgres: `create trigger ${table}_no_change before update or delete on ${table}
        for each row execute function refuse_change()`,
    },
    { sqlite: `create trigger ${table}_no_delete before delete on ${table} ${refuse}` },
  ];
}
