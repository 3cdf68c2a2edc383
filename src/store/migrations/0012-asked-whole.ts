import { type Kysely, sql } from 'kysely';

/**
 * Requests for one JSON body that received a stream, which many clients cannot read and so retry; keys that get the
 * requested body; and the error detail of rejected requests.
 */
export const askedWhole = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema.alterTable('requests').addColumn('error_detail', 'text').execute();
    await db.schema.alterTable('requests').addColumn('requested_whole', 'integer').execute();
    await db.schema.alterTable('requests').addColumn('unwanted_stream', 'integer').execute();
    for (const table of ['usage_hours', 'usage_totals']) {
      await db.schema
        .alterTable(table)
        .addColumn('unwanted_streams', 'bigint', (column) => column.notNull().defaultTo(0))
        .execute();
    }
    // Few hours have any, and the query covers all accounts.
    await sql`create index usage_hours_unwanted on usage_hours (hour) where unwanted_streams > 0`.execute(db);
    await db.schema.alterTable('api_keys').addColumn('honour_stream_false', 'integer').execute();
  },
};
