import { getEventListeners } from 'node:events';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { systemClock } from '../core/clock.ts';
import type { Demand } from './fair-queue/demand.ts';
import { WaitingRoom } from './fair-queue/waiting-room.ts';
import { upstreamQueue, type Place } from './upstream-queue.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const never = new AbortController().signal;
const demand = (accountId: string, more: Partial<Demand> = {}): Demand => ({
  accountId,
  keyId: 'key',
  weight: 1,
  cost: 10,
  bytes: 1,
  ...more,
});
const settled = () => vi.advanceTimersByTimeAsync(0);

function fixture(max: number, requests = 20_000) {
  const room = new WaitingRoom(() => ({ requests, bytes: 1e9 }));
  const queue = upstreamQueue({ clock: systemClock, room, max });
  const within = (ms: number, signal = never) => ({ signal, deadlineMs: systemClock.elapsed() + ms });
  return { queue, room, within };
}

test('places are taken at once while there are any', () => {
  const { queue } = fixture(2);
  expect(queue.tryEnter(demand('a'))).toMatchObject({ waitMs: 0, position: 0 });
  expect(queue.tryEnter(demand('a'))).toBeDefined();
  expect(queue.tryEnter(demand('b'))).toBeUndefined();
  expect(queue).toMatchObject({ running: 2, waiting: 0, limit: 2 });
});

test('who waits gets the next place, and learns how long and behind how many it waited', async () => {
  const { queue, within } = fixture(1);
  const first = queue.tryEnter(demand('a'));
  const second = queue.enter(demand('a'), within(60_000));
  const third = queue.enter(demand('b'), within(60_000));
  await vi.advanceTimersByTimeAsync(5000);
  first?.leave();
  first?.leave();
  expect(await third).toMatchObject({ position: 1, waitMs: 5000 });
  expect(queue).toMatchObject({ running: 1, waiting: 1 });
  (await third).leave(1);
  (await second).leave();
  expect(queue).toMatchObject({ running: 0, waiting: 0 });
  expect(vi.getTimerCount()).toBe(0);
});

test('a waiting client that leaves is forgotten and never gets a place', async () => {
  const { queue, room, within } = fixture(1);
  const place = queue.tryEnter(demand('a'));
  const client = new AbortController();
  const waiting = queue.enter(demand('b'), within(60_000, client.signal));
  client.abort(new Error('gone'));
  await expect(waiting).rejects.toThrow('gone');
  place?.leave();
  expect([queue.waiting, queue.running, room.requests]).toEqual([0, 0, 0]);
  await expect(queue.enter(demand('b'), within(60_000, client.signal))).rejects.toThrow('gone');
  expect(queue.running).toBe(0);
});

test('a wait beyond its deadline ends as overload', async () => {
  const { queue, room, within } = fixture(1);
  queue.tryEnter(demand('a'));
  const waiting = queue.enter(demand('b'), within(1000)).catch((error: unknown) => error);
  await vi.advanceTimersByTimeAsync(999);
  expect(queue.waiting).toBe(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(await waiting).toMatchObject({ case: 'overloaded' });
  expect([queue.waiting, room.requests]).toEqual([0, 0]);
});

test('a full room sends the newest of the largest account away, from whichever upstream it waits for', async () => {
  const { queue, room, within } = fixture(1, 100);
  const elsewhere = upstreamQueue({ clock: systemClock, room, max: 1 });
  queue.tryEnter(demand('x'));
  elsewhere.tryEnter(demand('x'));
  const hogs = Array.from({ length: 100 }, () => elsewhere.enter(demand('hog'), within(60_000)));
  const outcomes = hogs.map((wait) => wait.then(() => 'turn').catch((error: { case: string }) => error.case));
  void queue.enter(demand('light'), within(60_000));
  expect(await outcomes.at(-1)).toBe('overloaded');
  expect([queue.waiting, elsewhere.waiting, room.requests]).toEqual([1, 99, 100]);
  await expect(queue.enter(demand('hog'), within(60_000))).rejects.toMatchObject({ case: 'overloaded' });
  expect([queue.waiting, elsewhere.waiting]).toEqual([1, 99]);
});

test('a request the upstream had no room for waits out the pause, and then comes first', async () => {
  const { queue, within } = fixture(2);
  const place = queue.tryEnter(demand('a'))!;
  queue.tryEnter(demand('b'))!.leave();
  queue.resize(1);
  const sibling = queue.enter(demand('a'), within(60_000));
  const other = queue.enter(demand('b'), within(60_000));
  const again = place.again({ ...within(60_000), pauseMs: 2000 });
  place.leave();
  expect(queue).toMatchObject({ running: 0, waiting: 3, limit: 1 });
  expect(queue.tryEnter(demand('c'))).toBeUndefined();
  await vi.advanceTimersByTimeAsync(1999);
  expect(queue.running).toBe(0);
  await vi.advanceTimersByTimeAsync(2);
  const order: string[] = [];
  const takeTurn = (name: string) => (next: Place) => {
    order.push(name);
    next.leave();
  };
  await Promise.all([sibling.then(takeTurn('sibling')), other.then(takeTurn('other')), again.then(takeTurn('again'))]);
  expect(order[0]).toBe('again');
  expect(queue).toMatchObject({ running: 0, waiting: 0 });
  expect(vi.getTimerCount()).toBe(0);
});

test('a pause is no longer than a minute, whatever the upstream says', async () => {
  const { queue, within } = fixture(1);
  const again = queue.tryEnter(demand('a'))!.again({ ...within(600_000), pauseMs: 3_600_000 });
  expect(queue.snapshot().pausedMs).toBe(60_000);
  await vi.advanceTimersByTimeAsync(60_001);
  expect((await again).waitMs).toBeLessThan(60_100);
});

test('a storm of refusals cuts the limit once, and each request comes back in its old order', async () => {
  const { queue, within } = fixture(8);
  const turns = Array.from({ length: 8 }, (_, i) => queue.tryEnter(demand(`account ${i}`))!);
  const order: number[] = [];
  for (const [i, place] of turns.entries()) {
    void place.again({ ...within(60_000), pauseMs: 100 }).then((next) => {
      order.push(i);
      next.leave();
    });
  }
  expect(queue).toMatchObject({ running: 0, waiting: 8, limit: 5 });
  await vi.advanceTimersByTimeAsync(200);
  expect(order).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
});

test('a refused request that gives up instead pays nothing and leaves its place', async () => {
  const { queue, room, within } = fixture(2);
  const client = new AbortController();
  client.abort(new Error('gone'));
  const again = queue.tryEnter(demand('a'))!.again({ ...within(1000, client.signal), pauseMs: 0 });
  await expect(again).rejects.toThrow('gone');
  expect([queue.running, queue.waiting, room.requests]).toEqual([0, 0, 0]);
});

test('quiet seconds let one more in, without anyone leaving', async () => {
  const { queue, within } = fixture(2);
  const stays = queue.tryEnter(demand('a'))!;
  const refused = queue.tryEnter(demand('b'))!.again({ ...within(60_000), pauseMs: 0 });
  expect(queue).toMatchObject({ running: 1, waiting: 1, limit: 1 });
  await vi.advanceTimersByTimeAsync(10_001);
  await refused;
  expect(queue.running).toBe(2);
  stays.leave();
});

test('more places let the waiting in at once, fewer let nobody else in', async () => {
  const { queue, within } = fixture(1);
  const first = queue.tryEnter(demand('a'))!;
  const second = queue.enter(demand('a'), within(60_000));
  queue.resize(2);
  await second;
  expect(queue.running).toBe(2);
  queue.resize(1);
  first.leave();
  expect(queue.tryEnter(demand('b'))).toBeUndefined();
});

test('a snapshot tells who runs, who waits and how evenly they are served', async () => {
  const { queue, within } = fixture(1);
  const { signal } = new AbortController();
  let place = queue.tryEnter(demand('a'))!;
  for (let i = 0; i < 50; i++) {
    for (const id of ['a', 'b'])
      void queue.enter(demand(id), within(600_000, signal)).then((next) => void (place = next));
  }
  expect(queue.snapshot()).toMatchObject({ limit: 1, running: 1, waiting: 100, pausedMs: 0, fairness: undefined });
  for (let i = 0; i < 40; i++) {
    await vi.advanceTimersByTimeAsync(1000);
    place.leave();
    await settled();
  }
  const { accounts, fairness } = queue.snapshot();
  expect(fairness).toBeGreaterThan(0.99);
  expect(accounts.map(({ accountId }) => accountId).sort()).toEqual(['a', 'b']);
});

test('ten thousand that leave leave nothing behind', async () => {
  const { queue, room, within } = fixture(1);
  const stays = queue.tryEnter(demand('stays'))!;
  const clients = Array.from({ length: 10_000 }, () => new AbortController());
  const waits = clients.map(({ signal }, i) => queue.enter(demand(`account ${i % 3000}`), within(60_000, signal)));
  const outcomes = Promise.allSettled(waits);
  for (const client of clients) client.abort();
  expect((await outcomes).every(({ status }) => status === 'rejected')).toBe(true);
  expect([queue.waiting, queue.running, room.requests, room.bytes, vi.getTimerCount()]).toEqual([0, 1, 0, 0, 0]);
  expect(clients.flatMap(({ signal }) => getEventListeners(signal, 'abort'))).toEqual([]);
  expect(queue.snapshot().accounts).toEqual([{ accountId: 'stays', running: 1, waiting: 0 }]);
  stays.leave();
  expect(queue.snapshot().accounts).toEqual([]);
});

test('however requests come, leave, give up, come back and places change, none is lost, served twice or one too many', async () => {
  const step = fc.tuple(
    fc.constantFrom('enter', 'enter', 'enter', 'leave', 'leave', 'give up', 'again', 'resize', 'time'),
    fc.nat({ max: 1000 }),
  );
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 12 }), fc.array(step, { maxLength: 80 }), async (max, steps) => {
      const { queue, room, within } = fixture(max, 100);
      const held = new Map<number, Place>();
      const clients = new Map<number, AbortController>();
      const outcomes = new Map<number, string[]>();
      let nextId = 0;
      const follow = (id: number, wait: Promise<Place>): void => {
        wait.then(
          (place) => void held.set(id, place),
          (error: unknown) => outcomes.get(id)!.push(`refused: ${String(error)}`),
        );
      };
      for (const [what, draw] of steps) {
        const runningBefore = queue.running;
        const [id, place] = [...held][draw % held.size] ?? [];
        if (what === 'enter') {
          const client = new AbortController();
          clients.set(nextId, client);
          outcomes.set(nextId, []);
          const who = demand(`account ${draw % 4}`, { keyId: `key ${draw % 3}`, cost: 1 + draw });
          follow(nextId++, queue.enter(who, within(1 + (draw % 50) * 1000, client.signal)));
        } else if (what === 'leave' && id !== undefined && place) {
          held.delete(id);
          outcomes.get(id)!.push('served');
          place.leave(draw % 3 === 0 ? undefined : draw);
        } else if (what === 'again' && id !== undefined && place) {
          held.delete(id);
          follow(id, place.again({ ...within(30_000, clients.get(id)!.signal), pauseMs: (draw % 4) * 500 }));
        } else if (what === 'give up') clients.get(draw % Math.max(1, nextId))?.abort('gave up');
        else if (what === 'resize') queue.resize(1 + (draw % 12));
        else if (what === 'time') await vi.advanceTimersByTimeAsync(draw * 10);
        await settled();
        expect(queue.running).toBe(held.size);
        expect(queue.running).toBeLessThanOrEqual(Math.max(queue.limit, runningBefore));
        expect(room.requests).toBe(queue.waiting);
        expectNoIdlePlace(queue.snapshot());
      }
      while (held.size > 0 || queue.waiting > 0) {
        for (const [id, place] of held) {
          held.delete(id);
          outcomes.get(id)!.push('served');
          place.leave();
        }
        await vi.advanceTimersByTimeAsync(1000);
      }
      expect([...outcomes.values()].every((list) => list.length === 1)).toBe(true);
      expect([room.requests, vi.getTimerCount()]).toEqual([0, 0]);
    }),
    { numRuns: 200 },
  );
});

/** A place stays free only during a pause, or for those an account has taken too much of the others to have. */
function expectNoIdlePlace({
  limit,
  running,
  waiting,
  pausedMs,
  accounts,
}: ReturnType<ReturnType<typeof fixture>['queue']['snapshot']>): void {
  if (pausedMs > 0 || waiting === 0 || running >= limit) return;
  for (const account of accounts.filter((each) => each.waiting > 0)) {
    expect(limit).toBeGreaterThanOrEqual(4);
    expect(account.running).toBeGreaterThanOrEqual(Math.ceil(0.9 * limit));
  }
}
