import { type Kysely, sql } from 'kysely';

/** Usage per hour, and indexes that return a page of the request log in order for every filter. */
export const usage = {
  async up(db: Kysely<unknown>): Promise<void> {
    await hours(db);
    await countStoredRequests(db);
    await indexes(db);
  },
};

async function hours(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('usage_hours')
    .addColumn('hour', 'bigint', (column) => column.notNull())
    .addColumn('account_id', 'text', (column) => column.notNull())
    .addColumn('key_id', 'text', (column) => column.notNull())
    .addColumn('model', 'text', (column) => column.notNull())
    .addColumn('site', 'text', (column) => column.notNull())
    .addColumn('requests', 'bigint', (column) => column.notNull())
    .addColumn('errors', 'bigint', (column) => column.notNull())
    .addColumn('client_gone', 'bigint', (column) => column.notNull())
    .addColumn('answered', 'bigint', (column) => column.notNull())
    .addColumn('prompt_tokens', 'bigint', (column) => column.notNull())
    .addColumn('completion_tokens', 'bigint', (column) => column.notNull())
    .addColumn('cached_tokens', 'bigint', (column) => column.notNull())
    .addColumn('reasoning_tokens', 'bigint', (column) => column.notNull())
    .addColumn('cost', 'bigint', (column) => column.notNull())
    .addColumn('wait_ms', 'bigint', (column) => column.notNull())
    .addColumn('first_byte_ms', 'bigint', (column) => column.notNull())
    .addColumn('duration_ms', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('usage_hours_pk', ['account_id', 'hour', 'key_id', 'model', 'site'])
    .execute();
  await db.schema.createIndex('usage_hours_by_hour').on('usage_hours').column('hour').execute();
}

/** A store in use already has requests that were never counted. */
async function countStoredRequests(db: Kysely<unknown>): Promise<void> {
  await sql`
    insert into usage_hours
    select started_at - started_at % 3600000, account_id, key_id, coalesce(model, ''), site,
      count(*), count(error_case), sum(client_gone), count(first_byte_ms),
      coalesce(sum(prompt_tokens), 0), coalesce(sum(completion_tokens), 0),
      coalesce(sum(cached_tokens), 0), coalesce(sum(reasoning_tokens), 0),
      coalesce(sum(cost), 0), coalesce(sum(wait_ms), 0), coalesce(sum(first_byte_ms), 0), sum(duration_ms)
    from requests
    group by 1, 2, 3, 4, 5`.execute(db);
}

/** Newest first; the id orders requests of the same millisecond. Each index ends with the sort order of a page. */
async function indexes(db: Kysely<unknown>): Promise<void> {
  for (const name of ['time', 'account', 'key', 'model', 'user']) {
    await db.schema.dropIndex(`requests_by_${name}`).execute();
  }
  const page = ['started_at', 'id'];
  await db.schema.createIndex('requests_by_time').on('requests').columns(page).execute();
  for (const column of ['site', 'model', 'user_id', 'account_id', 'key_id']) {
    const index = db.schema.createIndex(`requests_by_${column.replace('_id', '')}`);
    await index
      .on('requests')
      .columns([column, ...page])
      .where(sql.ref(column), 'is not', null)
      .execute();
  }
  const failed = db.schema.createIndex('requests_by_error').on('requests').columns(page);
  await failed.where(sql.ref('error_case'), 'is not', null).execute();
  const refused = db.schema.createIndex('requests_by_refusal').on('requests').columns(page);
  await refused.where(sql.ref('status'), '>=', sql.lit(400)).execute();
}
