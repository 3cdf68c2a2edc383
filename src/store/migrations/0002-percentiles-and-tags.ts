import { type Kysely, sql } from 'kysely';

/** Rows of the version before keep the defaults: no histogram, no calls and no tags. */
export const percentilesAndTags = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const table of ['usage_rollups', 'usage_rollup_days']) {
      for (const column of [
        'calls bigint not null default 0',
        'failed_calls bigint not null default 0',
        "histograms text not null default ''",
      ]) {
        await sql.raw(`alter table ${table} add column ${column}`).execute(db);
      }
    }
    await sql`alter table requests add column tags text`.execute(db);
  },
};
