import type { Kysely } from 'kysely';

/** Tools that providers run themselves: what they cost, and how often a request had them run. */
export const providerTools = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema.alterTable('price_versions').addColumn('tool_uses', 'text').execute();
    await db.schema.alterTable('requests').addColumn('tool_uses', 'text').execute();
  },
};
