import type { Kysely } from 'kysely';

/** Encrypted bodies of requests whose keys opt in, sums per account, and the opt-in flag of keys. */
export const storedBodies = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema.alterTable('api_keys').addColumn('store_bodies', 'integer').execute();
    await db.schema
      .createTable('stored_bodies')
      .addColumn('request_id', 'text', (column) => column.primaryKey())
      .addColumn('account_id', 'text', (column) => column.notNull())
      .addColumn('key_id', 'text', (column) => column.notNull())
      .addColumn('stored_at', 'bigint', (column) => column.notNull())
      .addColumn('request_bytes', 'bigint', (column) => column.notNull())
      .addColumn('answer_bytes', 'bigint', (column) => column.notNull())
      .addColumn('bytes', 'bigint', (column) => column.notNull())
      .addColumn('sealed', 'text', (column) => column.notNull())
      .execute();
    const byAge = (name: string, ...columns: string[]) =>
      db.schema
        .createIndex(name)
        .on('stored_bodies')
        .columns([...columns, 'stored_at'])
        .execute();
    await byAge('stored_bodies_by_age');
    await byAge('stored_bodies_by_key', 'key_id');
    await byAge('stored_bodies_by_account', 'account_id');
    await db.schema
      .createTable('stored_body_sums')
      .addColumn('account_id', 'text', (column) => column.primaryKey())
      .addColumn('requests', 'bigint', (column) => column.notNull())
      .addColumn('bytes', 'bigint', (column) => column.notNull())
      .execute();
  },
};
