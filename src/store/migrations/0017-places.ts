import type { Kysely } from 'kysely';

/**
 * Slots at upstreams that processes have leased, and the state they share about upstreams. Used only in a shared
 * database.
 */
export const places = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema
      .createTable('cluster_members')
      .addColumn('process', 'text', (column) => column.primaryKey())
      .addColumn('heartbeat_ms', 'bigint', (column) => column.notNull())
      .addColumn('member', 'text', (column) => column.notNull())
      .execute();
    await db.schema
      .createTable('shared_states')
      .addColumn('subject', 'text', (column) => column.primaryKey())
      .addColumn('process', 'text', (column) => column.notNull())
      .addColumn('value', 'text', (column) => column.notNull())
      .addColumn('version', 'bigint', (column) => column.notNull())
      .addColumn('until_ms', 'bigint', (column) => column.notNull())
      .execute();
  },
};
