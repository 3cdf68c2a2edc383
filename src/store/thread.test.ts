import { join } from 'node:path';
import { CompiledQuery } from 'kysely';
import { expect, test } from 'vitest';
import { testStores } from '../../test/stores.ts';
import { databaseNow } from './engine.ts';
import { endingThread, saying } from './fixtures/saying.ts';
import { StoreThreadError } from './store-thread.ts';
import { ThreadLives } from './thread-lives.ts';

const { open, place } = testStores('sqlite in a thread of its own');

test('its SQL has the time it is given', async () => {
  let now = 5.7;
  const { db } = await open({ now: () => now });
  const read = () => db.selectNoFrom([databaseNow(db).as('now')]).executeTakeFirstOrThrow();
  expect(await read()).toEqual({ now: 5 });
  now = 1_800_000_000_000;
  expect(await read()).toEqual({ now });
});

test('what SQLite says against a statement keeps its code', async () => {
  const store = await open();
  await store.commit(saying, [['a', '1']]);
  const twice = { code: 'ERR_SQLITE_ERROR', errcode: 1555, message: expect.stringContaining('UNIQUE') };
  await expect(store.commit(saying, [['a', '1']])).rejects.toMatchObject(twice);
  await expect(store.db.insertInto('settings').values({ name: 'a', value: '' }).execute()).rejects.toMatchObject(twice);
});

test('commits are on the disk before anybody hears of them', async () => {
  const { db } = await open();
  const { rows } = await db.executeQuery(CompiledQuery.raw('pragma synchronous'));
  expect(rows).toEqual([{ synchronous: 2 }]);
});

test('who reads waits until the store has caught up; what it has to catch up with does not', async () => {
  const store = await open();
  const behind = Promise.withResolvers<void>();
  store.beforeReads?.(() => behind.promise);
  const names = store.db.selectFrom('settings').select('name').execute();
  await store.commit(saying, [['a', '1']]);
  behind.resolve();
  expect(await names).toEqual([{ name: 'a' }]);
});

test('a thread that dies fails who waits for it, and the next one finds what was committed', async () => {
  const store = await open();
  await store.commit(saying, [['a', '1']]);
  const behind = [store.commit(endingThread, undefined), store.commit(saying, [['b', '2']]).catch(() => undefined)];
  await expect(behind[0]).rejects.toThrow(StoreThreadError);
  await behind[1];
  const commit = () => store.commit(saying, [['c', '3']]).catch(() => undefined);
  await expect.poll(commit, { message: 'the next thread takes a commit' }).toBe(1);
  const rows = await store.db.selectFrom('settings').select('name').where('name', '<>', 'b').orderBy('name').execute();
  expect(rows).toEqual([{ name: 'a' }, { name: 'c' }]);
});

test('who asks while there is no thread is told so, and who asks later is served', async () => {
  const store = await open();
  await expect(store.commit(endingThread, undefined)).rejects.toThrow(StoreThreadError);
  const names = () => store.db.selectFrom('settings').select('name').execute();
  // Until another thread may begin, each of these fails at once.
  await Promise.allSettled([names(), names(), store.transaction((tx) => tx.selectFrom('settings').execute())]);
  const served = () => names().catch(() => undefined);
  await expect.poll(served, { message: 'the next thread answers' }).toEqual([]);
});

test('what a transaction has left to do when its thread dies is not done outside of it', async () => {
  const store = await open();
  const lives = new ThreadLives({ file: join(place().data ?? '', 'gateway.db'), modules: [] }, () => 0);
  const thread = await lives.take();
  const query = (sql: string) => thread.ask({ kind: 'query', now: 0, sql, parameters: [] });
  await query('begin immediate');
  await query("insert into settings (name, value) values ('a', '1')");
  const sent = { module: 'data:text/javascript,process.exit(1)', name: 'none', input: undefined };
  const death = thread.ask({ kind: 'run', now: 0, tasks: [sent] });
  await expect(death).rejects.toThrow(StoreThreadError);
  await expect(query("insert into settings (name, value) values ('b', '2')")).rejects.toThrow(StoreThreadError);
  lives.over();
  expect(await store.db.selectFrom('settings').selectAll().execute()).toEqual([]);
  await lives.close();
});

test('a store that is closed says so', async () => {
  const store = await open();
  await store.close();
  await expect(store.commit(saying, [['a', '1']])).rejects.toThrow('the store is closed');
});
