import type { Kysely } from 'kysely';

/** Tools that providers run themselves: their prices, and how often each request used them. */
export const providerTools = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema.alterTable('price_versions').addColumn('tool_uses', 'text').execute();
    await db.schema.alterTable('requests').addColumn('tool_uses', 'text').execute();
  },
};
