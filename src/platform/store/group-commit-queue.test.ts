import { expect, test } from 'vitest';
import { manualClock } from '../../../test/clocks/manual-clock.ts';
import type { PiggybackSource } from './commits.ts';
import { GroupCommitQueue, type GroupCommitOptions } from './group-commit-queue.ts';
import type { Task } from './job.ts';
import type { Store } from './store.ts';

const unreachable = Object.assign(new Error('unreachable'), { code: 'ECONNREFUSED' });

/** A queue of numbers on a store that rejects some of them. */
function queueOf(options: Partial<GroupCommitOptions<number, void>> = {}) {
  const [batches, stored, rejected] = [new Array<readonly number[]>(), new Array<number>(), new Array<number>()];
  const [clock, store] = [manualClock(), { bad: new Set<number>(), isReachable: true }];
  const queue = new GroupCommitQueue<number, void>({
    clock,
    async commit(batch) {
      batches.push(batch);
      if (!store.isReachable) throw unreachable;
      const bad = batch.find((each) => store.bad.has(each));
      if (bad !== undefined) throw new Error(`not ${bad}`);
    },
    onCommitted: (batch) => void stored.push(...batch),
    onRejected: (entry) => void rejected.push(entry),
    onError: () => undefined,
    limits: { batchMax: 3 },
    retry: { attemptsMax: 2, pauseMs: 1000 },
    delayMs: 100,
    ...options,
  });
  const push = (...entries: readonly number[]) => entries.map((each) => queue.push(each));
  return { queue, push, clock, store, batches, stored, rejected };
}

test('entries share commits in order of arrival, within the limits of one commit', async () => {
  const { queue, push, batches } = queueOf({ limits: { batchMax: 3, batchBytesMax: 10, bytesOf: (entry) => entry } });
  push(1, 2, 3, 4, 20, 5, 6);
  await queue.flush();
  expect(batches).toEqual([[1, 2, 3], [4], [20], [5], [6]]);
  expect(queue.waiting).toEqual([]);
});

test('a full or stopped queue accepts no entry', async () => {
  const { queue, push, stored } = queueOf({ limits: { batchMax: 3, queueMax: 2 } });
  expect(push(1, 2, 3)).toEqual([true, true, false]);
  expect(await queue.stop()).toEqual([]);
  expect([push(4), stored]).toEqual([[false], [1, 2]]);
});

test('an entry that the store always rejects is isolated after the allowed attempts', async () => {
  const { queue, push, store, stored, rejected } = queueOf();
  store.bad.add(2);
  push(1, 2, 3);
  for (let attempt = 0; attempt < 2; attempt += 1) await expect(queue.flush()).rejects.toThrow('not 2');
  expect(rejected).toEqual([]);
  await queue.flush();
  expect([stored, rejected]).toEqual([[1, 3], [2]]);
});

test('an unreachable store rejects no entry, and the queue retries after its pause', async () => {
  const { queue, push, clock, store, stored, rejected } = queueOf();
  store.isReachable = false;
  push(1);
  for (let attempt = 0; attempt < 9; attempt += 1) await expect(queue.flush()).rejects.toThrow('unreachable');
  store.isReachable = true;
  clock.advance(1000);
  await expect.poll(() => stored, { message: 'the entry is stored without a flush' }).toEqual([1]);
  expect(rejected).toEqual([]);
});

test('a batch that is rejected completely moves to the end of the queue, if the queue keeps such batches', async () => {
  const { queue, push, store, stored, rejected } = queueOf({ retry: { attemptsMax: 0, keepsRejectedBatch: true } });
  for (const each of [1, 2, 3]) store.bad.add(each);
  push(1, 2, 3, 4);
  await expect(queue.flush()).rejects.toThrow('not 1');
  expect(queue.waiting).toEqual([4, 1, 2, 3]);
  // The store works: it accepts an entry of the next batch.
  expect(await queue.stop()).toEqual([3]);
  expect([stored, rejected]).toEqual([[4], [1, 2]]);
});

test('without retries, a failed commit rejects its entries at once', async () => {
  const { queue, push, store, rejected } = queueOf({ retry: undefined });
  store.isReachable = false;
  push(1, 2);
  await queue.flush();
  expect([rejected, queue.waiting]).toEqual([[1, 2], []]);
});

test('a stopping queue isolates rejected entries in its only attempt, and returns the entries that the store lacks', async () => {
  const { queue, push, store, stored, rejected } = queueOf();
  store.bad.add(2);
  push(1, 2, 3);
  expect(await queue.stop()).toEqual([]);
  expect([stored, rejected]).toEqual([[1, 3], [2]]);
  const away = queueOf();
  away.store.isReachable = false;
  away.push(1, 2);
  expect(await away.queue.stop()).toEqual([1, 2]);
});

test('a queue that stops during a failing commit still isolates the rejected entries', async () => {
  const [{ promise: begun, resolve: begin }, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const [stored, rejected] = [new Array<number>(), new Array<number>()];
  const { queue, push } = queueOf({
    async commit(batch) {
      begin();
      await answer.promise;
      if (batch.includes(2)) throw new Error('not 2');
    },
    onCommitted: (batch) => void stored.push(...batch),
    onRejected: (entry) => void rejected.push(entry),
  });
  push(1, 2, 3);
  await begun;
  const stopped = queue.stop();
  answer.resolve();
  expect(await stopped).toEqual([]);
  expect([stored, rejected]).toEqual([[1, 3], [2]]);
});

test('a batch is piggybacked on another commit, and after a failure committed on its own', async () => {
  const sources: PiggybackSource[] = [];
  const piggyback = (source: PiggybackSource) => {
    sources.push(source);
    return () => undefined;
  };
  const store = { piggyback } as Pick<Store, 'piggyback'> as Store;
  const { queue, push, batches, stored } = queueOf({ piggyback: { store, task: () => ({}) as Task } });
  const next = () => sources[0]?.();
  expect(next()).toBeUndefined();
  push(1);
  const first = next();
  expect(next()).toBeUndefined();
  first?.taken(undefined);
  expect([stored, queue.waiting]).toEqual([[1], []]);
  push(2);
  next()?.refused(new Error('no'));
  expect(next()).toBeUndefined();
  await queue.flush();
  expect([batches, stored]).toEqual([[[2]], [1, 2]]);
  push(3);
  expect(next()).toBeDefined();
});

test('a stopping queue waits for its piggybacked batch, and commits it if the other commit fails', async () => {
  for (const isTaken of [true, false]) {
    const sources = new Set<PiggybackSource>();
    const piggyback = (source: PiggybackSource) => {
      sources.add(source);
      return () => sources.delete(source);
    };
    const store = { piggyback } as Pick<Store, 'piggyback'> as Store;
    const { queue, push, batches, stored } = queueOf({ piggyback: { store, task: () => ({}) as Task } });
    push(1);
    const [piggybacked] = [...sources].map((next) => next());
    const stopped = queue.stop();
    expect(sources.size).toBe(0);
    if (isTaken) piggybacked?.taken(undefined);
    else piggybacked?.refused(new Error('no'));
    expect(await stopped).toEqual([]);
    expect([stored, batches]).toEqual([[1], isTaken ? [] : [[1]]]);
  }
});
