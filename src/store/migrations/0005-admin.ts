import { type Kysely, sql } from 'kysely';
import { engineOf } from '../engine.ts';

/** Tokens of the admin API, the audit log, and the writes already done under an `Idempotency-Key`. */
export const admin = {
  async up(db: Kysely<unknown>): Promise<void> {
    await tokens(db);
    await writes(db);
    await audit(db);
    await forbidChanges(db);
  },
};

async function tokens(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('admin_tokens')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('role', 'text', (column) => column.notNull())
    .addColumn('account_id', 'text', (column) => column.references('accounts.id'))
    .addColumn('digest', 'text', (column) => column.notNull().unique())
    .addColumn('display', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('revoked_at', 'bigint')
    .execute();
}

async function writes(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('admin_writes')
    .addColumn('token_id', 'text', (column) => column.notNull())
    .addColumn('key_digest', 'text', (column) => column.notNull())
    .addColumn('request_digest', 'text', (column) => column.notNull())
    .addColumn('reply', 'text')
    .addColumn('at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('admin_writes_pk', ['token_id', 'key_digest'])
    .execute();
  await db.schema.createIndex('admin_writes_by_time').on('admin_writes').column('at').execute();
}

async function audit(db: Kysely<unknown>): Promise<void> {
  const table = db.schema.createTable('audit');
  const withId =
    engineOf(db) === 'postgres'
      ? table.addColumn('id', 'bigint', (column) => column.primaryKey().generatedAlwaysAsIdentity())
      : table.addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement());
  await withId
    .addColumn('at', 'bigint', (column) => column.notNull())
    .addColumn('actor', 'text', (column) => column.notNull())
    .addColumn('role', 'text', (column) => column.notNull())
    .addColumn('action', 'text', (column) => column.notNull())
    .addColumn('subject_kind', 'text', (column) => column.notNull())
    .addColumn('subject_id', 'text', (column) => column.notNull())
    .addColumn('before', 'text')
    .addColumn('after', 'text')
    .addColumn('request_id', 'text')
    .execute();
  await db.schema.createIndex('audit_by_subject').on('audit').columns(['subject_kind', 'subject_id', 'id']).execute();
}

/** Makes the audit log append-only for every connection. */
async function forbidChanges(db: Kysely<unknown>): Promise<void> {
  if (engineOf(db) === 'sqlite') {
    for (const action of ['update', 'delete']) {
      await sql`create trigger ${sql.raw(`audit_no_${action}`)} before ${sql.raw(action)} on audit
        begin select raise(abort, 'the audit log is never changed'); end`.execute(db);
    }
    return;
  }
  await sql`create function refuse_audit_change() returns trigger language plpgsql as
    $$ begin raise exception 'the audit log is never changed'; end $$`.execute(db);
  await sql`create trigger audit_no_change before update or delete or truncate on audit
    for each statement execute function refuse_audit_change()`.execute(db);
}
