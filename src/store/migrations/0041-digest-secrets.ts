import type { Kysely } from 'kysely';

/** With which of several secrets a digest was made, so that one of them can be given up. */
export const digestSecrets = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const table of ['api_keys', 'admin_tokens', 'redemption_codes']) {
      await db.schema.alterTable(table).addColumn('digest_secret', 'text').execute();
    }
  },
};
