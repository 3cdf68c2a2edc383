import { join } from 'node:path';
import { CompiledQuery } from 'kysely';
import { expect, test } from 'vitest';
import { testStores } from '../../../../test/stores/stores.ts';
import { databaseNow } from '../engine.ts';
import { endingThread, writingSettings } from '../../../../test/fixtures/store/jobs.ts';
import { StoreThreadError } from './store-thread.ts';
import { ThreadSupervisor } from './thread-supervisor.ts';

const { open, place } = testStores('sqlite in a thread of its own');

test('SQL in the worker thread reads the time of the given clock', async () => {
  let now = 5.7;
  const { db } = await open({ now: () => now });
  const read = () => db.selectNoFrom([databaseNow(db).as('now')]).executeTakeFirstOrThrow();
  expect(await read()).toEqual({ now: 5 });
  now = 1_800_000_000_000;
  expect(await read()).toEqual({ now });
});

test('an error of SQLite keeps its code across threads', async () => {
  const store = await open();
  await store.commit(writingSettings, [['a', '1']]);
  const twice = { code: 'ERR_SQLITE_ERROR', errcode: 1555, message: expect.stringContaining('UNIQUE') };
  await expect(store.commit(writingSettings, [['a', '1']])).rejects.toMatchObject(twice);
  await expect(store.db.insertInto('settings').values({ name: 'a', value: '' }).execute()).rejects.toMatchObject(twice);
});

test('commits are synced to disk before they return', async () => {
  const { db } = await open();
  const { rows } = await db.executeQuery(CompiledQuery.raw('pragma synchronous'));
  expect(rows).toEqual([{ synchronous: 2 }]);
});

test('a reader waits until the store has caught up; a commit does not wait', async () => {
  const store = await open();
  const behind = Promise.withResolvers<void>();
  store.beforeReads?.(() => behind.promise);
  const names = store.db.selectFrom('settings').select('name').execute();
  await store.commit(writingSettings, [['a', '1']]);
  behind.resolve();
  expect(await names).toEqual([{ name: 'a' }]);
});

test('when the thread ends, waiting commits fail, and the next thread reads what was committed', async () => {
  const store = await open();
  await store.commit(writingSettings, [['a', '1']]);
  const behind = [
    store.commit(endingThread, undefined),
    store.commit(writingSettings, [['b', '2']]).catch(() => undefined),
  ];
  await expect(behind[0]).rejects.toThrow(StoreThreadError);
  await behind[1];
  const commit = () => store.commit(writingSettings, [['c', '3']]).catch(() => undefined);
  await expect.poll(commit, { message: 'the next thread accepts a commit' }).toBe(1);
  const rows = await store.db.selectFrom('settings').select('name').where('name', '<>', 'b').orderBy('name').execute();
  expect(rows).toEqual([{ name: 'a' }, { name: 'c' }]);
});

test('queries fail while there is no thread, and later queries succeed', async () => {
  const store = await open();
  await expect(store.commit(endingThread, undefined)).rejects.toThrow(StoreThreadError);
  const names = () => store.db.selectFrom('settings').select('name').execute();
  // Until the next thread may start, each of these fails at once.
  await Promise.allSettled([names(), names(), store.transaction((tx) => tx.selectFrom('settings').execute())]);
  const served = () => names().catch(() => undefined);
  await expect.poll(served, { message: 'the next thread answers' }).toEqual([]);
});

test('when its thread ends, a transaction writes nothing more', async () => {
  const store = await open();
  const supervisor = new ThreadSupervisor({ file: join(place().data ?? '', 'gateway.db'), modules: [] }, () => 0);
  const thread = await supervisor.take();
  const query = (sql: string) => thread.send({ kind: 'query', now: 0, sql, parameters: [] });
  await query('begin immediate');
  await query("insert into settings (name, value) values ('a', '1')");
  const sent = { module: 'data:text/javascript,process.exit(1)', name: 'none', input: undefined };
  const ending = thread.send({ kind: 'run', now: 0, tasks: [sent] });
  await expect(ending).rejects.toThrow(StoreThreadError);
  await expect(query("insert into settings (name, value) values ('b', '2')")).rejects.toThrow(StoreThreadError);
  supervisor.release();
  expect(await store.db.selectFrom('settings').selectAll().execute()).toEqual([]);
  await supervisor.close();
});

test('a commit to a closed store fails with a clear error', async () => {
  const store = await open();
  await store.close();
  await expect(store.commit(writingSettings, [['a', '1']])).rejects.toThrow('the store is closed');
});
