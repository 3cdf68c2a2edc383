import type { Kysely } from 'kysely';

/** The last used code of an authenticator, so that no code is accepted twice. */
export const oneUseCodes = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema.alterTable('console_two_factors').addColumn('last_step', 'bigint').execute();
  },
};
