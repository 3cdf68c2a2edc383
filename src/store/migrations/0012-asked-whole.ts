import { type Kysely, sql } from 'kysely';

/**
 * Who asked for one JSON body and got a stream, which many clients cannot read and ask for again; keys that get the body
 * they ask for; and what a refused request was told.
 */
export const askedWhole = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema.alterTable('requests').addColumn('error_detail', 'text').execute();
    await db.schema.alterTable('requests').addColumn('asked_whole', 'integer').execute();
    await db.schema.alterTable('requests').addColumn('unwanted_stream', 'integer').execute();
    for (const table of ['usage_hours', 'usage_totals']) {
      await db.schema
        .alterTable(table)
        .addColumn('unwanted_streams', 'bigint', (column) => column.notNull().defaultTo(0))
        .execute();
    }
    // Few hours have any, and all accounts together are asked for them.
    await sql`create index usage_hours_unwanted on usage_hours (hour) where unwanted_streams > 0`.execute(db);
    await db.schema.alterTable('api_keys').addColumn('honour_stream_false', 'integer').execute();
  },
};
