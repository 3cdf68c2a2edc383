import { type Kysely, sql } from 'kysely';

/** Saved cards and automatic top-ups. Payments of the version before are checkouts. */
export const savedCards = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const column of paymentColumns) await sql.raw(`alter table payments add column ${column}`).execute(db);
    for (const statement of statements) await sql.raw(statement).execute(db);
  },
};

const paymentColumns = [
  "kind text not null default 'checkout'",
  'customer text',
  'card text',
  'attempts integer not null default 0',
  'due_at bigint',
  'failure text',
];

const statements = [
  // An account has at most one automatic payment in flight.
  "create unique index payments_in_flight on payments (account_id) where kind = 'automatic' and state = 'open'",
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
];
