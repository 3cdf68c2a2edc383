import { getEventListeners } from 'node:events';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { isDeep } from '../../../../test/depth.ts';
import type { LeasedSlots } from '../../../platform/cluster/leased-slots.ts';
import { InvariantViolation } from 'chat-formats/assert.ts';
import { systemClock } from '../../../core/time/clock.ts';
import type { Demand } from '../fair-queue/demand.ts';
import { QueueLimit } from '../fair-queue/queue-limit.ts';
import { accountSlotsMax } from '../fair-queue/fair-queue.ts';
import type { SubQueue } from '../fair-queue/sub-queue.ts';
import type { Slot } from './slot.ts';
import type { QueueSnapshot } from './queue-snapshot.ts';
import { UpstreamQueue } from './upstream-queue.ts';

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
  const queueLimit = new QueueLimit(() => ({ requests, bytes: 1e9 }));
  const alarms: unknown[] = [];
  const queue = new UpstreamQueue({ clock: systemClock, queueLimit, max, alarm: (error) => void alarms.push(error) });
  const within = (ms: number, signal = never) => ({ signal, deadlineMs: systemClock.elapsed() + ms });
  return { queue, queueLimit, within, alarms };
}

test('a request takes a slot at once while one is free', () => {
  const { queue } = fixture(2);
  expect(queue.tryEnter(demand('a'))).toMatchObject({ waitMs: 0, position: 0 });
  expect(queue.tryEnter(demand('a'))).toBeDefined();
  expect(queue.tryEnter(demand('b'))).toBeUndefined();
  expect(queue).toMatchObject({ running: 2, waiting: 0, limit: 2 });
});

test('a waiting request gets the next slot, with its wait time and how many were ahead of it', async () => {
  const { queue, within } = fixture(1);
  const first = queue.tryEnter(demand('a'));
  const second = queue.enter(demand('a'), within(60_000));
  const third = queue.enter(demand('b'), within(60_000));
  await vi.advanceTimersByTimeAsync(5000);
  first?.release();
  expect(await third).toMatchObject({ position: 1, waitMs: 5000 });
  expect(queue).toMatchObject({ running: 1, waiting: 1 });
  (await third)?.release(1);
  (await second)?.release();
  expect(queue).toMatchObject({ running: 0, waiting: 0 });
  expect(vi.getTimerCount()).toBe(0);
});

test.each([0.1, 0.3, 0.5, 0.7])(
  'the queue does not miss a sub-queue that opens between two clock readings %f ms apart',
  async (stepMs) => {
    let readMs = 0;
    const elapsed = () => systemClock.elapsed() + (readMs += stepMs);
    const queueLimit = new QueueLimit(() => ({ requests: 10, bytes: 1e9 }));
    const queue = new UpstreamQueue({ clock: { ...systemClock, elapsed }, queueLimit, max: 1 });
    for (let opensAfterMs = 0; opensAfterMs < 5; opensAfterMs += 0.05) {
      const opensAtMs = elapsed() + opensAfterMs;
      const closedMs = () => Math.max(0, opensAtMs - elapsed());
      const subQueue: SubQueue = { name: 'cooldown', isOpen: () => closedMs() === 0, closedMs };
      const wait = queue.enter(demand('a'), { signal: never, deadlineMs: elapsed() + 60_000, subQueue });
      await vi.advanceTimersByTimeAsync(20);
      expect(queue.running).toBe(1);
      (await wait)?.release();
    }
  },
);

test('a waiting request whose client leaves never gets a slot', async () => {
  const { queue, queueLimit, within } = fixture(1);
  const slot = queue.tryEnter(demand('a'));
  const client = new AbortController();
  const waiting = queue.enter(demand('b'), within(60_000, client.signal));
  client.abort(new Error('gone'));
  await expect(waiting).rejects.toThrow('gone');
  slot?.release();
  expect([queue.waiting, queue.running, queueLimit.requests]).toEqual([0, 0, 0]);
  await expect(queue.enter(demand('b'), within(60_000, client.signal))).rejects.toThrow('gone');
  expect(queue.running).toBe(0);
});

test('a wait beyond its deadline ends as overload', async () => {
  const { queue, queueLimit, within } = fixture(1);
  queue.tryEnter(demand('a'));
  const waiting = queue.enter(demand('b'), within(1000)).catch((error: unknown) => error);
  await vi.advanceTimersByTimeAsync(999);
  expect(queue.waiting).toBe(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(await waiting).toMatchObject({ case: 'overloaded' });
  expect([queue.waiting, queueLimit.requests]).toEqual([0, 0]);
});

test('a full queue limit rejects the newest request of the largest account, at any upstream', async () => {
  const { queue, queueLimit, within } = fixture(1, 100);
  const elsewhere = new UpstreamQueue({ clock: systemClock, queueLimit, max: 1 });
  queue.tryEnter(demand('x'));
  elsewhere.tryEnter(demand('x'));
  const hogs = Array.from({ length: 100 }, () => elsewhere.enter(demand('hog'), within(60_000)));
  const outcomes = hogs.map((wait) => wait.then(() => 'turn').catch((error: { case: string }) => error.case));
  void queue.enter(demand('light'), within(60_000));
  expect(await outcomes.at(-1)).toBe('overloaded');
  expect([queue.waiting, elsewhere.waiting, queueLimit.requests]).toEqual([1, 99, 100]);
  await expect(queue.enter(demand('hog'), within(60_000))).rejects.toMatchObject({ case: 'overloaded' });
  expect([queue.waiting, elsewhere.waiting]).toEqual([1, 99]);
});

test('a slot that is released twice is counted once, and an alarm is raised', () => {
  const { queue, alarms } = fixture(2);
  const [first, second] = [queue.tryEnter(demand('a')), queue.tryEnter(demand('b'))];
  first?.release();
  first?.release();
  expect([queue.running, alarms]).toEqual([1, [new InvariantViolation('a slot is released once')]]);
  second?.release();
  expect([queue.running, alarms.length]).toEqual([0, 1]);
});

test('a request gets no slot beyond the limit, even if the count of slots is wrong', async () => {
  const alarms: unknown[] = [];
  const queueLimit = new QueueLimit(() => ({ requests: 10, bytes: 1e9 }));
  let [limit, given] = [1, 0];
  // Grants a slot for every request, however many run.
  const leased = {
    totalLimit: 1,
    take: () => (limit > 0 ? limit : undefined),
    give: () => void (given += 1),
    use: () => undefined,
  } as unknown as LeasedSlots;
  const queue = new UpstreamQueue({
    clock: systemClock,
    queueLimit,
    max: 1,
    leased,
    alarm: (error) => void alarms.push(error),
  });
  const rule = new InvariantViolation('a request gets a slot only while one is free');
  const first = queue.tryEnter(demand('a'));
  expect(() => queue.tryEnter(demand('b'))).toThrow(rule);
  expect([queue.running, given, alarms]).toEqual([1, 1, []]);
  limit = 0;
  const waiting = queue.enter(demand('b'), { signal: never, deadlineMs: systemClock.elapsed() + 60_000 });
  limit = 1;
  queue.recheck();
  expect([queue.running, queue.waiting, given, alarms]).toEqual([1, 1, 2, [rule]]);
  first?.release();
  expect(await waiting).toMatchObject({ position: 0 });
});

test('a request keeps the slot that it took just before the lease of its process ended', async () => {
  const alarms: unknown[] = [];
  const queueLimit = new QueueLimit(() => ({ requests: 10, bytes: 1e9 }));
  let limit = 0;
  const take = () => {
    const allowing = limit;
    limit = 0;
    return allowing > 0 ? allowing : undefined;
  };
  const leased = {
    get limit() {
      return limit;
    },
    totalLimit: 1,
    take,
    give: () => undefined,
    use: () => undefined,
  };
  const queue = new UpstreamQueue({
    clock: systemClock,
    queueLimit,
    max: 1,
    leased: leased as unknown as LeasedSlots,
    alarm: (error) => void alarms.push(error),
  });
  const waiting = queue.enter(demand('a'), { signal: never, deadlineMs: systemClock.elapsed() + 60_000 });
  limit = 1;
  queue.recheck();
  expect([queue.running, queue.waiting, alarms]).toEqual([1, 0, []]);
  expect(await waiting).toMatchObject({ position: 0 });
});

test('the queue rejects a request with an invalid cost', () => {
  const { queue, queueLimit, within } = fixture(1);
  for (const cost of [Number.NaN, 0, -1, Number.POSITIVE_INFINITY]) {
    expect(() => queue.tryEnter(demand('a', { cost }))).toThrow(InvariantViolation);
    expect(() => queue.enter(demand('a', { cost }), within(1000))).toThrow(InvariantViolation);
    const subQueue = subQueueOf('cooldown', 1000);
    expect(() => queue.enter(demand('a', { cost }), { ...within(1000), subQueue })).toThrow(InvariantViolation);
  }
  expect([queue.running, queue.waiting, queueLimit.requests]).toEqual([0, 0, 0]);
});

test('a request whose `granted` callback throws ends, and no slot is lost', async () => {
  const { queue, queueLimit, within, alarms } = fixture(1);
  const granted = () => {
    throw new InvariantViolation('never');
  };
  await expect(queue.enter(demand('a'), { ...within(1000), granted })).rejects.toThrow('never');
  const holder = queue.tryEnter(demand('b'));
  const waiting = queue.enter(demand('a'), { ...within(1000), granted }).catch(String);
  holder?.release();
  expect(await waiting).toContain('never');
  expect([queue.running, queue.waiting, queueLimit.requests, alarms]).toEqual([0, 0, 0, []]);
});

test('a request that the upstream refused cools down without a slot, and then comes first', async () => {
  const { queue, within } = fixture(1);
  const slot = queue.tryEnter(demand('a'))!;
  const [sibling, other] = [queue.enter(demand('a'), within(60_000)), queue.enter(demand('b'), within(60_000))];
  const again = slot.requeue({ ...within(60_000), cooldownMs: 2000 });
  expect(queue).toMatchObject({ running: 1, waiting: 2 });
  const next = await other;
  await vi.advanceTimersByTimeAsync(1999);
  expect(queue).toMatchObject({ running: 1, waiting: 2 });
  await vi.advanceTimersByTimeAsync(1);
  next?.release();
  expect(await again).toMatchObject({ waitMs: 2000, position: 0 });
  (await again)?.release();
  (await sibling)?.release();
  expect(queue).toMatchObject({ running: 0, waiting: 0 });
  expect(vi.getTimerCount()).toBe(0);
});

test('refused requests return in their old order', async () => {
  const { queue, within } = fixture(8);
  const slots = Array.from({ length: 8 }, (_, i) => queue.tryEnter(demand(`account ${i}`))!);
  const order: number[] = [];
  for (const [i, slot] of slots.entries()) {
    void slot.requeue({ ...within(60_000), cooldownMs: 100 }).then((next) => {
      order.push(i);
      next?.release();
    });
  }
  expect(queue).toMatchObject({ running: 0, waiting: 8, limit: 8 });
  expect(queue.snapshot().pausedMs).toBe(100);
  await vi.advanceTimersByTimeAsync(200);
  expect(order).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
});

test('a refused request that gives up costs nothing and leaves its queue entry', async () => {
  const { queue, queueLimit, within } = fixture(2);
  const client = new AbortController();
  const again = queue.tryEnter(demand('a'))!.requeue({ ...within(60_000, client.signal), cooldownMs: 5000 });
  const late = queue.tryEnter(demand('a'))!.requeue({ ...within(1000), cooldownMs: 5000 });
  expect(queueLimit.requests).toBe(2);
  client.abort(new Error('gone'));
  await expect(again).rejects.toThrow('gone');
  const outcome = late.catch((error: unknown) => error);
  await vi.advanceTimersByTimeAsync(1000);
  expect(await outcome).toMatchObject({ case: 'overloaded' });
  expect([queue.running, queue.waiting, queueLimit.requests, vi.getTimerCount()]).toEqual([0, 0, 0, 0]);
});

test('only refusals of several models in a row lower an upstream’s limit, and its answers raise it again', () => {
  const { queue } = fixture(8);
  for (let i = 0; i < 20; i += 1) queue.refused('a');
  queue.answered('ended');
  for (const model of ['a', 'b']) queue.refused(model);
  queue.answered('begun');
  expect(queue.limit).toBe(8);
  for (let i = 0; i < 6; i += 1) queue.refused(i % 2 === 0 ? 'a' : 'b');
  expect(queue.limit).toBeLessThanOrEqual(2);
  for (let i = 0; i < 100; i += 1) queue.answered('begun');
  expect(queue.limit).toBe(8);
});

/** A sub-queue that opens after the cooldown. */
function subQueueOf(name: string, cooldownMs: number): SubQueue {
  const untilMs = systemClock.elapsed() + cooldownMs;
  const closedMs = () => Math.max(0, untilMs - systemClock.elapsed());
  return { name, isOpen: () => closedMs() === 0, closedMs };
}

test('a request in a closed sub-queue takes no slot, and is admitted when time opens it', async () => {
  const { queue, within } = fixture(1);
  const delayed = queue.enter(demand('a'), { ...within(60_000), subQueue: subQueueOf('cooldown', 5000) });
  const slot = queue.tryEnter(demand('b'));
  expect(queue).toMatchObject({ running: 1, waiting: 1 });
  expect(queue.snapshot().pausedMs).toBe(5000);
  slot?.release();
  await vi.advanceTimersByTimeAsync(4999);
  expect(queue).toMatchObject({ running: 0, waiting: 1 });
  await vi.advanceTimersByTimeAsync(2);
  expect(await delayed).toMatchObject({ waitMs: 5000 });
  expect([queue.running, vi.getTimerCount()]).toEqual([1, 0]);
});

test('the `granted` callback runs before another request is admitted', async () => {
  const { queue, within } = fixture(4);
  let left = 1;
  const subQueue: SubQueue = { name: 'one at a time', isOpen: () => left > 0, closedMs: () => 0 };
  const granted = () => void (left -= 1);
  left = 0;
  const waits = ['a', 'b', 'c'].map((id) => queue.enter(demand(id), { ...within(60_000), subQueue, granted }));
  left = 1;
  queue.recheck();
  expect(queue).toMatchObject({ running: 1, waiting: 2 });
  left = 1;
  (await waits[0])?.release();
  expect(queue).toMatchObject({ running: 1, waiting: 1 });
});

test('a snapshot has the order of the waiting accounts, their weights and the age of their oldest request', async () => {
  const { queue, within } = fixture(2);
  const slots = ['hog', 'hog'].map((id) => queue.tryEnter(demand(id)));
  const waits = [queue.enter(demand('hog'), within(60_000))];
  await vi.advanceTimersByTimeAsync(3000);
  waits.push(queue.enter({ ...demand('heavy'), weight: 4 }, within(60_000)));
  waits.push(queue.enter(demand('hog'), within(60_000)));
  const resting = { name: 'resting', isOpen: () => false, closedMs: () => 9000 };
  waits.push(queue.enter(demand('resting'), { ...within(60_000), subQueue: resting }));
  await vi.advanceTimersByTimeAsync(2000);
  const line = () => queue.snapshot().accounts.toSorted((one, other) => (one.accountId < other.accountId ? -1 : 1));
  expect(line()).toEqual([
    { accountId: 'heavy', running: 0, waiting: 1, weight: 4, oldestWaitMs: 2000, turn: 1 },
    { accountId: 'hog', running: 2, waiting: 2, weight: 1, oldestWaitMs: 5000, turn: 2 },
    { accountId: 'resting', running: 0, waiting: 1, weight: 1, oldestWaitMs: 2000, turn: undefined },
  ]);
  // The account with the first turn gets the slot.
  slots[0]?.release();
  expect(await waits[1]).toMatchObject({ waitMs: 2000 });
  expect(line()).toMatchObject([
    { accountId: 'heavy', running: 1, waiting: 0, oldestWaitMs: undefined, turn: undefined },
    { accountId: 'hog', running: 1, turn: 1 },
    { accountId: 'resting' },
  ]);
});

test('an account in a cooldown does not lower the fairness of a queue', async () => {
  const { queue, within } = fixture(1);
  let slot = queue.tryEnter(demand('a'));
  for (let i = 0; i < 60; i++) {
    for (const id of ['a', 'b']) void queue.enter(demand(id), within(600_000)).then((next) => void (slot = next));
    void queue.enter(demand('rested'), { ...within(600_000), subQueue: subQueueOf('cooldown', 30_000) });
  }
  for (let i = 0; i < 25; i++) {
    await vi.advanceTimersByTimeAsync(1000);
    slot?.release();
    await settled();
  }
  expect(queue.snapshot().fairness).toBeGreaterThan(0.99);
});

test('when a sub-queue closes, a request with something better to wait for leaves it', async () => {
  const { queue, queueLimit, within } = fixture(1);
  const holder = queue.tryEnter(demand('x'));
  let isClosed = false;
  const subQueue: SubQueue = { name: 'sub-queue', isOpen: () => !isClosed, closedMs: () => 0 };
  const staying = queue.enter(demand('a'), { ...within(60_000), subQueue });
  const leaving = queue.enter(demand('b'), { ...within(60_000), subQueue, isOutdated: () => true });
  isClosed = true;
  queue.subQueueCloses();
  expect(await leaving).toBeUndefined();
  expect([queue.waiting, queueLimit.requests]).toEqual([1, 1]);
  isClosed = false;
  holder?.release();
  expect(await staying).toBeDefined();
});

test('more slots admit waiting requests at once, fewer slots admit no more', async () => {
  const { queue, within } = fixture(1);
  const first = queue.tryEnter(demand('a'))!;
  const second = queue.enter(demand('a'), within(60_000));
  queue.resize(2);
  await second;
  expect(queue.running).toBe(2);
  queue.resize(1);
  first.release();
  expect(queue.tryEnter(demand('b'))).toBeUndefined();
});

test('a snapshot contains running and waiting requests and the fairness between accounts', async () => {
  const { queue, within } = fixture(1);
  const { signal } = new AbortController();
  let slot = queue.tryEnter(demand('a'))!;
  for (let i = 0; i < 50; i++) {
    for (const id of ['a', 'b'])
      void queue.enter(demand(id), within(600_000, signal)).then((next) => void (slot = next!));
  }
  expect(queue.snapshot()).toMatchObject({ limit: 1, running: 1, waiting: 100, pausedMs: 0, fairness: undefined });
  for (let i = 0; i < 40; i++) {
    await vi.advanceTimersByTimeAsync(1000);
    slot.release();
    await settled();
  }
  const { accounts, fairness } = queue.snapshot();
  expect(fairness).toBeGreaterThan(0.99);
  expect(accounts.map(({ accountId }) => accountId).sort()).toEqual(['a', 'b']);
});

test('ten thousand aborted requests leave nothing behind', async () => {
  const { queue, queueLimit, within } = fixture(1);
  const stays = queue.tryEnter(demand('stays'))!;
  const clients = Array.from({ length: 10_000 }, () => new AbortController());
  const waits = clients.map(({ signal }, i) => queue.enter(demand(`account ${i % 3000}`), within(60_000, signal)));
  const outcomes = Promise.allSettled(waits);
  for (const client of clients) client.abort();
  expect((await outcomes).every(({ status }) => status === 'rejected')).toBe(true);
  expect([queue.waiting, queue.running, queueLimit.requests, queueLimit.bytes, vi.getTimerCount()]).toEqual([
    0, 1, 0, 0, 0,
  ]);
  expect(clients.flatMap(({ signal }) => getEventListeners(signal, 'abort'))).toEqual([]);
  expect(queue.snapshot().accounts).toMatchObject([{ accountId: 'stays', running: 1, waiting: 0 }]);
  stays.release();
  expect(queue.snapshot().accounts).toEqual([]);
});

test('after any sequence of steps, no request is lost or served twice, and no slot is exceeded', async () => {
  const step = fc.tuple(
    fc.constantFrom('enter', 'enter', 'enter', 'leave', 'leave', 'give up', 'again', 'resize', 'time'),
    fc.nat({ max: 1000 }),
  );
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 12 }), fc.array(step, { maxLength: 80 }), async (max, steps) => {
      const { queue, queueLimit, within, alarms } = fixture(max, 100);
      const held = new Map<number, Slot>();
      const clients = new Map<number, AbortController>();
      const outcomes = new Map<number, string[]>();
      let nextId = 0;
      const follow = (id: number, wait: Promise<Slot | undefined>): void => {
        wait.then(
          (slot) => void held.set(id, slot!),
          (error: unknown) => outcomes.get(id)!.push(`refused: ${String(error)}`),
        );
      };
      for (const [what, draw] of steps) {
        const runningBefore = queue.running;
        const [id, slot] = [...held][draw % held.size] ?? [];
        if (what === 'enter') {
          const client = new AbortController();
          clients.set(nextId, client);
          outcomes.set(nextId, []);
          const who = demand(`account ${draw % 4}`, { keyId: `key ${draw % 3}`, cost: 1 + draw });
          follow(nextId++, queue.enter(who, within(1 + (draw % 50) * 1000, client.signal)));
        } else if (what === 'leave' && id !== undefined && slot) {
          held.delete(id);
          outcomes.get(id)!.push('served');
          slot.release(draw % 3 === 0 ? undefined : draw);
        } else if (what === 'again' && id !== undefined && slot) {
          held.delete(id);
          follow(id, slot.requeue({ ...within(30_000, clients.get(id)!.signal), cooldownMs: (draw % 4) * 500 }));
        } else if (what === 'give up') clients.get(draw % Math.max(1, nextId))?.abort('gave up');
        else if (what === 'resize') queue.resize(1 + (draw % 12));
        else if (what === 'time') await vi.advanceTimersByTimeAsync(draw * 10);
        await settled();
        expect(queue.running).toBe(held.size);
        expect(queue.running).toBeLessThanOrEqual(Math.max(queue.limit, runningBefore));
        expect(queueLimit.requests).toBe(queue.waiting);
        expectNoIdleSlot(queue.snapshot());
        expect(alarms).toEqual([]);
      }
      while (held.size > 0 || queue.waiting > 0) {
        for (const [id, slot] of held) {
          held.delete(id);
          outcomes.get(id)!.push('served');
          slot.release();
        }
        await vi.advanceTimersByTimeAsync(1000);
      }
      expect([...outcomes.values()].every((list) => list.length === 1)).toBe(true);
      expect([queueLimit.requests, vi.getTimerCount()]).toEqual([0, 0]);
    }),
    { numRuns: isDeep ? 200 : 40 },
  );
});

/** A slot stays free only if all waiting requests are in a cooldown, or if a waiting account holds its maximum. */
function expectNoIdleSlot({ limit, running, waiting: all, resting, accounts }: QueueSnapshot): void {
  if (all === resting || running >= limit) return;
  const waiting = accounts.filter((each) => each.waiting > 0);
  expect(waiting.some((each) => each.running >= accountSlotsMax(limit))).toBe(true);
}
