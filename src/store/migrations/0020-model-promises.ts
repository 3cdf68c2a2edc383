import type { Kysely } from 'kysely';

/** Results of the enforced constraints for each model, per day. */
export const modelPromises = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema
      .createTable('model_promises')
      .addColumn('model', 'text', (column) => column.notNull())
      .addColumn('promise', 'text', (column) => column.notNull())
      .addColumn('day', 'bigint', (column) => column.notNull())
      .addColumn('kept', 'bigint', (column) => column.notNull())
      .addColumn('mended', 'bigint', (column) => column.notNull())
      .addColumn('asked_again', 'bigint', (column) => column.notNull())
      .addColumn('missed', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('model_promises_pk', ['model', 'promise', 'day'])
      .execute();
    await db.schema.createIndex('model_promises_by_day').on('model_promises').column('day').execute();
  },
};
