import type { Kysely } from 'kysely';

/** Marks temporary keys, which a dashboard page creates for itself for one hour and which need no management. */
export const passingKeys = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema.alterTable('api_keys').addColumn('temporary', 'integer').execute();
  },
};
