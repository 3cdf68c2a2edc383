import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { rowsIn } from '../table-reader.ts';
import { openTables } from './open-tables.ts';

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gateway-readers-'));
  file = join(folder, 'source');
});
afterEach(() => rm(folder, { recursive: true }));

test.each(['wal', 'delete'])('an SQLite file is read while its owner has it open in journal mode %s', async (mode) => {
  const owner = new DatabaseSync(file);
  owner.exec(`pragma journal_mode = ${mode}; create table "group" (id integer primary key, "key" text, data json, price real);
    insert into "group" values (2, 'b', x'7b7d', 0.1), (1, null, '[1]', 1e21)`);
  const reader = await openTables(file);
  expect(await reader.tables()).toEqual(['group']);
  expect(await reader.columns('group')).toEqual(['id', 'key', 'data', 'price']);
  if (mode === 'wal') owner.exec(`insert into "group" values (3, 'after the snapshot', null, 9007199254740993)`);
  expect(await rowsIn(reader, 'group')).toEqual([
    { id: '1', key: null, data: '[1]', price: '1e+21' },
    { id: '2', key: 'b', data: '{}', price: '0.1' },
  ]);
  expect(await rowsIn(reader, 'absent')).toEqual([]);
  await reader.close();
  owner.exec(`insert into "group" values (4, 'the owner can write again', null, null)`);
  owner.close();
});

test('whole numbers beyond those of floats keep every digit', async () => {
  const owner = new DatabaseSync(file);
  owner.exec('create table t (quota integer); insert into t values (9007199254740993)');
  owner.close();
  const reader = await openTables(file);
  expect(await rowsIn(reader, 't')).toEqual([{ quota: '9007199254740993' }]);
  await reader.close();
});

test('the tables of a dump are read one after another from where they are', async () => {
  const rows = Array.from({ length: 20_000 }, (_each, id) => `(${id},'text ${id}')`).join(',');
  await writeFile(
    file,
    `\uFEFF-- MySQL dump\nCREATE TABLE \`a\` (\`id\` int, \`text\` text);\nINSERT INTO \`a\` VALUES ${rows};\nCREATE TABLE \`b\` (\`id\` int);\nINSERT INTO \`b\` VALUES (7);\n`,
  );
  const reader = await openTables(file);
  expect(await reader.tables()).toEqual(['a', 'b']);
  expect(await rowsIn(reader, 'b')).toEqual([{ id: '7' }]);
  const found = await rowsIn(reader, 'a');
  expect(found).toHaveLength(20_000);
  expect(found.at(-1)).toEqual({ id: '19999', text: 'text 19999' });
  await reader.close();
});

test.each([
  ['compressed', Buffer.from([0x1f, 0x8b, 8, 0]), 'is compressed'],
  ['an archive', Buffer.from('PGDMP'), 'is a PostgreSQL archive'],
  ['UTF-16', Buffer.from('\uFEFF-- MySQL dump', 'utf16le'), 'in UTF-16'],
])('a file that is %s is refused', async (_name, bytes, problem) => {
  await writeFile(file, bytes);
  await expect(openTables(file)).rejects.toThrow(problem);
});

test('the address of a MySQL server and a missing file are refused with what to do', async () => {
  await expect(openTables('mysql://root:secret@db.example/oneapi')).rejects.toMatchObject({
    fix: expect.stringContaining('mysqldump'),
  });
  await expect(openTables(join(folder, 'absent'))).rejects.toThrow('cannot be read');
});
