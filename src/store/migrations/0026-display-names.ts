import type { Kysely } from 'kysely';

/** A display name of an account, in any script. Files and commands still use `name`. */
export const displayNames = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema.alterTable('accounts').addColumn('display_name', 'text').execute();
  },
};
