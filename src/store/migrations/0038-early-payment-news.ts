import type { Kysely } from 'kysely';

/** What is heard of a payment before it is known as paid, and where whoever pays comes back to. */
export const earlyPaymentNews = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema
      .createTable('early_payment_news')
      .addColumn('intent', 'text', (column) => column.notNull())
      .addColumn('news', 'text', (column) => column.notNull())
      .addColumn('heard_at', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('early_payment_news_key', ['intent', 'news'])
      .execute();
    await db.schema.alterTable('payments').addColumn('return_url', 'text').execute();
  },
};
