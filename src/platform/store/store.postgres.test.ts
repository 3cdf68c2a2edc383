import { once } from 'node:events';
import { createServer, Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { testStores } from '../../../test/stores/stores.ts';
import { type TcpProxy, tcpProxy } from '../../../test/services/tcp-proxy.ts';
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

/** No successful statement takes this long. For others, the test advances the clock. */
const statementMs = 60_000;

/** Advances the fake clock until the work is done, so that statements and connections time out at once. */
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

test('statements to a frozen database time out, and so do those that wait for a connection', async () => {
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

test('a connection that timed out is never used again', async () => {
  const store = await openAt(proxy.port);
  const ten = () => Promise.allSettled(Array.from({ length: 10 }, () => one(store.db)));
  await ten();
  proxy.strand();
  stopTime();
  expect(new Set((await allTimesOut(ten())).map(({ status }) => status))).toEqual(new Set(['rejected']));
  vi.useRealTimers();
  expect(new Set((await ten()).map(({ status }) => status))).toEqual(new Set(['fulfilled']));
});

test('a job commits synchronously even if the database defaults to asynchronous commits', async () => {
  const name = new URL(place().database!).pathname.slice(1);
  const store = await openAt(proxy.port);
  await sql`alter database ${sql.id(name)} set synchronous_commit = off`.execute(store.db);
  await store.close();
  const changed = await openAt(proxy.port);
  const usual = await sql`show synchronous_commit`.execute(changed.db);
  expect(usual.rows).toEqual([{ synchronous_commit: 'off' }]);
  expect(await changed.commit(showing, 'synchronous_commit')).toBe('on');
});

/** Returns the value of a setting inside a job. */
const showing: Job<string, unknown> = {
  module: import.meta.url,
  name: 'showing',
  *steps(setting): Steps<unknown> {
    const [rows] = yield [{ statement: shown, parameter: setting }];
    return { last: [], result: rows?.[0]?.['value'] };
  },
};

const shown = { name: 'shown', sqlite: '', postgres: 'select current_setting($1) as value' };

test('two deadlocked transactions both commit, one of them on its second attempt', async () => {
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

test('the database cancels a slow statement, and the connection stays open', async () => {
  const store = await openAt(proxy.port);
  const limit = await sql<{ statement_timeout: string }>`show statement_timeout`.execute(store.db);
  expect(limit.rows).toEqual([{ statement_timeout: '54s' }]);
  const pid = () => sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(store.db);
  const before = (await pid()).rows;
  // A separate limit: the timeouts of the database and of the client stay far apart, however busy the machine is.
  const late = store.transaction(async (tx) => {
    await sql`set local statement_timeout = 100`.execute(tx);
    await sql`select pg_sleep(30)`.execute(tx);
  });
  await expect(late).rejects.toThrow('statement timeout');
  expect((await pid()).rows).toEqual(before);
});

test('broken connections, idle or inside a transaction, are replaced without a crash', async () => {
  const connecting = vi.spyOn(Socket.prototype, 'connect');
  const store = await openAt(proxy.port);
  await Promise.all(Array.from({ length: 5 }, () => one(store.db)));
  proxy.cut();
  const answer = () => one(store.db).catch(() => undefined);
  await expect.poll(answer, { message: 'a new connection answers' }).toBe(1);
  const broken = store.transaction(async (tx) => {
    await one(tx);
    proxy.cut();
    // The error arrives while no statement is running.
    await Promise.all(connecting.mock.contexts.map((socket) => closed(socket as Socket)));
    await nextTurn();
    await one(tx);
  });
  await expect(broken).rejects.toThrow();
  expect(await one(store.db)).toBe(1);
});

test('closing does not wait for a database that no longer responds', async () => {
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

test('opening a store waits for a database that is not up yet', async () => {
  const port = await freePort();
  const sentences: string[] = [];
  const opening = openStore({ database: databaseAt(port), onWaiting: (sentence) => sentences.push(sentence) });
  await expect.poll(() => sentences, { message: 'it reports that it waits' }).toHaveLength(1);
  expect(sentences[0]).toMatch(/^Waiting for PostgreSQL at 127\.0\.0\.1:\d+\/test_\d+: connect ECONNREFUSED/);
  const late = await tcpProxy(Number(new URL(place().database!).port), port);
  const store = await opening;
  expect(await one(store.db)).toBe(1);
  await store.close();
  await late.close();
});

test('opening an unreachable database fails with a hint on what to check and without the password', async () => {
  const database = databaseAt(await freePort()).replace('postgres@', 'postgres:canary@');
  const error = await openStore({ database, timeoutMs: 100 }).catch((reason: unknown) => reason);
  expect(error).toMatchObject({
    message: expect.stringContaining('could not be reached within'),
    fix: expect.stringContaining('Check that the database runs'),
  });
  expect(`${String(error)} ${JSON.stringify(error)}`).not.toContain('canary');
});

test('opening fails at once if waiting cannot help', async () => {
  const database = place().database!.replace(/test_\d+$/, 'nowhere');
  const sentences: string[] = [];
  await expect(openStore({ database, onWaiting: (sentence) => sentences.push(sentence) })).rejects.toThrow(
    'rejected the connection: database "nowhere" does not exist',
  );
  expect(sentences).toEqual([]);
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
