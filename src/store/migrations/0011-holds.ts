import { type Kysely, sql } from 'kysely';
import { engineOf } from '../engine.ts';

/** Adds the held amount to charges, and one row with the total spend of each key. */
export const holds = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const table of ['transfers', 'open_charges']) {
      await db.schema.alterTable(table).addColumn('held', 'bigint').execute();
    }
    await keySpend(db);
    await (engineOf(db) === 'postgres' ? addUpOnPostgres(db) : addUpEmbedded(db));
  },
};

async function keySpend(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('key_spend')
    .addColumn('key_id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('spent', 'bigint', (column) => column.notNull())
    .execute();
  await sql`
    insert into key_spend (key_id, spent)
    select key_id, sum(amount) from spend_hours where key_id <> '' group by key_id`.execute(db);
}

/** Database triggers add up, so that the sums are right whichever version of the gateway books. */
async function addUpEmbedded(db: Kysely<unknown>): Promise<void> {
  await sql`
    create trigger transfers_added_up after insert on transfers
    when new.kind in ('charge', 'charge-rest') and new.key_id is not null
    begin
      insert into key_spend (key_id, spent) values (new.key_id, -new.amount)
      on conflict (key_id) do update set spent = spent + excluded.spent;
    end`.execute(db);
}

/** A key belongs to one account, and a booking process holds the row of that account: no deadlock is possible here. */
async function addUpOnPostgres(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function add_up_charges() returns trigger language plpgsql as $$ begin
      insert into key_spend (key_id, spent)
      select key_id, -sum(amount) from added where kind in ('charge', 'charge-rest') and key_id is not null group by 1
      on conflict (key_id) do update set spent = key_spend.spent + excluded.spent;
      return null;
    end $$`.execute(db);
  await sql`
    create trigger transfers_added_up after insert on transfers referencing new table as added
    for each statement execute function add_up_charges()`.execute(db);
}
