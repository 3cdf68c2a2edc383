import type { Kysely } from 'kysely';

/** Which bodies were deleted on demand: by a request's id, or by a key's with all that was older. */
export const deletedBodies = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema
      .createTable('deleted_bodies')
      .addColumn('subject', 'text', (column) => column.primaryKey())
      .addColumn('deleted_at', 'bigint', (column) => column.notNull())
      .execute();
  },
};
