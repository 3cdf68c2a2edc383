import { type Kysely, sql } from 'kysely';

/** Statements of closed months, until when an account is closed, and an index on its few credits among many charges. */
export const statements = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema
      .createTable('statements')
      .addColumn('account_id', 'text', (column) => column.notNull().references('accounts.id'))
      .addColumn('month', 'text', (column) => column.notNull())
      .addColumn('starts_at', 'bigint', (column) => column.notNull())
      .addColumn('ends_at', 'bigint', (column) => column.notNull())
      .addColumn('opening', 'bigint', (column) => column.notNull())
      .addColumn('closing', 'bigint', (column) => column.notNull())
      .addColumn('sums', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('statements_pk', ['account_id', 'month'])
      .execute();
    await db.schema.alterTable('balances').addColumn('closed_until', 'bigint').execute();
    await sql`create index transfers_credits on transfers (account_id, at)
      where kind not in ('charge', 'charge-rest')`.execute(db);
  },
};
