import type { Kysely } from 'kysely';

/** More limits of a key, the account's time zone in which caps reset, and the leases of processes on spend caps. */
export const keyLimits = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema.alterTable('accounts').addColumn('time_zone', 'text').execute();
    await db.schema.alterTable('api_keys').addColumn('cap_period', 'text').execute();
    await db.schema.alterTable('api_keys').addColumn('max_concurrency', 'integer').execute();
    await db.schema.alterTable('api_keys').addColumn('addresses', 'text').execute();
    await db.schema.alterTable('api_keys').addColumn('first_id', 'text').execute();
    await db.schema.createIndex('api_keys_by_first').on('api_keys').column('first_id').execute();
    await db.schema.alterTable('open_charges').addColumn('at', 'bigint').execute();
    await db.schema
      .createTable('key_leases')
      .addColumn('process_id', 'text', (column) => column.notNull())
      .addColumn('budget', 'text', (column) => column.notNull())
      .addColumn('first_id', 'text', (column) => column.notNull())
      .addColumn('period', 'text', (column) => column.notNull())
      .addColumn('since', 'bigint', (column) => column.notNull())
      .addColumn('amount', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('key_leases_pk', ['process_id', 'budget'])
      .execute();
    await db.schema.createIndex('key_leases_by_first').on('key_leases').column('first_id').execute();
  },
};
