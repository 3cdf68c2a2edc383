import type { Kysely } from 'kysely';

/** Spend caps of keys, and the key that each one replaced. */
export const keyTerms = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema.alterTable('api_keys').addColumn('spend_cap', 'text').execute();
    await db.schema.alterTable('api_keys').addColumn('rotated_from', 'text').execute();
  },
};
