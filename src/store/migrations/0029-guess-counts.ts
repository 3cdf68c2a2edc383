import type { Kysely } from 'kysely';

/** How often someone was wrong of late, so that guessing is as slow at many processes as at one. */
export const guessCounts = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema
      .createTable('guess_counts')
      .addColumn('name', 'text', (column) => column.primaryKey())
      .addColumn('until', 'bigint', (column) => column.notNull())
      .addColumn('version', 'bigint', (column) => column.notNull())
      .execute();
    await db.schema.createIndex('guess_counts_by_end').on('guess_counts').column('until').execute();
  },
};
