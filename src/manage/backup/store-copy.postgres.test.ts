import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { command } from '../../../test/gateways/command.ts';
import { putStore } from '../../../test/stores/made-store.ts';
import { dropDatabase, newDatabase } from '../../../test/stores/stores.ts';
import { openStore, type Store } from '../../platform/store/store.ts';

let data: string;
let database: string;
beforeEach(async () => {
  data = await mkdtemp(join(tmpdir(), 'gateway-copy-'));
  await putStore(data);
  database = await newDatabase('nothing');
});
afterEach(async () => {
  await rm(data, { recursive: true });
  await dropDatabase(database);
});

const copy = (...more: readonly string[]) =>
  command('store', 'copy', '--to', database, '--data', data, '--json', ...more);

test('a copy has every table, row and value of the source, and new rows get new ids', async () => {
  const kinds = await columnKinds();
  const expected = fillAll(kinds);
  const { status, out } = await copy();
  expect(status).toBe(1);
  // The rows are invented, so the ledger is inconsistent, and the copy reports it.
  const report = JSON.parse(out);
  expect(report.ledger.isSound).toBe(false);
  expect(report.tables.map(({ name }: { name: string }) => name).toSorted()).toEqual([...kinds.keys()].toSorted());
  expect(report.tables.every(({ rows }: { rows: number }) => rows === 2)).toBe(true);
  await withTarget(async (store) => {
    for (const [table, columns] of kinds)
      expect([table, await rowsOf(store, table, columns)]).toEqual([table, expected.get(table)]);
    for (const table of ['audit', 'changes'] as const) {
      const { rows } = await sql<{ id: number }>`
        insert into ${sql.table(table)} ${table === 'audit' ? sql`(at, actor, role, action, subject_kind, subject_id) values (1, 'a', 'b', 'c', 'd', 'e')` : sql`(topic, subject, at) values ('t', 's', 1)`}
        returning id`.execute(store.db);
      expect(rows[0]?.id).toBe(sequenceEnd + 1);
    }
  });
});

test('the copied ledger cannot be changed', async () => {
  inSource((source) =>
    source.exec(`insert into accounts (id, name, package, status, source, created_at) values ('a', 'a', 'p', 'active', 'store', 1);
      insert into transfers (reference, kind, account_id, amount, by, reason, at) values ('r', 'grant', 'a', 7, 'b', 'w', 1);`),
  );
  await copy();
  await withTarget(async ({ db }) => {
    await expect(db.updateTable('transfers').set({ amount: 8n }).execute()).rejects.toThrow('never changed');
    await expect(db.deleteFrom('transfers').execute()).rejects.toThrow('never changed');
  });
});

test('a database with any row is rejected and stays unchanged', async () => {
  expect((await copy()).status).toBe(0);
  await withTarget(({ db }) => db.insertInto('settings').values({ name: 'x', value: 'y' }).execute());
  const { status, err } = await copy();
  expect(status).toBe(1);
  expect(JSON.parse(err)).toEqual({
    error: {
      message: expect.stringContaining('is not empty: its table settings has rows'),
      next: expect.stringContaining('empty database'),
      reason: expect.any(String),
      params: expect.any(Object),
    },
  });
});

test('a failed copy leaves every table empty and can be repeated', async () => {
  const kinds = await columnKinds();
  fillAll(kinds);
  inSource((source) => source.exec("update console_users set created_at = 'no time at all'"));
  const { status, err } = await copy();
  expect(status).toBe(1);
  expect(err).toContain('console_users');
  await withTarget(async (store) => {
    for (const table of kinds.keys()) {
      const { rows } = await sql`select 1 from ${sql.table(table)}`.execute(store.db);
      expect([table, rows]).toEqual([table, []]);
    }
  });
  inSource((source) => source.exec("update console_users set created_at = '2026-01-02T03:04:05.678Z'"));
  expect(JSON.parse((await copy()).out).tables).toHaveLength(kinds.size);
});

test('a dry run lists the tables to copy, also while the store is in use, and changes nothing', async () => {
  const running = await openStore({ data });
  await running.db.insertInto('settings').values({ name: 'x', value: 'y' }).execute();
  const plan = JSON.parse((await copy('--dry-run')).out);
  expect(plan.tables.find(({ name }: { name: string }) => name === 'settings')).toEqual({ name: 'settings', rows: 1 });
  const { status, err } = await copy();
  expect([status, JSON.parse(err).error.message]).toEqual([1, `The store in ${data} is in use.`]);
  await running.close();
  expect(await psqlTables()).toEqual([]);
});

test('copying to an unreachable database fails with its address and a hint', async () => {
  const nowhere = 'postgres://postgres@127.0.0.1:1/none';
  const { status, err } = await command('store', 'copy', '--to', nowhere, '--data', data, '--json');
  expect([status, JSON.parse(err).error.message]).toEqual([1, expect.stringContaining('127.0.0.1:1/none')]);
});

test('text that PostgreSQL cannot store is copied with replacement characters', async () => {
  inSource((source) => source.prepare('insert into settings values (?, ?)').run('x', 'a\0b'));
  expect((await copy()).status).toBe(0);
  await withTarget(async ({ db }) => {
    const row = db.selectFrom('settings').select('value').where('name', '=', 'x');
    expect(await row.executeTakeFirst()).toEqual({ value: 'a\u{FFFD}b' });
  });
});

const sequenceEnd = 40;
type Kinds = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** The tables of a migrated database and the types of their columns. */
async function columnKinds(): Promise<Kinds> {
  const created = await newDatabase();
  const store = await openStore({ database: created });
  const { rows } = await sql<{ table: string; column: string; type: string }>`
    select table_name as table, column_name as column, data_type as type from information_schema.columns
    where table_schema = current_schema() and table_name not like 'kysely_%'`.execute(store.db);
  await store.close();
  await dropDatabase(created);
  const kinds = new Map<string, Map<string, string>>();
  for (const { table, column, type } of rows) {
    if (type === 'xid8') continue;
    kinds.set(table, (kinds.get(table) ?? new Map()).set(column, type));
  }
  return kinds;
}

/** Inserts two rows into every table. All texts of a row are the same, so that references resolve. */
function fillAll(kinds: Kinds): ReadonlyMap<string, readonly unknown[]> {
  return inSource((source) => {
    source.exec('pragma foreign_keys = off');
    for (const { name } of source.prepare("select name from sqlite_master where type = 'trigger'").all()) {
      source.exec(`drop trigger ${String(name)}`);
    }
    const filled = new Map<string, readonly unknown[]>();
    for (const [table, columns] of kinds) {
      const names = [...columns.keys()];
      const holes = names.map(() => '?').join();
      const insert = source.prepare(
        `insert into ${table} (${names.map((name) => `"${name}"`).join()}) values (${holes})`,
      );
      for (const row of [1, 2]) insert.run(...[...columns].map(([name, type]) => stored(type, row, name)));
      filled.set(
        table,
        [1, 2].map((row) => Object.fromEntries([...columns].map(([name, type]) => [name, shown(type, row, name)]))),
      );
    }
    source.exec(`update sqlite_sequence set seq = ${sequenceEnd}`);
    return filled;
  });
}

const large = 9_007_199_254_740_993n;

function stored(type: string, row: number, name: string): string | bigint {
  if (type === 'timestamp with time zone') return `2026-01-0${row}T03:04:05.678Z`;
  if (type === 'boolean') return BigInt(row - 1);
  if (type === 'bigint' && name !== 'id') return large + BigInt(row);
  return type === 'integer' || type === 'bigint'
    ? BigInt(row)
    : `row ${row}: "quoted", {braced}, back\\slash, NULL, 早`;
}

function shown(type: string, row: number, name: string): string {
  const value = stored(type, row, name);
  if (type === 'boolean') return value === 1n ? 'true' : 'false';
  return String(value);
}

async function rowsOf(store: Store, table: string, columns: ReadonlyMap<string, string>) {
  const shownAs = [...columns].map(([name, type]) =>
    type === 'timestamp with time zone'
      ? sql`to_char(${sql.ref(name)} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as ${sql.ref(name)}`
      : sql`${sql.ref(name)}::text as ${sql.ref(name)}`,
  );
  const { rows } = await sql<Record<string, string>>`select ${sql.join(shownAs)} from ${sql.table(table)}`.execute(
    store.db,
  );
  return rows.toSorted((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));
}

function inSource<Result>(work: (source: DatabaseSync) => Result): Result {
  const source = new DatabaseSync(join(data, 'gateway.db'));
  try {
    return work(source);
  } finally {
    source.close();
  }
}

async function withTarget(work: (store: Store) => Promise<unknown>): Promise<void> {
  const store = await openStore({ database });
  try {
    await work(store);
  } finally {
    await store.close();
  }
}

async function psqlTables(): Promise<readonly unknown[]> {
  const { default: pg } = await import('pg');
  const client = new pg.Client({ connectionString: database });
  await client.connect();
  const { rows } = await client.query('select tablename from pg_tables where schemaname = current_schema()');
  await client.end();
  return rows;
}
