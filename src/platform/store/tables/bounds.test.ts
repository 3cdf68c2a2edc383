import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { testStores } from '../../../../test/stores/stores.ts';
import { tableBounds } from '../database.ts';

const { open } = testStores('sqlite');
const src = join(import.meta.dirname, '../../..');

test('each table of the schema names its quota, or the reason why clients cannot add rows without an end', async () => {
  const { db } = await open();
  const { rows } = await sql<{ name: string }>`select name from sqlite_master where type = 'table'`.execute(db);
  const tables = rows.map(({ name }) => name).filter((name) => !/^(sqlite|kysely)_/.test(name));
  expect(Object.keys(tableBounds).toSorted()).toEqual(tables.toSorted());
});

test.each(Object.entries(tableBounds))('the file that bounds the table %s has its limit', (_, bound) => {
  if ('reason' in bound) return expect(bound.reason.length).toBeGreaterThan(10);
  const file = join(src, bound.enforcedBy);
  expect(existsSync(file), file).toBe(true);
  expect(readFileSync(file, 'utf8')).toMatch(new RegExp(`\\b${bound.quota}\\b`));
});
