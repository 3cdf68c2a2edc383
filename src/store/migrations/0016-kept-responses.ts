import type { Kysely } from 'kysely';

/** Stored responses that later requests may refer to, encrypted; an index of their items; and sums per account. */
export const keptResponses = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema
      .createTable('kept_responses')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('account_id', 'text', (column) => column.notNull())
      .addColumn('model', 'text', (column) => column.notNull())
      .addColumn('previous_id', 'text')
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('bytes', 'bigint', (column) => column.notNull())
      .addColumn('sealed', 'text', (column) => column.notNull())
      .execute();
    await db.schema
      .createIndex('kept_responses_by_account')
      .on('kept_responses')
      .columns(['account_id', 'created_at'])
      .execute();
    await db.schema.createIndex('kept_responses_by_age').on('kept_responses').column('created_at').execute();
    await db.schema
      .createTable('kept_items')
      .addColumn('account_id', 'text', (column) => column.notNull())
      .addColumn('item_id', 'text', (column) => column.notNull())
      .addColumn('response_id', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('kept_items_key', ['account_id', 'item_id'])
      .execute();
    await db.schema.createIndex('kept_items_by_response').on('kept_items').column('response_id').execute();
    await db.schema
      .createTable('kept_sums')
      .addColumn('account_id', 'text', (column) => column.primaryKey())
      .addColumn('responses', 'bigint', (column) => column.notNull())
      .addColumn('bytes', 'bigint', (column) => column.notNull())
      .execute();
  },
};
