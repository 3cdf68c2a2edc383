import { type Kysely, sql } from 'kysely';
import type { Database } from '../../src/platform/store/database.ts';
import { engineOf } from '../../src/platform/store/engine.ts';
import { openStore, type Store, type StoreLocation } from '../../src/platform/store/store.ts';
import { addUpDay } from './added-up.ts';
import { accounts, dayTable, daysOf, makeRequests } from './made-requests.ts';

/** Returns a store with this number of requests and their rollups. A store that already has them is used unchanged. */
export async function filledStore(place: StoreLocation, count: number): Promise<Store> {
  const store = await openStore(place.database === undefined ? place : { ...place, statementMs: 1_800_000 });
  const { known } = await store.db
    .selectFrom('requests')
    .select((requests) => requests.fn.countAll<string | number>().as('known'))
    .executeTakeFirstOrThrow();
  if (Number(known) === count) return store;
  if (Number(known) > 0)
    throw new Error(`the store has ${known} requests instead of ${count}. Use another folder for --keep`);
  const beganMs = performance.now();
  await store.db.connection().execute((db) => fill(db, count));
  console.error(
    `${count} requests were stored and rolled up in ${((performance.now() - beganMs) / 1000).toFixed(0)} s.`,
  );
  return store;
}

/** Creates the indexes at the end, which is many times faster than updating them with every row. */
async function fill(db: Kysely<Database>, count: number): Promise<void> {
  const isEmbedded = engineOf(db) === 'sqlite';
  const run = (statement: string) => sql.raw(statement).execute(db);
  // An incomplete store is deleted with its file, so nothing has to be on disk before the end.
  const hurry = ['pragma journal_mode = off', 'pragma synchronous = off', 'pragma cache_size = -500000'];
  for (const statement of isEmbedded ? hurry : ["set maintenance_work_mem = '512MB'", "set work_mem = '128MB'"]) {
    await run(statement);
  }
  for (let account = 0; account < accounts; account += 1) {
    const row = { id: `acc_${account}`, name: `account-${account}`, package: 'standard' };
    await db
      .insertInto('accounts')
      .values({ ...row, status: 'active', source: 'store', created_at: 0 })
      .execute();
  }
  const indexes = await indexesOf(db);
  for (const { name } of indexes) await run(`drop index ${name}`);
  for (const { first, end } of daysOf(count)) {
    await run('begin');
    await makeRequests(db, { first, end, count });
    await addUpDay(db);
    await run('commit');
    console.error(`${end} of ${count}`);
  }
  await run(`drop table ${dayTable}`);
  for (const { made } of indexes) await run(made);
  // A database's regular maintenance, and the settings with which the embedded store is opened.
  const calm = ['pragma cache_size = -2000', 'pragma synchronous = full', 'pragma journal_mode = wal'];
  for (const statement of isEmbedded ? calm : ['reset all', 'vacuum analyze']) await run(statement);
}

interface Index {
  readonly name: string;
  /** The statement that creates it. */
  readonly made: string;
}

/** All indexes that are not part of a table. */
async function indexesOf(db: Kysely<Database>): Promise<readonly Index[]> {
  const tables = sql`('requests', 'usage_rollups', 'usage_rollup_days', 'spend_hours')`;
  const query =
    engineOf(db) === 'sqlite'
      ? sql<Index>`select name, sql as made from sqlite_master where type = 'index' and sql is not null and tbl_name in ${tables}`
      : sql<Index>`
          select indexname as name, indexdef as made from pg_indexes
          where tablename in ${tables} and indexname not in (select conname from pg_constraint)`;
  const { rows } = await query.execute(db);
  return rows;
}
