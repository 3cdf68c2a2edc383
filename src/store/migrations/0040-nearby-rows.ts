import { type Kysely, sql } from 'kysely';
import { engineOf } from '../engine.ts';

/** Stores the rows that one page reads next to each other instead of scattered over the file. */
export const nearbyRows = {
  async up(db: Kysely<unknown>): Promise<void> {
    await accountFigures(db);
    if (engineOf(db) === 'postgres') return;
    await inOrder(db, 'usage_rollups', 'hour');
    await inOrder(db, 'usage_rollup_days', 'day');
  },
};

/**
 * Covering index on an account's requests with their sort and filter columns: the costliest of many are found in the
 * index alone.
 */
async function accountFigures(db: Kysely<unknown>): Promise<void> {
  await db.schema.dropIndex('requests_by_account').execute();
  const figures = ['cost', 'duration_ms', 'status', 'error_case', 'model'];
  const index = db.schema.createIndex('requests_by_account').on('requests');
  await index.columns(['account_id', 'started_at', 'id', ...figures]).execute();
}

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
  'provider_cost',
  'costed',
  'wait_ms',
  'first_byte_ms',
  'duration_ms',
];

/**
 * SQLite stores a table in insertion order unless it is created `WITHOUT ROWID`, in key order. Then the hours of one
 * value are found by the key and need no index of their own.
 */
async function inOrder(db: Kysely<unknown>, name: string, start: 'hour' | 'day'): Promise<void> {
  const before = `${name}_before`;
  await db.schema.alterTable(name).renameTo(before).execute();
  const key = ['account_id', 'dimension', start, 'value'] as const;
  let table = db.schema
    .createTable(name)
    .addColumn('account_id', 'text', (column) => column.notNull())
    .addColumn('dimension', 'text', (column) => column.notNull())
    .addColumn(start, 'bigint', (column) => column.notNull())
    .addColumn('value', 'text', (column) => column.notNull());
  for (const each of sums) table = table.addColumn(each, 'bigint', (column) => column.notNull());
  await table
    .addPrimaryKeyConstraint(`${name}_pk`, [...key])
    .modifyEnd(sql`without rowid`)
    .execute();
  const columns = sql.join([...key, ...sums].map((each) => sql.ref(each)));
  const order = sql.join(key.map((each) => sql.ref(each)));
  await sql`
    insert into ${sql.table(name)} (${columns}) select ${columns} from ${sql.table(before)} order by ${order}`.execute(
    db,
  );
  await db.schema.dropTable(before).execute();
  await db.schema.createIndex(`${name}_by_${start}`).on(name).column(start).execute();
}
