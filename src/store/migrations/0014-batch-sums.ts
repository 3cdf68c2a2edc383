import { type Kysely, sql } from 'kysely';
import { engineOf } from '../engine.ts';

/**
 * The process that books charges adds up their sums once per batch and marks the charges as counted. The database still
 * counts unmarked charges, because processes of the previous version keep booking. Two unused indexes are dropped.
 */
export const batchSums = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema.alterTable('transfers').addColumn('counted', 'integer').execute();
    await (engineOf(db) === 'postgres' ? countUnmarkedOnPostgres(db) : countUnmarkedEmbedded(db));
    await db.schema.dropIndex('transfers_by_key').execute();
    await db.schema.dropIndex('entries_by_account').execute();
  },
};

async function countUnmarkedEmbedded(db: Kysely<unknown>): Promise<void> {
  for (const trigger of ['transfers_counted', 'transfers_added_up']) {
    await sql`drop trigger ${sql.raw(trigger)}`.execute(db);
  }
  await sql`
    create trigger transfers_counted after insert on transfers
    when new.counted is null and new.kind in ('charge', 'charge-rest')
    begin
      insert into spend_hours (hour, account_id, key_id, amount)
      values (new.at - new.at % 3600000, new.account_id, coalesce(new.key_id, ''), -new.amount)
      on conflict (account_id, hour, key_id) do update set amount = amount + excluded.amount;
    end`.execute(db);
  await sql`
    create trigger transfers_added_up after insert on transfers
    when new.counted is null and new.kind in ('charge', 'charge-rest') and new.key_id is not null
    begin
      insert into key_spend (key_id, spent) values (new.key_id, -new.amount)
      on conflict (key_id) do update set spent = spent + excluded.spent;
    end`.execute(db);
}

async function countUnmarkedOnPostgres(db: Kysely<unknown>): Promise<void> {
  await sql`
    create or replace function count_charges() returns trigger language plpgsql as $$ begin
      insert into spend_hours (hour, account_id, key_id, amount)
      select at - at % 3600000, account_id, coalesce(key_id, ''), -sum(amount) from added
      where counted is null and kind in ('charge', 'charge-rest') group by 1, 2, 3
      on conflict (account_id, hour, key_id) do update set amount = spend_hours.amount + excluded.amount;
      return null;
    end $$`.execute(db);
  await sql`
    create or replace function add_up_charges() returns trigger language plpgsql as $$ begin
      insert into key_spend (key_id, spent)
      select key_id, -sum(amount) from added
      where counted is null and kind in ('charge', 'charge-rest') and key_id is not null group by 1
      on conflict (key_id) do update set spent = key_spend.spent + excluded.spent;
      return null;
    end $$`.execute(db);
}
