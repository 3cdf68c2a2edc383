import { type Kysely, sql } from 'kysely';

/** Codes that add money to the account that redeems them: created in batches, each usable once. */
export const redemptionCodes = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema
      .createTable('code_batches')
      .addColumn('id', 'text', (column) => column.primaryKey().notNull())
      .addColumn('note', 'text', (column) => column.notNull())
      .addColumn('amount', 'bigint', (column) => column.notNull().check(sql`amount > 0`))
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('site', 'text')
      .addColumn('package', 'text')
      .addColumn('expires_at', 'bigint')
      .addColumn('count', 'integer', (column) => column.notNull())
      .addColumn('created_by', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .execute();
    await db.schema.createIndex('code_batches_by_time').on('code_batches').columns(['created_at', 'id']).execute();
    await db.schema
      .createTable('redemption_codes')
      .addColumn('id', 'text', (column) => column.primaryKey().notNull())
      .addColumn('batch_id', 'text', (column) => column.notNull().references('code_batches.id'))
      .addColumn('digest', 'text', (column) => column.notNull().unique())
      .addColumn('display', 'text', (column) => column.notNull())
      .addColumn('withdrawn_at', 'bigint')
      .addColumn('redeemed_at', 'bigint')
      .addColumn('account_id', 'text', (column) => column.references('accounts.id'))
      .addColumn('redeemed_by', 'text')
      .execute();
    await db.schema.createIndex('redemption_codes_by_batch').on('redemption_codes').column('batch_id').execute();
  },
};
