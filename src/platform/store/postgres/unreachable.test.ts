import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { StoreThreadError } from '../thread/store-thread.ts';
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
    throw new Error('no error was thrown');
  }

  test('is unreachable while another connection has it locked', () => {
    const other = opened();
    other.exec('begin exclusive');
    expect(isUnreachable(errorOf(() => database.exec("insert into lines values (1, 'a')")))).toBe(true);
    other.close();
  });

  test('is unreachable while it is full, read-only or cannot be opened', () => {
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
    ['a duplicate row', "insert into lines values (1, 'a'), (1, 'b')"],
    ['a row without a required value', 'insert into lines values (1, null)'],
    ['a row that violates a check', 'insert into lines values (1, hex(zeroblob(50000)))'],
    ['a missing table', 'insert into letters values (1)'],
    ['a syntax error', 'insert in lines'],
  ])('is reachable when it rejects %s', (_, statement) => {
    expect(isUnreachable(errorOf(() => database.exec(statement)))).toBe(false);
  });

  test('is reachable when it rejects a value of a wrong type', () => {
    const give = () => database.prepare('insert into lines values (1, ?)').run({} as string);
    expect(isUnreachable(errorOf(give))).toBe(false);
  });

  test('is unreachable while its thread is down', () => {
    expect(isUnreachable(new StoreThreadError('the thread of the store has ended'))).toBe(true);
  });
});

describe('PostgreSQL', () => {
  test.each([
    ['a full disk', '53100'],
    ['too many connections', '53300'],
    ['a disk error', '58030'],
    ['a database that is shutting down', '57P01'],
    ['a lock that another program holds', '55P03'],
    ['a broken connection', '08006'],
    ['a host that refuses the connection', 'ECONNREFUSED'],
    ['an unknown host name', 'ENOTFOUND'],
  ])('is unreachable for %s', (_, code) => {
    expect(isUnreachable(Object.assign(new Error('away'), { code }))).toBe(true);
  });
});
