import type { Kysely } from 'kysely';

/** Which keys a page made for itself, for an hour: nobody has to look after them. */
export const passingKeys = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema.alterTable('api_keys').addColumn('passing', 'integer').execute();
  },
};
