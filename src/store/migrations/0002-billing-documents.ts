import { type Kysely, sql } from 'kysely';

/** Receipts, credit notes and monthly statements with numbers, and the billing details of accounts. */
export const billingDocuments = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const statement of statements) await sql.raw(statement).execute(db);
  },
};

const statements = [
  `create table billing_documents (
    number text not null primary key,
    kind text not null,
    series text not null,
    position bigint not null check (position > 0),
    account_id text not null references accounts (id),
    reference text not null,
    amount bigint not null,
    currency text not null,
    content text not null,
    issued_at bigint not null,
    constraint billing_documents_position unique (series, position),
    constraint billing_documents_reference unique (account_id, kind, reference)
  )`,
  'create index billing_documents_by_account on billing_documents (account_id, issued_at, number)',
  `create table billing_details (
    account_id text not null primary key references accounts (id),
    details text not null,
    changed_at bigint not null
  )`,
];
