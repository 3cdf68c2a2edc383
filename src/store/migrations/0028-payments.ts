import { type Kysely, sql } from 'kysely';

/** Payments of customers through a payment provider. */
export const payments = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema
      .createTable('payments')
      .addColumn('id', 'text', (column) => column.primaryKey().notNull())
      .addColumn('account_id', 'text', (column) => column.notNull().references('accounts.id'))
      .addColumn('amount', 'bigint', (column) => column.notNull().check(sql`amount > 0`))
      .addColumn('currency', 'text', (column) => column.notNull())
      .addColumn('state', 'text', (column) => column.notNull())
      .addColumn('provider', 'text', (column) => column.notNull())
      .addColumn('intent', 'text')
      .addColumn('refunded', 'bigint', (column) => column.notNull())
      .addColumn('by', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('paid_at', 'bigint')
      .execute();
    const byAccount = db.schema.createIndex('payments_by_account').on('payments');
    await byAccount.columns(['account_id', 'created_at', 'id']).execute();
    await db.schema.createIndex('payments_by_intent').on('payments').column('intent').execute();
  },
};
