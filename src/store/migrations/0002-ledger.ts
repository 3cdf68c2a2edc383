import type { Kysely } from 'kysely';

/** What a request cost, and by which price: nothing until it is settled. */
export const ledger = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema.alterTable('requests').addColumn('cost', 'bigint').execute();
    await db.schema.alterTable('requests').addColumn('price_version', 'text').execute();
  },
};
