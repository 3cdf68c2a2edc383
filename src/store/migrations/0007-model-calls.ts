import type { Kysely } from 'kysely';

/** Running totals of tool calls per model. */
export const modelCalls = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema
      .createTable('model_calls')
      .addColumn('model', 'text', (column) => column.primaryKey())
      .addColumn('seen', 'bigint', (column) => column.notNull())
      .addColumn('parsed', 'bigint', (column) => column.notNull())
      .addColumn('repaired', 'bigint', (column) => column.notNull())
      .addColumn('failed', 'bigint', (column) => column.notNull())
      .execute();
  },
};
