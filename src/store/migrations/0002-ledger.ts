import { type Kysely, sql } from 'kysely';
import { engineOf } from '../engine.ts';

/** Money: the balances of accounts, the leases of processes, and every movement. */
export const ledger = {
  async up(db: Kysely<unknown>): Promise<void> {
    await balances(db);
    await setAside(db);
    await movements(db);
    await db.schema.alterTable('requests').addColumn('cost', 'bigint').execute();
    await db.schema.alterTable('requests').addColumn('price_version', 'text').execute();
    for (const table of ['transfers', 'entries']) await forbidChanges(db, table);
  },
};

async function balances(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('balances')
    .addColumn('account_id', 'text', (column) => column.primaryKey().notNull().references('accounts.id'))
    .addColumn('granted', 'bigint', (column) => column.notNull().check(sql`granted >= 0`))
    .addColumn('topped_up', 'bigint', (column) => column.notNull())
    .addColumn('leased', 'bigint', (column) => column.notNull().check(sql`leased >= 0`))
    .addColumn('floor', 'bigint', (column) => column.notNull())
    .execute();
}

async function setAside(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('processes')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('started_at', 'bigint', (column) => column.notNull())
    .addColumn('alive_until', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema
    .createTable('leases')
    .addColumn('process_id', 'text', (column) => column.notNull())
    .addColumn('account_id', 'text', (column) => column.notNull().references('accounts.id'))
    .addColumn('amount', 'bigint', (column) => column.notNull().check(sql`amount >= 0`))
    .addPrimaryKeyConstraint('leases_pk', ['process_id', 'account_id'])
    .execute();
  await db.schema.createIndex('leases_by_account').on('leases').column('account_id').execute();
  await db.schema
    .createTable('open_charges')
    .addColumn('request_id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('process_id', 'text', (column) => column.notNull())
    .addColumn('account_id', 'text', (column) => column.notNull().references('accounts.id'))
    .addColumn('key_id', 'text', (column) => column.notNull())
    .addColumn('cost', 'bigint', (column) => column.notNull())
    .addColumn('price_version', 'text', (column) => column.notNull())
    .execute();
  await db.schema.createIndex('open_charges_by_process').on('open_charges').column('process_id').execute();
}

async function movements(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('transfers')
    .addColumn('reference', 'text', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('account_id', 'text', (column) => column.notNull().references('accounts.id'))
    .addColumn('key_id', 'text')
    .addColumn('amount', 'bigint', (column) => column.notNull())
    .addColumn('by', 'text', (column) => column.notNull())
    .addColumn('reason', 'text', (column) => column.notNull())
    .addColumn('price_version', 'text')
    .addColumn('at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('transfers_pk', ['reference', 'kind'])
    .execute();
  await db.schema.createIndex('transfers_by_key').on('transfers').column('key_id').execute();
  await db.schema.createIndex('transfers_by_account').on('transfers').columns(['account_id', 'at']).execute();
  await db.schema
    .createTable('entries')
    .addColumn('reference', 'text', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('account', 'text', (column) => column.notNull())
    .addColumn('amount', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('entries_pk', ['reference', 'kind', 'account'])
    .addForeignKeyConstraint('entries_transfer', ['reference', 'kind'], 'transfers', ['reference', 'kind'])
    .execute();
  await db.schema.createIndex('entries_by_account').on('entries').column('account').execute();
}

/** Bookings cannot be changed. An error is corrected with another booking. */
async function forbidChanges(db: Kysely<unknown>, table: string): Promise<void> {
  const name = sql.table(table);
  if (engineOf(db) === 'sqlite') {
    for (const action of ['update', 'delete']) {
      const trigger = sql.raw(`${table}_no_${action}`);
      const message = sql.lit(`${table} are never changed`);
      await sql`create trigger ${trigger} before ${sql.raw(action)} on ${name} begin select raise(abort, ${message}); end`.execute(
        db,
      );
    }
    return;
  }
  await sql`create or replace function refuse_change() returns trigger language plpgsql as $$ begin raise exception 'the ledger is never changed'; end $$`.execute(
    db,
  );
  const trigger = sql.raw(`${table}_no_change`);
  await sql`create trigger ${trigger} before update or delete on ${name} for each row execute function refuse_change()`.execute(
    db,
  );
}
