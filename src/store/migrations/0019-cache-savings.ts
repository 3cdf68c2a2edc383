import type { Kysely } from 'kysely';

/** Savings of each account through prompt caches, per hour. */
export const cacheSavings = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema
      .createTable('cache_savings')
      .addColumn('hour', 'bigint', (column) => column.notNull())
      .addColumn('account_id', 'text', (column) => column.notNull())
      .addColumn('amount', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('cache_savings_pk', ['account_id', 'hour'])
      .execute();
    await db.schema.createIndex('cache_savings_by_hour').on('cache_savings').column('hour').execute();
  },
};
