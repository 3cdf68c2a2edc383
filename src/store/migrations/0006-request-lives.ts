import type { Kysely } from 'kysely';

/** Details of a request: each attempt, and the prices of its price version. */
export const requestLives = {
  async up(db: Kysely<unknown>): Promise<void> {
    const columns = {
      queue_position: 'integer',
      cache_write_5m_tokens: 'bigint',
      cache_write_1h_tokens: 'bigint',
      attempt_log: 'text',
      replay_of: 'text',
    } as const;
    for (const [name, type] of Object.entries(columns)) {
      await db.schema.alterTable('requests').addColumn(name, type).execute();
    }
    await db.schema
      .createTable('price_versions')
      .addColumn('version', 'text', (column) => column.primaryKey().notNull())
      .addColumn('input', 'text', (column) => column.notNull())
      .addColumn('cached_input', 'text', (column) => column.notNull())
      .addColumn('cache_write_5m', 'text', (column) => column.notNull())
      .addColumn('cache_write_1h', 'text', (column) => column.notNull())
      .addColumn('output', 'text', (column) => column.notNull())
      .execute();
  },
};
