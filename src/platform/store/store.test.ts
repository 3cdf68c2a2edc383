import { statSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { forEachStore, storeHomes, testStores } from '../../../test/stores/stores.ts';
import { databaseNow } from './engine.ts';
import { openStore, type Store } from './store.ts';

forEachStore(
  ({ open }) => {
    test('handles that open a new store at the same moment migrate it once', async () => {
      const handles = await Promise.all(Array.from({ length: 4 }, () => open()));
      expect(handles.filter(({ migrated }) => migrated.length > 0)).toHaveLength(1);
      const written = handles.map(({ db }, index) =>
        db
          .insertInto('settings')
          .values({ name: `${index}`, value: '' })
          .execute(),
      );
      await Promise.all(written);
      expect(await handles[0]!.db.selectFrom('settings').selectAll().execute()).toHaveLength(4);
    });
  },
  'nothing',
  storeHomes,
);

forEachStore(
  ({ engine, open }) => {
    test('a handle reads the rows that another handle committed', async () => {
      const [server, command] = await Promise.all([open(), open()]);
      await command.db.insertInto('settings').values({ name: 'a', value: '1' }).execute();
      expect(await server.db.selectFrom('settings').selectAll().execute()).toEqual([{ name: 'a', value: '1' }]);
    });

    test('a failed transaction is rolled back', async () => {
      const store = await open();
      const failed = store.transaction(async (tx) => {
        await tx.insertInto('settings').values({ name: 'a', value: '1' }).execute();
        throw new Error('changed my mind');
      });
      await expect(failed).rejects.toThrow('changed my mind');
      expect(await store.db.selectFrom('settings').selectAll().execute()).toEqual([]);
    });

    test('two handles that read and then write under the same lock run one after another', async () => {
      const handles = await Promise.all([open(), open()]);
      const increment = (store: Store) =>
        store.transaction(
          async (tx) => {
            const row = await tx.selectFrom('settings').select('value').where('name', '=', 'n').executeTakeFirst();
            const value = String(Number(row?.value ?? 0) + 1);
            await tx
              .insertInto('settings')
              .values({ name: 'n', value })
              .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
              .execute();
          },
          { lock: 'counting' },
        );
      await Promise.all(Array.from({ length: 20 }, () => Promise.all(handles.map(increment))));
      const row = await handles[0].db.selectFrom('settings').select('value').executeTakeFirstOrThrow();
      expect(row.value).toBe('40');
    });

    test('a store of a newer version is rejected with an explanation', async () => {
      const store = await open();
      await store.db
        .withTables<{ kysely_migration: { name: string; timestamp: string } }>()
        .insertInto('kysely_migration')
        .values({ name: '9999-future', timestamp: '2030-01-01T00:00:00Z' })
        .execute();
      await expect(open()).rejects.toThrow('newer version');
    });

    test('a key cannot belong to an account that does not exist', async () => {
      const store = await open();
      const off = { honour_stream_false: 0, report_cost: 0, store_bodies: 0, temporary: 0 };
      const names = { id: 'k', first_id: 'k', account_id: 'none', name: '', display: '' };
      const orphan = { ...off, ...names, digest: 'd', digest_secret: '', created_at: 0 };
      await expect(store.db.insertInto('api_keys').values(orphan).execute()).rejects.toThrow(/foreign key/i);
    });

    test('times and counts are read as numbers, and values cast to text as text', async () => {
      const store = await open();
      await store.db.insertInto('changes').values({ topic: 'key', subject: 'k', at: 1_800_000_000_000 }).execute();
      const row = await store.db
        .selectFrom('changes')
        .select((change) => [
          'at',
          change.fn.countAll<number>().over().as('count'),
          change.fn.sum<number>('at').over().as('total'),
          sql<string>`cast(at as text)`.as('text'),
          sql<string>`cast(9007199254740993 as text)`.as('large'),
        ])
        .executeTakeFirstOrThrow();
      const at = 1_800_000_000_000;
      expect(row).toEqual({ at, count: 1, total: at, text: '1800000000000', large: '9007199254740993' });
    });

    test('reading a number beyond the safe integers of JavaScript throws', async () => {
      const store = await open();
      const large = sql`select cast(9007199254740993 as ${sql.raw(engine === 'sqlite' ? 'integer' : 'bigint')}) as n`;
      await expect(large.execute(store.db)).rejects.toThrow(/too large/);
    });

    test('the database clock returns milliseconds, in queries and in transactions', async () => {
      const store = await open();
      const before = Date.now();
      const read = (db: Store['db']) => db.selectNoFrom([databaseNow(db).as('now')]).executeTakeFirstOrThrow();
      const times = [await read(store.db), await store.transaction((tx) => read(tx))];
      for (const { now } of times) {
        expect(Number.isSafeInteger(now)).toBe(true);
        expect(now).toBeGreaterThanOrEqual(before - 1000);
        expect(now).toBeLessThanOrEqual(Date.now() + 1000);
      }
    });
  },
  'made',
  storeHomes,
);

describe('the embedded store', () => {
  const { place } = testStores('sqlite');

  test('is readable by its owner only', async () => {
    const data = join(place().data!, 'data');
    const store = await openStore({ data });
    expect(statSync(data).mode & 0o777).toBe(0o700);
    for (const file of ['gateway.db', 'gateway.db-wal']) expect(statSync(join(data, file)).mode & 0o777).toBe(0o600);
    await store.close();
  });
});
