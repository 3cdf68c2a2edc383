import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { StoreThreadError } from './store-thread.ts';
import { isUnreachable } from './unreachable.ts';

describe('SQLite', () => {
  let folder: string;
  let database: DatabaseSync;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gateway-unreachable-'));
    database = opened();
    database.exec('create table lines (id integer primary key, words text not null check (length(words) < 100000))');
  });
  afterEach(async () => {
    database.close();
    await rm(folder, { recursive: true });
  });

  function opened(options = {}): DatabaseSync {
    return new DatabaseSync(join(folder, 'lines.db'), { timeout: 0, ...options });
  }

  function errorOf(work: () => void): unknown {
    try {
      work();
    } catch (error) {
      return error;
    }
    throw new Error('it was taken');
  }

  test('is away while another has it locked', () => {
    const other = opened();
    other.exec('begin exclusive');
    expect(isUnreachable(errorOf(() => database.exec("insert into lines values (1, 'a')")))).toBe(true);
    other.close();
  });

  test('is away while it has no room, may not be written or cannot be opened', () => {
    const pages = database.prepare('pragma page_count').get()?.['page_count'];
    database.exec(`pragma max_page_count = ${Number(pages)}`);
    const full = errorOf(() => {
      for (let id = 1; ; id += 1) database.prepare('insert into lines values (?, ?)').run(id, 'a'.repeat(5000));
    });
    expect(full).toMatchObject({ errstr: 'database or disk is full' });
    expect(isUnreachable(full)).toBe(true);
    const reader = opened({ readOnly: true });
    expect(isUnreachable(errorOf(() => reader.exec("insert into lines values (1, 'a')")))).toBe(true);
    reader.close();
    expect(isUnreachable(errorOf(() => new DatabaseSync(join(folder, 'nowhere', 'lines.db'))))).toBe(true);
  });

  test.each([
    ['a row that is there already', "insert into lines values (1, 'a'), (1, 'b')"],
    ['a row without what it needs', 'insert into lines values (1, null)'],
    ['a row that breaks a rule', 'insert into lines values (1, hex(zeroblob(50000)))'],
    ['a table that is not there', 'insert into letters values (1)'],
    ['a statement that is none', 'insert in lines'],
  ])('is there when it refuses %s', (_, statement) => {
    expect(isUnreachable(errorOf(() => database.exec(statement)))).toBe(false);
  });

  test('is there when it is given what it cannot hold', () => {
    const give = () => database.prepare('insert into lines values (1, ?)').run({} as string);
    expect(isUnreachable(errorOf(give))).toBe(false);
  });

  test('is away while its thread is', () => {
    expect(isUnreachable(new StoreThreadError('the thread of the store has ended'))).toBe(true);
  });
});

describe('PostgreSQL', () => {
  test.each([
    ['a full disk', '53100'],
    ['too many connections', '53300'],
    ['an error of the disk', '58030'],
    ['a database that is shutting down', '57P01'],
    ['a connection that broke', '08006'],
    ['a host that refuses', 'ECONNREFUSED'],
    ['a name that nobody knows', 'ENOTFOUND'],
  ])('is away for %s', (_, code) => {
    expect(isUnreachable(Object.assign(new Error('away'), { code }))).toBe(true);
  });
});
