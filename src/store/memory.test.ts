import { expect, test } from 'vitest';
import { accounts } from '../accounts/accounts.ts';
import { systemClock } from '../core/clock.ts';
import { databaseNow } from './engine.ts';
import { memoryDatabase } from './memory.ts';
import type { Store } from './store.ts';

const named = (store: Store) => store.db.selectFrom('accounts').select('name').orderBy('name').execute();
const create = (store: Store, name: string) => accounts(store, systemClock).create({ name, packageName: 'standard' });

test('handles share one database, and one that is closed takes nothing from the others', async () => {
  const database = await memoryDatabase(() => 0);
  const [one, other] = [database.open(), database.open()];
  await create(one, 'ann');
  await one.close();
  await create(other, 'bob');
  expect(await named(other)).toEqual([{ name: 'ann' }, { name: 'bob' }]);
  database.close();
});

test('nobody sees half a transaction of another handle', async () => {
  const database = await memoryDatabase(() => 0);
  const [one, other] = [database.open(), database.open()];
  const mayEnd = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const failed = one.transaction(async (tx) => {
    await create({ ...one, db: tx, transaction: (work) => work(tx) }, 'never');
    begun.resolve();
    await mayEnd.promise;
    throw new Error('rolled back');
  });
  await begun.promise;
  const seen = named(other);
  mayEnd.resolve();
  await expect(failed).rejects.toThrow('rolled back');
  expect(await seen).toEqual([]);
  database.close();
});

test('its SQL has the time it is given', async () => {
  let now = 5.7;
  const database = await memoryDatabase(() => now);
  const { db } = database.open();
  const read = () => db.selectNoFrom([databaseNow(db).as('now')]).executeTakeFirstOrThrow();
  expect(await read()).toEqual({ now: 5 });
  now = 1_800_000_000_000;
  expect(await read()).toEqual({ now });
  database.close();
});
