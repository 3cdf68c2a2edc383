import type { Kysely } from 'kysely';

/** The HMAC secret of each digest, so that one of several secrets can be retired. */
export const digestSecrets = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const table of ['api_keys', 'admin_tokens', 'redemption_codes']) {
      await db.schema.alterTable(table).addColumn('digest_secret', 'text').execute();
    }
  },
};
