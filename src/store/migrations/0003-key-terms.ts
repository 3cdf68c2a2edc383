import type { Kysely } from 'kysely';

/** What a key may spend, and which key it replaced. */
export const keyTerms = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema.alterTable('api_keys').addColumn('spend_cap', 'text').execute();
    await db.schema.alterTable('api_keys').addColumn('rolled_from', 'text').execute();
  },
};
