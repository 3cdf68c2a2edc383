import { type Kysely, sql } from 'kysely';
import { engineOf } from '../engine.ts';

/** Charges and errors per hour, so that the cost of an overview does not depend on the number of requests. */
export const overview = {
  async up(db: Kysely<unknown>): Promise<void> {
    await spendHours(db);
    await (engineOf(db) === 'postgres' ? countChargesOnPostgres(db) : countChargesEmbedded(db));
    await errorHours(db);
    await usageTotals(db);
  },
};

async function spendHours(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('spend_hours')
    .addColumn('hour', 'bigint', (column) => column.notNull())
    .addColumn('account_id', 'text', (column) => column.notNull())
    .addColumn('key_id', 'text', (column) => column.notNull())
    .addColumn('amount', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('spend_hours_pk', ['account_id', 'hour', 'key_id'])
    .execute();
  await db.schema.createIndex('spend_hours_by_hour').on('spend_hours').column('hour').execute();
  await db.schema.createIndex('spend_hours_by_key').on('spend_hours').columns(['key_id', 'hour']).execute();
  await sql`
    insert into spend_hours (hour, account_id, key_id, amount)
    select at - at % 3600000, account_id, coalesce(key_id, ''), -sum(amount) from transfers
    where kind in ('charge', 'charge-rest') group by 1, 2, 3`.execute(db);
}

/**
 * Database triggers count, so that the sums match the ledger whichever version of the gateway books. A booking process
 * holds the row of the account, so no deadlock is possible here.
 */
async function countChargesEmbedded(db: Kysely<unknown>): Promise<void> {
  await sql`
    create trigger transfers_counted after insert on transfers when new.kind in ('charge', 'charge-rest')
    begin
      insert into spend_hours (hour, account_id, key_id, amount)
      values (new.at - new.at % 3600000, new.account_id, coalesce(new.key_id, ''), -new.amount)
      on conflict (account_id, hour, key_id) do update set amount = amount + excluded.amount;
    end`.execute(db);
}

async function countChargesOnPostgres(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function count_charges() returns trigger language plpgsql as $$ begin
      insert into spend_hours (hour, account_id, key_id, amount)
      select at - at % 3600000, account_id, coalesce(key_id, ''), -sum(amount) from added
      where kind in ('charge', 'charge-rest') group by 1, 2, 3
      on conflict (account_id, hour, key_id) do update set amount = spend_hours.amount + excluded.amount;
      return null;
    end $$`.execute(db);
  await sql`
    create trigger transfers_counted after insert on transfers referencing new table as added
    for each statement execute function count_charges()`.execute(db);
}

async function errorHours(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('error_hours')
    .addColumn('hour', 'bigint', (column) => column.notNull())
    .addColumn('account_id', 'text', (column) => column.notNull())
    .addColumn('error_case', 'text', (column) => column.notNull())
    .addColumn('requests', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('error_hours_pk', ['account_id', 'hour', 'error_case'])
    .execute();
  await db.schema.createIndex('error_hours_by_hour').on('error_hours').column('hour').execute();
  await sql`
    insert into error_hours (hour, account_id, error_case, requests)
    select started_at - started_at % 3600000, account_id, error_case, count(*) from requests
    where error_case is not null group by 1, 2, 3`.execute(db);
}

/** The sums of `usage_hours` over all accounts, so that a global overview does not read the hours of every account. */
async function usageTotals(db: Kysely<unknown>): Promise<void> {
  const sums = [
    'requests',
    'errors',
    'client_gone',
    'answered',
    'prompt_tokens',
    'completion_tokens',
    'cached_tokens',
    'reasoning_tokens',
    'cost',
    'wait_ms',
    'first_byte_ms',
    'duration_ms',
  ];
  let table = db.schema
    .createTable('usage_totals')
    .addColumn('hour', 'bigint', (column) => column.notNull())
    .addColumn('model', 'text', (column) => column.notNull());
  for (const name of sums) table = table.addColumn(name, 'bigint', (column) => column.notNull());
  await table.addPrimaryKeyConstraint('usage_totals_pk', ['hour', 'model']).execute();
  const added = sql.join(sums.map((name) => sql`sum(${sql.ref(name)})`));
  await sql`insert into usage_totals select hour, model, ${added} from usage_hours group by hour, model`.execute(db);
  await db.schema.createIndex('usage_hours_by_key').on('usage_hours').columns(['key_id', 'hour']).execute();
}
