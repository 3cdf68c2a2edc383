import type { Kysely } from 'kysely';

/** Bodies deleted on demand: by request id, or by key id with all older bodies. */
export const deletedBodies = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema
      .createTable('deleted_bodies')
      .addColumn('subject', 'text', (column) => column.primaryKey())
      .addColumn('deleted_at', 'bigint', (column) => column.notNull())
      .execute();
  },
};
