import type { Kysely } from 'kysely';

/** What people call an account, in any script. Its name stays what files and commands call it. */
export const displayNames = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema.alterTable('accounts').addColumn('display_name', 'text').execute();
  },
};
