import { type Kysely, sql } from 'kysely';
import { engineOf } from '../engine.ts';

/** The first tables: accounts and keys, resources, requests, changes and settings. */
export const foundation = {
  async up(db: Kysely<unknown>): Promise<void> {
    await accounts(db);
    await catalog(db);
    await requests(db);
  },
};

async function accounts(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('accounts')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('name', 'text', (column) => column.notNull().unique())
    .addColumn('package', 'text', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('credit', 'text')
    .addColumn('source', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema
    .createTable('api_keys')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('account_id', 'text', (column) => column.notNull().references('accounts.id'))
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('digest', 'text', (column) => column.notNull().unique())
    .addColumn('display', 'text', (column) => column.notNull())
    .addColumn('models', 'text')
    .addColumn('expires_at', 'bigint')
    .addColumn('revoked_at', 'bigint')
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('last_used_at', 'bigint')
    .execute();
  await db.schema.createIndex('api_keys_by_account').on('api_keys').column('account_id').execute();
}

async function catalog(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('resources')
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('source', 'text', (column) => column.notNull())
    .addColumn('spec', 'text', (column) => column.notNull())
    .addColumn('position', 'integer', (column) => column.notNull())
    .addColumn('updated_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('resources_pk', ['kind', 'name'])
    .execute();
  await (engineOf(db) === 'postgres' ? changesOnPostgres(db) : changesEmbedded(db));
  await db.schema
    .createTable('settings')
    .addColumn('name', 'text', (column) => column.primaryKey().notNull())
    .addColumn('value', 'text', (column) => column.notNull())
    .execute();
}

/** With one writer at a time, ids become visible in order: no lower id can appear later. */
async function changesEmbedded(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('changes')
    .addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
    .addColumn('topic', 'text', (column) => column.notNull())
    .addColumn('subject', 'text', (column) => column.notNull())
    .addColumn('at', 'bigint', (column) => column.notNull())
    .execute();
}

/** With many writers, the writing transaction of a row shows whether an earlier read could have seen it. */
async function changesOnPostgres(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('changes')
    .addColumn('id', 'bigint', (column) => column.primaryKey().generatedAlwaysAsIdentity())
    .addColumn('topic', 'text', (column) => column.notNull())
    .addColumn('subject', 'text', (column) => column.notNull())
    .addColumn('at', 'bigint', (column) => column.notNull())
    .addColumn('txid', sql`xid8`, (column) => column.notNull().defaultTo(sql`pg_current_xact_id()`))
    .execute();
  await db.schema.createIndex('changes_by_transaction').on('changes').column('txid').execute();
}

/** No foreign keys: the log is written in bulk and outlives the rows it refers to. */
async function requests(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('requests')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('started_at', 'bigint', (column) => column.notNull())
    .addColumn('account_id', 'text', (column) => column.notNull())
    .addColumn('key_id', 'text', (column) => column.notNull())
    .addColumn('user_id', 'text')
    .addColumn('site', 'text', (column) => column.notNull())
    .addColumn('surface', 'text', (column) => column.notNull())
    .addColumn('requested_model', 'text', (column) => column.notNull())
    .addColumn('model', 'text')
    .addColumn('upstream', 'text')
    .addColumn('upstream_model', 'text')
    .addColumn('status', 'integer', (column) => column.notNull())
    .addColumn('error_case', 'text')
    .addColumn('finish', 'text')
    .addColumn('prompt_tokens', 'bigint')
    .addColumn('completion_tokens', 'bigint')
    .addColumn('cached_tokens', 'bigint')
    .addColumn('reasoning_tokens', 'bigint')
    .addColumn('usage_source', 'text')
    .addColumn('attempts', 'integer', (column) => column.notNull())
    .addColumn('wait_ms', 'bigint')
    .addColumn('first_byte_ms', 'bigint')
    .addColumn('duration_ms', 'bigint', (column) => column.notNull())
    .addColumn('client_gone', 'integer', (column) => column.notNull())
    .addColumn('notes', 'text')
    .execute();
  await db.schema.createIndex('requests_by_time').on('requests').column('started_at').execute();
  for (const column of ['account_id', 'key_id', 'model', 'user_id']) {
    const index = db.schema.createIndex(`requests_by_${column.replace('_id', '')}`);
    const filled = sql<boolean>`${sql.ref(column)} is not null`;
    await index.on('requests').columns([column, 'started_at']).where(filled).execute();
  }
}
