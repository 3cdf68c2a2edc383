import pg from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { newApiPricing, newApiRows, newApiSchema } from '../fixtures/new-api-database.ts';
import { fillPostgres, fillSqlite } from '../fixtures/source-tables.ts';
import { dropDatabase, newDatabase } from '../../../test/stores/stores.ts';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { importNewApi } from '../one-api/one-api.ts';
import { rowsIn } from '../table-reader.ts';
import { openTables } from './open-tables.ts';
import { plannedImport } from '../../../test/planned-import.ts';

let database: string;
beforeEach(async () => {
  database = await newDatabase('nothing');
});
afterEach(() => dropDatabase(database));

async function inDatabase(sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: database });
  await client.connect();
  await client.query(sql);
  await client.end();
}

test('every value of PostgreSQL is read as its exact text, in the order of the primary key', async () => {
  await inDatabase(`create table "Odd ""Name" (b int, a bigint primary key, list text[], at timestamptz, ok boolean, spend double precision, doc jsonb);
    insert into "Odd ""Name" values (1, 9007199254740993, '{x,"y z"}', '2026-01-02 03:04:05+02', true, 0.1, '{"n": 1.10}'), (2, -5, null, null, null, null, null)`);
  const reader = await openTables(database);
  expect(await reader.columns('Odd "Name')).toEqual(['b', 'a', 'list', 'at', 'ok', 'spend', 'doc']);
  expect(await rowsIn(reader, 'Odd "Name')).toEqual([
    { b: '2', a: '-5', list: null, at: null, ok: null, spend: null, doc: null },
    {
      b: '1',
      a: '9007199254740993',
      list: '["x","y z"]',
      at: '2026-01-02 01:04:05+00',
      ok: 'true',
      spend: '0.1',
      doc: '{"n": 1.10}',
    },
  ]);
  await reader.close();
});

test('a reader sees the snapshot of its beginning', async () => {
  await inDatabase('create table t (id int primary key); insert into t select generate_series(1, 2500)');
  const reader = await openTables(database);
  await inDatabase('delete from t');
  expect(await rowsIn(reader, 't')).toHaveLength(2500);
  await reader.close();
});

test('the schema of the address is searched, as LiteLLM names it', async () => {
  await inDatabase('create schema other; create table other.only (id int); create table public.hidden (id int)');
  const reader = await openTables(`${database}?schema=other&connection_limit=5`);
  expect(await reader.tables()).toEqual(['only']);
  await reader.close();
});

test('a database that cannot be reached is refused, without its password', async () => {
  const closed = 'postgres://user:canary@127.0.0.1:1/absent';
  await expect(openTables(closed)).rejects.toThrow(/^PostgreSQL cannot be read/);
  await expect(openTables(closed)).rejects.not.toThrow('canary');
});

test('new-api on PostgreSQL gives the same plan as on SQLite', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'gateway-new-api-'));
  const file = join(folder, 'one-api.db');
  fillSqlite(file, newApiSchema, newApiRows);
  await fillPostgres(database, newApiSchema, newApiRows);
  const documents = [{ name: 'pricing.json', text: newApiPricing }];
  const ofFile = await plannedImport(importNewApi, { database: file, documents });
  const ofServer = await plannedImport(importNewApi, { database, documents });
  await rm(folder, { recursive: true });
  expect(ofServer).toEqual(ofFile);
});
