import type { Kysely } from 'kysely';

/** Recipients of e-mails about an account, if its owners have chosen them, and subscriptions to regular summaries. */
export const digests = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema
      .createTable('account_readers')
      .addColumn('account_id', 'text', (column) => column.notNull().references('accounts.id'))
      .addColumn('user_id', 'text', (column) => column.notNull().references('console_users.id').onDelete('cascade'))
      .addPrimaryKeyConstraint('account_readers_pk', ['account_id', 'user_id'])
      .execute();
    await db.schema
      .createTable('digests')
      .addColumn('subject', 'text', (column) => column.primaryKey())
      .addColumn('account_id', 'text', (column) => column.references('accounts.id'))
      .addColumn('user_id', 'text', (column) => column.references('console_users.id').onDelete('cascade'))
      .addColumn('cadence', 'text', (column) => column.notNull())
      .addColumn('since', 'bigint', (column) => column.notNull())
      .addColumn('due_at', 'bigint', (column) => column.notNull())
      .execute();
    await db.schema.createIndex('digests_due').on('digests').column('due_at').execute();
  },
};
