import type { Kysely } from 'kysely';

/** Which code of an authenticator was used last, so that none is taken twice. */
export const oneUseCodes = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema.alterTable('console_two_factors').addColumn('last_step', 'bigint').execute();
  },
};
