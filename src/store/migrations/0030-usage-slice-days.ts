import { type Kysely, sql } from 'kysely';

/** Rollups per UTC day, so that a long span needs few rows, and an index on the hours of one value. */
export const usageSliceDays = {
  async up(db: Kysely<unknown>): Promise<void> {
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
    let table = db.schema
      .createTable('usage_rollup_days')
      .addColumn('account_id', 'text', (column) => column.notNull())
      .addColumn('dimension', 'text', (column) => column.notNull())
      .addColumn('day', 'bigint', (column) => column.notNull())
      .addColumn('value', 'text', (column) => column.notNull());
    for (const name of sums) table = table.addColumn(name, 'bigint', (column) => column.notNull());
    await table.addPrimaryKeyConstraint('usage_rollup_days_pk', ['account_id', 'dimension', 'day', 'value']).execute();
    await db.schema.createIndex('usage_rollup_days_by_day').on('usage_rollup_days').column('day').execute();
    const added = sql.join(sums.map((name) => sql`sum(${sql.ref(name)})`));
    await sql`insert into usage_rollup_days
      select account_id, dimension, hour - hour % 86400000, value, ${added} from usage_rollups group by 1, 2, 3, 4`.execute(
      db,
    );
    const byValue = db.schema.createIndex('usage_rollups_by_value').on('usage_rollups');
    await byValue.columns(['account_id', 'dimension', 'value', 'hour']).execute();
  },
};
