import { type Kysely, sql } from 'kysely';

/**
 * Rollups: usage per hour along one dimension at a time. The commit that stores requests also writes their rollup delta
 * and marks them; a worker adds the deltas later. Requests without a mark were written by the previous version, before
 * or after this migration.
 */
export const usageSlices = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema.alterTable('requests').addColumn('provider_cost', 'bigint').execute();
    await db.schema.alterTable('requests').addColumn('sliced', 'integer').execute();
    await sql`create index requests_unsliced on requests (started_at) where sliced is null`.execute(db);
    await db.schema
      .createTable('usage_deltas')
      .addColumn('id', 'text', (column) => column.primaryKey().notNull())
      .addColumn('body', 'text', (column) => column.notNull())
      .execute();
    await slices(db);
  },
};

async function slices(db: Kysely<unknown>): Promise<void> {
  let table = db.schema
    .createTable('usage_rollups')
    .addColumn('account_id', 'text', (column) => column.notNull())
    .addColumn('dimension', 'text', (column) => column.notNull())
    .addColumn('hour', 'bigint', (column) => column.notNull())
    .addColumn('value', 'text', (column) => column.notNull());
  const sums = [
    'requests',
    'errors',
    'client_gone',
    'answered',
    'prompt_tokens',
    'completion_tokens',
    'cached_tokens',
    'reasoning_tokens',
    'cost',
    'provider_cost',
    'costed',
    'wait_ms',
    'first_byte_ms',
    'duration_ms',
  ];
  for (const name of sums) table = table.addColumn(name, 'bigint', (column) => column.notNull());
  await table.addPrimaryKeyConstraint('usage_rollups_pk', ['account_id', 'dimension', 'hour', 'value']).execute();
  await db.schema.createIndex('usage_rollups_by_hour').on('usage_rollups').column('hour').execute();
}
