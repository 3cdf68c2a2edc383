import type { Kysely } from 'kysely';

/** Results of the enforced constraints for each model, per day. */
export const modelPromises = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema
      .createTable('constraint_results')
      .addColumn('model', 'text', (column) => column.notNull())
      .addColumn('constraint_name', 'text', (column) => column.notNull())
      .addColumn('day', 'bigint', (column) => column.notNull())
      .addColumn('met', 'bigint', (column) => column.notNull())
      .addColumn('repaired', 'bigint', (column) => column.notNull())
      .addColumn('reprompted', 'bigint', (column) => column.notNull())
      .addColumn('violated', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('constraint_results_pk', ['model', 'constraint_name', 'day'])
      .execute();
    await db.schema.createIndex('constraint_results_by_day').on('constraint_results').column('day').execute();
  },
};
