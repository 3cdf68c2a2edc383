import type { Kysely } from 'kysely';

/** Performance of models and their routes, per hour and per day. Requests before this migration are not included. */
export const performance = {
  async up(db: Kysely<unknown>): Promise<void> {
    let table = db.schema
      .createTable('performance_sums')
      .addColumn('grain', 'text', (column) => column.notNull())
      .addColumn('start', 'bigint', (column) => column.notNull())
      .addColumn('upstream', 'text', (column) => column.notNull())
      .addColumn('model', 'text', (column) => column.notNull());
    const sums = ['answered', 'failed', 'timed', 'first_token_ms', 'paced', 'tokens', 'generation_ms'];
    for (const name of sums) table = table.addColumn(name, 'bigint', (column) => column.notNull());
    await table.addPrimaryKeyConstraint('performance_sums_pk', ['grain', 'start', 'upstream', 'model']).execute();
  },
};
