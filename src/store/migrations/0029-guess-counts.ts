import type { Kysely } from 'kysely';

/** Recent failed attempts, so that guessing is as slow against many processes as against one. */
export const guessCounts = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema
      .createTable('leaky_counts')
      .addColumn('name', 'text', (column) => column.primaryKey())
      .addColumn('until', 'bigint', (column) => column.notNull())
      .addColumn('version', 'bigint', (column) => column.notNull())
      .execute();
    await db.schema.createIndex('leaky_counts_by_end').on('leaky_counts').column('until').execute();
  },
};
