import fc from 'fast-check';
import { expect, test } from 'vitest';
import { manualClock } from '../../../../test/clocks/manual-clock.ts';
import { LeaseKeeper } from '../../../platform/cluster/lease-keeper.ts';
import { memoryArbiter } from '../../../platform/cluster/memory-arbiter.ts';
import type { Demand } from '../fair-queue/demand.ts';
import { idleTerms } from '../fair-queue/idle-terms.ts';
import { QueueLimit } from '../fair-queue/queue-limit.ts';
import type { SubQueue } from '../fair-queue/sub-queue.ts';
import type { Slot } from './slot.ts';
import { UpstreamQueue } from './upstream-queue.ts';

const never = new AbortController().signal;
const dayMs = 86_400_000;

function fixture(max: number, requests = 20_000) {
  const clock = manualClock();
  const queueLimit = new QueueLimit(() => ({ requests, bytes: 1e9 }));
  const alarms: unknown[] = [];
  const queue = new UpstreamQueue({ clock, queueLimit, max, alarm: (error) => void alarms.push(error) });
  const slots: { readonly name: string; readonly slot: Slot }[] = [];
  const failures: { readonly name: string; readonly error: unknown }[] = [];
  const send = (name: string, demand: Demand, more: { signal?: AbortSignal; subQueue?: SubQueue } = {}): void => {
    const deadlineMs = demand.idle?.deadlineMs ?? clock.elapsed() + 600_000;
    queue.enter(demand, { signal: never, deadlineMs, ...more }).then(
      (slot) => void (slot && slots.push({ name, slot })),
      (error: unknown) => void failures.push({ name, error }),
    );
  };
  /** Ends the oldest running requests of this name. */
  const end = async (name: string, count = 1): Promise<void> => {
    for (let ended = 0; ended < count; ended += 1) {
      await flushed();
      const index = slots.findIndex((each) => each.name === name);
      slots.splice(index, 1)[0]!.slot.release(10);
    }
  };
  const running = async (): Promise<string> => {
    await flushed();
    return slots.map(({ name }) => name).join(' ');
  };
  return { clock, queue, queueLimit, alarms, send, end, running, slots, failures };
}

const flushed = async (): Promise<void> => {
  for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
};
const interactive = (accountId: string, more: Partial<Demand> = {}): Demand => ({
  accountId,
  keyId: 'key',
  weight: 1,
  cost: 10,
  bytes: 1,
  ...more,
});
const idle = (accountId: string, batchId = 'batch', more: Partial<Demand> = {}): Demand => ({
  ...interactive(accountId),
  keyId: batchId,
  idle: idleTerms({ batchId, fromMs: 0, untilMs: dayMs }, { index: 0, of: 1 }),
  ...more,
});
const times = (count: number, work: () => void): void => {
  for (let index = 0; index < count; index += 1) work();
};

test('the slot time of the idle class adds up its requests only', async () => {
  const { clock, queue, send, end } = fixture(10);
  send('batch', idle('a'));
  send('batch', idle('b'));
  send('person', interactive('c'));
  await flushed();
  clock.advance(1000);
  expect(queue.idleSlotMs).toBe(2000);
  await end('batch');
  clock.advance(500);
  await end('batch');
  clock.advance(500);
  expect(queue.idleSlotMs).toBe(2500);
});

test('idle requests use all slots but the reserve', async () => {
  const { queue, send, running } = fixture(8);
  times(20, () => send('i', idle('a')));
  expect(await running()).toBe('i i i i i i i');
  expect(queue).toMatchObject({ running: 7, waiting: 0 });
  expect(queue.tryEnter(interactive('b'))).toBeDefined();
});

test.each([
  [2, 1],
  [10, 9],
  [20, 18],
  [64, 57],
])('of %i slots, idle requests use at most %i', async (max, most) => {
  const { queue, send } = fixture(max);
  times(max + 5, () => send('i', idle('a')));
  await flushed();
  expect(queue.running).toBe(most);
});

test('a slot that becomes free goes to an interactive request, however long idle ones have waited', async () => {
  const { send, end, running, clock } = fixture(3);
  times(5, () => send('i', idle('a')));
  times(3, () => send('p', interactive('b')));
  expect(await running()).toBe('i i p');
  clock.advance(300_000);
  await end('i');
  await end('i');
  expect(await running()).toBe('p p p');
  await end('p', 2);
  expect(await running()).toBe('p i');
});

test('an idle request that arrives finds no slot while an interactive one waits for it', async () => {
  const { queue, send, end, running } = fixture(2);
  times(3, () => send('p', interactive('a')));
  expect(queue.tryEnter(idle('b'))).toBeUndefined();
  send('i', idle('b'));
  await end('p');
  expect(await running()).toBe('p p');
});

test('an idle request uses a slot that waiting interactive requests cannot use', async () => {
  const { send, end, running } = fixture(4);
  const closed: SubQueue = { name: 'cooldown', isOpen: () => false, closedMs: () => 0 };
  times(2, () => send('p', interactive('a')));
  send('q', interactive('b'), { subQueue: closed });
  await end('p');
  send('i', idle('c'));
  expect(await running()).toBe('p i');
});

test('idle requests of several accounts take turns by weight, and the batches of an account take turns', async () => {
  const { send, end, running, slots } = fixture(2);
  send('first', idle('z'));
  times(20, () => send('a1', idle('a', 'a1', { weight: 2 })));
  times(20, () => send('a2', idle('a', 'a2', { weight: 2 })));
  times(20, () => send('b', idle('b', 'b1')));
  expect(await running()).toBe('first');
  const order: string[] = [];
  for (let turn = 0; turn < 12; turn += 1) {
    await end(slots[0]!.name);
    order.push(await running());
  }
  const count = (name: string): number => order.filter((each) => each === name).length;
  expect([count('a1'), count('a2'), count('b')]).toEqual([4, 4, 4]);
});

test('idle requests count for nothing in the turns of their account', async () => {
  const { send, end, running } = fixture(2);
  times(30, () => send('i', idle('batcher')));
  await end('i', 20);
  send('x', interactive('other'));
  times(2, () => send('x', interactive('other')));
  times(2, () => send('y', interactive('batcher')));
  expect(await running()).toBe('i x');
  await end('x');
  expect(await running()).toBe('i y');
});

test('the only slot of an upstream runs idle requests after 30 s without interactive ones', async () => {
  const { queue, send, end, running, clock } = fixture(1);
  send('p', interactive('a'));
  send('i', idle('b'));
  clock.advance(60_000);
  expect(await running()).toBe('p');
  await end('p');
  clock.advance(29_000);
  expect(await running()).toBe('');
  expect(queue.tryEnter(interactive('a'))).toBeDefined();
});

test('the only slot of an upstream runs idle requests once it is quiet', async () => {
  const { send, end, running, clock } = fixture(1);
  send('p', interactive('a'));
  send('i', idle('b'));
  await end('p');
  await flushed();
  clock.advance(30_001);
  expect(await running()).toBe('i');
});

test('an idle request waits until its own deadline', async () => {
  const { send, running, clock, failures } = fixture(2);
  times(2, () => send('p', interactive('a')));
  const soon = { batchId: 'b', deadlineMs: 2_000_000, ordinaryFromMs: 3_000_000 };
  send('i', idle('b', 'b', { idle: soon }));
  await flushed();
  clock.advance(1_999_000);
  expect(await running()).toBe('p p');
  expect(failures).toEqual([]);
  clock.advance(2000);
  await flushed();
  expect(failures).toMatchObject([{ name: 'i', error: { case: 'overloaded' } }]);
});

test('waiting idle requests take nothing of the queue limit of interactive ones, and have limits of their own', async () => {
  const { send, queueLimit, failures, end, running, slots } = fixture(2, 10);
  times(2, () => send('p', interactive('a')));
  times(12, () => send('i', idle('b')));
  times(5, () => send('q', interactive('c')));
  await flushed();
  expect(failures.map(({ name }) => name)).toEqual(['i', 'i']);
  expect(queueLimit.requests).toBe(5);
  while (slots.length > 0) {
    await end(slots[0]!.name);
    await running();
  }
  expect(queueLimit.requests).toBe(0);
  expect(queueLimit.idle.requests).toBe(0);
});

test('a waiting idle request turns ordinary at its time, and takes turns with the others of its account', async () => {
  const { send, end, running, clock, queue } = fixture(2);
  times(30, () => send('p', interactive('a')));
  send('i', idle('a', 'batch', { idle: { batchId: 'batch', deadlineMs: dayMs, ordinaryFromMs: 500_000 } }));
  expect(await running()).toBe('p p');
  clock.advance(500_000);
  expect(queue).toMatchObject({ waiting: 29, idleWaiting: 0 });
  await end('p', 2);
  expect(await running()).toBe('p i');
  expect(queue.snapshot().idle).toBeUndefined();
});

test('a request that arrives after its time is ordinary at once, but never in the queue limit of interactive ones', async () => {
  const { send, running, clock, queue, queueLimit, end } = fixture(2);
  clock.advance(600_000);
  const late = { batchId: 'batch', deadlineMs: dayMs, ordinaryFromMs: 500_000 };
  times(4, () => send('i', idle('a', 'batch', { idle: late })));
  expect(await running()).toBe('i i');
  expect(queue.waiting).toBe(2);
  expect([queueLimit.requests, queueLimit.idle.requests]).toEqual([0, 2]);
  await end('i', 2);
  expect(await running()).toBe('i i');
  expect(queueLimit.idle.requests).toBe(0);
});

test('a refused idle request waits for its cooldown in the idle class, behind interactive requests', async () => {
  const { send, end, running, clock, slots, queue } = fixture(2);
  send('i', idle('a'));
  await flushed();
  const requeued = slots.splice(0, 1)[0]!.slot.requeue({ signal: never, deadlineMs: dayMs, cooldownMs: 1000 });
  void requeued.then((slot) => slot && slots.push({ name: 'again', slot }));
  times(3, () => send('p', interactive('b')));
  clock.advance(5000);
  expect(await running()).toBe('p p');
  await end('p');
  expect(await running()).toBe('p p');
  await end('p');
  expect(await running()).toBe('p');
  await end('p');
  expect(await running()).toBe('again');
  expect(queue.running).toBe(1);
});

test('a cancelled idle request never gets a slot, whether it was promoted or not', async () => {
  const { send, end, running, clock, queue, queueLimit, failures } = fixture(2);
  const client = new AbortController();
  times(2, () => send('p', interactive('a')));
  send('i', idle('a', 'b', { idle: { batchId: 'b', deadlineMs: dayMs, ordinaryFromMs: 1000 } }), {
    signal: client.signal,
  });
  send('j', idle('a'), { signal: client.signal });
  clock.advance(2000);
  client.abort(new Error('cancelled'));
  await flushed();
  await end('p', 2);
  expect(await running()).toBe('');
  expect(failures).toHaveLength(2);
  expect(queue).toMatchObject({ running: 0, waiting: 0, idleWaiting: 0 });
  expect(queueLimit.idle.requests).toBe(0);
  expect(clock.pending).toBe(0);
});

test('the snapshot shows idle requests as a class of their own', async () => {
  const { send, queue, clock } = fixture(3);
  send('p', interactive('a'));
  times(4, () => send('i', idle('b', 'b1', { weight: 3 })));
  await flushed();
  clock.advance(5000);
  expect(queue.snapshot()).toMatchObject({
    running: 1,
    waiting: 0,
    accounts: [{ accountId: 'a', running: 1 }],
    idle: { running: 1, waiting: 3, accounts: [{ accountId: 'b', running: 1, waiting: 3, weight: 3, turn: 1 }] },
  });
  expect(queue.waitingByPackage().size).toBe(0);
});

test('with leased slots, an interactive request takes its slot from the idle class before the next report', async () => {
  const clock = manualClock();
  const queueLimit = new QueueLimit(() => ({ requests: 100, bytes: 1e9 }));
  const arbiter = memoryArbiter(clock.elapsed);
  const keeper = new LeaseKeeper({ clock, arbiter, process: 'one', host: { machine: 'm', pid: 1 } });
  const queue = new UpstreamQueue({ clock, queueLimit, max: 8, leased: keeper.slots('u') });
  const granted: Slot[] = [];
  const enter = () =>
    queue.enter(idle('a'), { signal: never, deadlineMs: dayMs }).then(
      (slot) => void (slot && granted.push(slot)),
      () => undefined,
    );
  await keeper.start();
  times(20, () => void enter());
  for (let second = 0; second < 3; second += 1) {
    clock.advance(1000);
    await flushed();
  }
  expect(queue).toMatchObject({ running: 7, idleRunning: 7 });
  const first = queue.tryEnter(interactive('b'));
  granted[0]!.release();
  expect(queue).toMatchObject({ running: 7, idleRunning: 6 });
  const second = queue.tryEnter(interactive('b'));
  expect([first, second]).not.toContain(undefined);
  await keeper.stop();
});

test('without a valid lease, no idle request starts', async () => {
  const clock = manualClock();
  const queueLimit = new QueueLimit(() => ({ requests: 100, bytes: 1e9 }));
  const arbiter = memoryArbiter(clock.elapsed);
  let isAway = false;
  const report: typeof arbiter.report = (each) => (isAway ? Promise.reject(new Error('away')) : arbiter.report(each));
  const host = { machine: 'm', pid: 1 };
  const keeper = new LeaseKeeper({ clock, arbiter: { ...arbiter, report }, process: 'one', host });
  const queue = new UpstreamQueue({ clock, queueLimit, max: 8, leased: keeper.slots('u') });
  await keeper.start();
  isAway = true;
  for (let second = 0; second < 60; second += 1) {
    clock.advance(1000);
    await flushed();
  }
  void queue.enter(idle('a'), { signal: never, deadlineMs: dayMs });
  await flushed();
  expect(queue).toMatchObject({ running: 0, idleWaiting: 1 });
  expect(queue.tryEnter(interactive('a'))).toBeDefined();
  isAway = false;
  for (let second = 0; second < 3; second += 1) {
    clock.advance(1000);
    await flushed();
  }
  expect(queue.idleRunning).toBe(1);
});

test('after any history, no idle request gets a slot while an interactive one waits, and the reserve stays free', async () => {
  const steps = fc.array(
    fc.oneof(
      fc.record({ kind: fc.constant('send' as const), account: fc.constantFrom('a', 'b', 'c') }),
      fc.record({ kind: fc.constant('idle' as const), account: fc.constantFrom('a', 'b', 'd') }),
      fc.record({ kind: fc.constant('end' as const), index: fc.nat({ max: 30 }) }),
      fc.record({ kind: fc.constant('pass' as const), ms: fc.nat({ max: 400_000 }) }),
    ),
    { maxLength: 80 },
  );
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 2, max: 24 }), steps, async (limit, history) => {
      const { clock, queue, send, end, running, slots, alarms, failures } = fixture(limit);
      for (const step of history) {
        const before = queue.idleRunning;
        if (step.kind === 'send') send('p', interactive(step.account));
        else if (step.kind === 'idle') send('i', idle(step.account));
        else if (step.kind === 'pass') clock.advance(step.ms);
        else if (slots.length > 0) await end(slots[step.index % slots.length]!.name);
        await running();
        if (queue.idleRunning > before) expect(queue.waiting).toBe(0);
        expect(queue.idleRunning).toBeLessThanOrEqual(limit - Math.ceil(limit / 10));
        expect(queue.running).toBeLessThanOrEqual(limit);
        // No slot beyond the reserve stays free while an idle request waits.
        if (queue.idleWaiting > 0) expect(limit - queue.running).toBeLessThanOrEqual(Math.ceil(limit / 10));
      }
      expect(alarms).toEqual([]);
      expect(failures.filter(({ name }) => name === 'i')).toEqual([]);
    }),
  );
});
