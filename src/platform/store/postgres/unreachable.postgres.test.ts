import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { testStores } from '../../../../test/stores/stores.ts';
import { isUnreachable } from './unreachable.ts';

const { open } = testStores('postgres');

test.each([
  ['a duplicate row', sql`insert into settings (name, value) values ('a', '1'), ('a', '2')`, false],
  ['a row without a required value', sql`insert into settings (name, value) values ('a', null)`, false],
  ['a number out of range', sql`select cast(9223372036854775808 as bigint)`, false],
  ['a missing table', sql`select * from letters`, false],
  ['a write in a read-only transaction', sql`begin read only; delete from settings`, true],
  ['a statement that takes too long', sql`begin; set local statement_timeout = 1; select pg_sleep(60)`, true],
])('PostgreSQL rejects %s', async (_, statement, isAway) => {
  const store = await open();
  const error = await statement.execute(store.db).then(
    () => undefined,
    (refused: unknown) => refused,
  );
  expect(error).toBeInstanceOf(Error);
  expect(isUnreachable(error)).toBe(isAway);
});
