import { once } from 'node:events';
import { createServer, Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
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
  vi.useRealTimers();
  vi.restoreAllMocks();
  proxy.thaw();
  await Promise.all(opened.map((store) => store.close()));
  await proxy.close();
});

/** No statement that is answered takes so long; the time of one that is not passes when the test says so. */
const statementMs = 60_000;

/** From now on the time of statements and connections passes at once, until all of it is over. */
async function allTimesOut<Result>(work: Promise<Result>): Promise<Result> {
  const state = { isOver: false };
  const over = () => (state.isOver = true);
  work.then(over, over);
  while (!state.isOver) {
    await vi.advanceTimersByTimeAsync(1000);
    await nextTurn();
  }
  return work;
}

const stopTime = () => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });

test('a statement that a frozen database does not answer ends, and so does all that waits', async () => {
  const store = await openAt(proxy.port);
  const transaction = store.transaction(async (tx) => {
    await one(tx);
    proxy.freeze();
    stopTime();
    await allTimesOut(one(tx));
  });
  await expect(transaction).rejects.toThrow('Query read timeout');
  const outcomes = await allTimesOut(Promise.allSettled(Array.from({ length: 20 }, () => one(store.db))));
  expect(new Set(outcomes.map(({ status }) => status))).toEqual(new Set(['rejected']));
});

test('a connection that did not answer is never used again', async () => {
  const store = await openAt(proxy.port);
  const ten = () => Promise.allSettled(Array.from({ length: 10 }, () => one(store.db)));
  await ten();
  proxy.strand();
  stopTime();
  expect(new Set((await allTimesOut(ten())).map(({ status }) => status))).toEqual(new Set(['rejected']));
  vi.useRealTimers();
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
  const store = await openAt(proxy.port);
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
  const store = await openAt(proxy.port);
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
  const connecting = vi.spyOn(Socket.prototype, 'connect');
  const store = await openAt(proxy.port);
  await Promise.all(Array.from({ length: 5 }, () => one(store.db)));
  proxy.cut();
  const answer = () => one(store.db).catch(() => undefined);
  await expect.poll(answer, { message: 'a new connection answers' }).toBe(1);
  const broken = store.transaction(async (tx) => {
    await one(tx);
    proxy.cut();
    // The news arrive while no statement is there to hear them.
    await Promise.all(connecting.mock.contexts.map((socket) => closed(socket as Socket)));
    await nextTurn();
    await one(tx);
  });
  await expect(broken).rejects.toThrow();
  expect(await one(store.db)).toBe(1);
});

test('closing does not wait for a database that no longer answers', async () => {
  const store = await openAt(proxy.port);
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
  await expect.poll(() => said, { message: 'it says that it waits' }).toHaveLength(1);
  expect(said[0]).toMatch(/^Waiting for PostgreSQL at 127\.0\.0\.1:\d+\/test_\d+: connect ECONNREFUSED/);
  const late = await tcpProxy(Number(new URL(place().database!).port), port);
  const store = await opening;
  expect(await one(store.db)).toBe(1);
  await store.close();
  await late.close();
});

test('a database that does not come is given up with what to check, and without the password', async () => {
  const database = databaseAt(await freePort()).replace('postgres@', 'postgres:canary@');
  const error = await openStore({ database, timeoutMs: 100 }).catch((reason: unknown) => reason);
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

async function openAt(port: number): Promise<Store> {
  const store = await openStore({ database: databaseAt(port), statementMs, connectMs: statementMs });
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

function closed(socket: Socket): Promise<void> {
  return new Promise((resolve) => void (socket.closed ? resolve() : socket.once('close', () => resolve())));
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  return typeof address === 'object' && address ? address.port : 0;
}
