import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { testStores } from '../../test/stores.ts';
import { type TcpProxy, tcpProxy } from '../../test/services/tcp-proxy.ts';
import type { Job, Steps } from './job.ts';
import { openStore, type Store } from './store.ts';

const { place } = testStores('postgres');
let proxy: TcpProxy;
let opened: Store[];

beforeEach(async () => {
  opened = [];
  proxy = await tcpProxy(Number(new URL(place().database!).port));
});
afterEach(async () => {
  proxy.thaw();
  await Promise.all(opened.map((store) => store.close()));
  await proxy.close();
});

/** Only those reach it that are never answered, unless a machine is very busy indeed. */
const statementMs = 2000;

test('a statement that a frozen database does not answer ends, and so does all that waits', async () => {
  const store = await openAt(proxy.port);
  const transaction = store.transaction(async (tx) => {
    await one(tx);
    proxy.freeze();
    await one(tx);
  });
  await expect(transaction).rejects.toThrow('Query read timeout');
  const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => one(store.db)));
  expect(new Set(outcomes.map(({ status }) => status))).toEqual(new Set(['rejected']));
});

test('a connection that did not answer is never used again', async () => {
  const store = await openAt(proxy.port);
  const ten = () => Promise.allSettled(Array.from({ length: 10 }, () => one(store.db)));
  await ten();
  proxy.strand();
  expect(new Set((await ten()).map(({ status }) => status))).toEqual(new Set(['rejected']));
  expect(new Set((await ten()).map(({ status }) => status))).toEqual(new Set(['fulfilled']));
});

test('a job is on the disk before anybody hears of it, whatever the database is used to', async () => {
  const name = new URL(place().database!).pathname.slice(1);
  const store = await openAt(proxy.port);
  await sql`alter database ${sql.id(name)} set synchronous_commit = off`.execute(store.db);
  await store.close();
  const changed = await openAt(proxy.port);
  const usual = await sql`show synchronous_commit`.execute(changed.db);
  expect(usual.rows).toEqual([{ synchronous_commit: 'off' }]);
  expect(await changed.commit(showing, 'synchronous_commit')).toBe('on');
});

/** What a setting is inside of a job. */
const showing: Job<string, unknown> = {
  module: import.meta.url,
  name: 'showing',
  *steps(setting): Steps<unknown> {
    const [rows] = yield [{ statement: shown, parameter: setting }];
    return { last: [], result: rows?.[0]?.['value'] };
  },
};

const shown = { name: 'shown', sqlite: '', postgres: 'select current_setting($1) as value' };

test('transactions that wait for each other both land, one of them at its second try', async () => {
  const store = await openAt(proxy.port, { statementMs: 60_000 });
  const rows = ['a', 'b'].map((name) => ({ name, value: '0' }));
  await store.db.insertInto('settings').values(rows).execute();
  const hasLocked = { a: Promise.withResolvers<void>(), b: Promise.withResolvers<void>() };
  let attempts = 0;
  const increment = (mine: 'a' | 'b', other: 'a' | 'b') =>
    store.transaction(async (tx) => {
      attempts += 1;
      await tx.updateTable('settings').set(oneMore).where('name', '=', mine).execute();
      hasLocked[mine].resolve();
      await hasLocked[other].promise;
      await tx.updateTable('settings').set(oneMore).where('name', '=', other).execute();
    });
  await Promise.all([increment('a', 'b'), increment('b', 'a')]);
  expect(attempts).toBe(3);
  expect(await store.db.selectFrom('settings').select('value').execute()).toEqual([{ value: '2' }, { value: '2' }]);
});

test('a statement that takes too long is ended by the database itself, and the connection stays', async () => {
  const store = await openAt(proxy.port, { statementMs: 60_000 });
  const limit = await sql<{ statement_timeout: string }>`show statement_timeout`.execute(store.db);
  expect(limit.rows).toEqual([{ statement_timeout: '54s' }]);
  const pid = () => sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(store.db);
  const before = (await pid()).rows;
  // A limit of its own: the database and our patience are never close to each other, however busy the machine is.
  const late = store.transaction(async (tx) => {
    await sql`set local statement_timeout = 100`.execute(tx);
    await sql`select pg_sleep(30)`.execute(tx);
  });
  await expect(late).rejects.toThrow('statement timeout');
  expect((await pid()).rows).toEqual(before);
});

test('connections that break, idle or inside a transaction, are replaced and crash nothing', async () => {
  const store = await openAt(proxy.port, { statementMs: 60_000 });
  await Promise.all(Array.from({ length: 5 }, () => one(store.db)));
  proxy.cut();
  await expect.poll(() => one(store.db).catch(() => undefined)).toBe(1);
  const broken = store.transaction(async (tx) => {
    await one(tx);
    proxy.cut();
    // Long enough for the news to arrive while no statement is there to hear it.
    await delay(50);
    await one(tx);
  });
  await expect(broken).rejects.toThrow();
  expect(await one(store.db)).toBe(1);
});

test('closing does not wait for a database that no longer answers', async () => {
  const store = await openAt(proxy.port, { statementMs: 60_000 });
  const hasAsked = Promise.withResolvers<void>();
  const unanswered = store.transaction(async (tx) => {
    await one(tx);
    proxy.freeze();
    const answer = one(tx);
    hasAsked.resolve();
    await answer;
  });
  const failure = unanswered.catch((error: unknown) => String(error));
  await hasAsked.promise;
  await store.close();
  expect(await failure).toContain('Connection terminated');
  opened = [];
});

test('a database that is not there yet is waited for', async () => {
  const port = await freePort();
  const said: string[] = [];
  const opening = openStore({ database: databaseAt(port), onWaiting: (sentence) => said.push(sentence) });
  await expect.poll(() => said).toHaveLength(1);
  expect(said[0]).toMatch(/^Waiting for PostgreSQL at 127\.0\.0\.1:\d+\/test_\d+: connect ECONNREFUSED/);
  const late = await tcpProxy(Number(new URL(place().database!).port), port);
  const store = await opening;
  expect(await one(store.db)).toBe(1);
  await store.close();
  await late.close();
});

test('a database that does not come is given up with what to check, and without the password', async () => {
  const database = databaseAt(await freePort()).replace('postgres@', 'postgres:canary@');
  const error = await openStore({ database, patienceMs: 100 }).catch((reason: unknown) => reason);
  expect(error).toMatchObject({
    message: expect.stringContaining('could not be reached within'),
    fix: expect.stringContaining('Check that the database runs'),
  });
  expect(`${String(error)} ${JSON.stringify(error)}`).not.toContain('canary');
});

test('what waiting cannot cure is said at once', async () => {
  const database = place().database!.replace(/test_\d+$/, 'nowhere');
  const said: string[] = [];
  await expect(openStore({ database, onWaiting: (sentence) => said.push(sentence) })).rejects.toThrow(
    'does not let us in: database "nowhere" does not exist',
  );
  expect(said).toEqual([]);
});

const oneMore = { value: sql<string>`cast(cast(value as integer) + 1 as text)` };

async function openAt(port: number, options: { statementMs?: number } = {}): Promise<Store> {
  const store = await openStore({ database: databaseAt(port), statementMs, ...options });
  opened.push(store);
  return store;
}

function databaseAt(port: number): string {
  const url = new URL(place().database!);
  url.port = String(port);
  return url.href;
}

async function one(db: Store['db']): Promise<number | undefined> {
  const { rows } = await sql<{ one: number }>`select 1 as one`.execute(db);
  return rows[0]?.one;
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  return typeof address === 'object' && address ? address.port : 0;
}
