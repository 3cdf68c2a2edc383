import { afterEach, beforeEach, expect, test } from 'vitest';
import { type ManualClock, manualClock } from '../../../test/clocks/manual-clock.ts';
import { TestUser } from '../../../test/fakes/lease-user.ts';
import { InvariantViolation } from 'chat-formats/assert.ts';
import type { Arbiter, SharedState, Report } from './arbiter.ts';
import { LeaseKeeper, type LeaseKeeperParts, type LeaseStatus } from './lease-keeper.ts';
import { memoryArbiter } from './memory-arbiter.ts';

let clock: ManualClock;
let arbiter: Arbiter;
let reports: number;
let isAway: boolean;
let statuses: LeaseStatus[];
let keepers: LeaseKeeper[];

beforeEach(() => {
  clock = manualClock();
  reports = 0;
  isAway = false;
  statuses = [];
  keepers = [];
  const inner = memoryArbiter(clock.elapsed);
  arbiter = {
    ...inner,
    async report(report) {
      reports += 1;
      if (isAway) throw new Error('out of reach');
      return inner.report(report);
    },
  };
});
afterEach(() => Promise.all(keepers.map((keeper) => keeper.stop())));

test('a process alone has the slots it needs, and taking a free slot sends no report', async () => {
  const { user } = await started('a', 10);
  await advance(10);
  const before = reports;
  user.enqueue('x', 5);
  expect(user.running).toHaveLength(5);
  await advance(10);
  expect(reports).toBe(before);
});

test('a process without a free slot reports at once, and gets all slots if no other process wants any', async () => {
  const { user } = await started('a', 10);
  user.enqueue('x', 10);
  await advance(10);
  expect(user.running).toHaveLength(10);
});

test('a new process next to one that uses all slots gets a slot at once, and half of them as answers end', async () => {
  const a = await started('a', 10);
  const b = await started('b', 10);
  a.user.enqueue('hog', 100);
  await advance(1500);
  expect(a.user.running).toHaveLength(8);
  b.user.enqueue('light', 20);
  await advance(10);
  expect(b.user.running).toHaveLength(2);
  for (let turn = 0; turn < 20; turn += 1) {
    a.user.end();
    await advance(100);
    expect(a.user.running.length + b.user.running.length).toBeLessThanOrEqual(10);
  }
  expect(Math.abs(a.user.running.length - b.user.running.length)).toBeLessThanOrEqual(1);
});

test('a lease above the limit, or a violation in the arbiter, raises the alarm and changes no lease', async () => {
  const alarms: unknown[] = [];
  const { keeper, user, arbiter: own } = await started('a', 10, { alarm: (error) => alarms.push(error) });
  const slots = keeper.slots('provider');
  const before = slots.limit;
  const { report } = own;
  own.report = async (sent) => {
    const reply = await report(sent);
    return { ...reply, resources: reply.resources.map((lease) => ({ ...lease, may: lease.limit + 1 })) };
  };
  await advance(1010);
  expect([slots.limit, alarms]).toEqual([before, [new InvariantViolation('a lease is at most the limit')]]);
  own.report = () => Promise.reject(new InvariantViolation('elsewhere'));
  await advance(1010);
  expect([slots.limit, alarms[1]]).toEqual([before, new InvariantViolation('elsewhere')]);
  own.report = report;
  user.enqueue('x', 10);
  await advance(1010);
  expect([user.running.length, alarms.length]).toEqual([10, 2]);
  expect(() => slots.counted(-1)).toThrow(InvariantViolation);
});

test('the keeper forgets a removed upstream once no request can use it any more', async () => {
  const { keeper, user } = await started('a', 10);
  const slots = keeper.slots('provider');
  user.enqueue('x', 1);
  keeper.retire('provider');
  await advance(2 * 3_600_000, 60_000);
  expect(keeper.slots('provider')).toBe(slots);
  user.end();
  await advance(3_700_000, 60_000);
  expect(keeper.slots('provider')).not.toBe(slots);
});

test('a process that must use fewer slots lets its answers end', async () => {
  const a = await started('a', 4);
  a.user.enqueue('hog', 100);
  await advance(10);
  expect(a.user.running).toHaveLength(4);
  const b = await started('b', 4);
  b.user.enqueue('light', 100);
  await advance(2000);
  expect([a.user.running.length, b.user.running.length]).toEqual([4, 0]);
  a.user.end();
  await advance(100);
  expect([a.user.running.length, b.user.running.length]).toEqual([3, 1]);
});

test('without the arbiter a process uses its lease to the end, then its static share, and reports the state alone', async () => {
  const a = await started('a', 10);
  const b = await started('b', 10);
  b.user.enqueue('light', 1);
  a.user.enqueue('hog', 100);
  await advance(2000);
  const had = a.user.running.length;
  expect(had).toBeGreaterThan(5);
  isAway = true;
  await advance(8000);
  a.user.end();
  expect(a.user.running).toHaveLength(had);
  await advance(3000);
  expect(a.keeper.status).toMatchObject({ state: 'alone', processes: 2, error: 'out of reach' });
  a.user.end(100);
  expect(a.user.running).toHaveLength(5);
  b.user.enqueue('light', 100);
  expect(b.user.running.length).toBeLessThanOrEqual(10 - had);
  await advance(30_000);
  expect([a.user.running.length, b.user.running.length]).toEqual([5, 5]);
  isAway = false;
  await advance(60_000);
  expect(a.keeper.status).toMatchObject({ state: 'leased', error: undefined });
  expect(a.user.running.length + b.user.running.length).toBeLessThanOrEqual(10);
  expect(statuses.map(({ state }) => state)).toEqual(['alone', 'alone', 'leased', 'leased']);
});

test('when the arbiter is back, no process gets slots that a process without a report may still use', async () => {
  const a = await started('a', 10);
  const b = await started('b', 10);
  a.user.enqueue('hog', 1);
  b.user.enqueue('hog', 1);
  await advance(2000);
  isAway = true;
  await advance(60_000);
  b.user.enqueue('other', 100);
  expect(b.user.running).toHaveLength(5);
  // b cannot reach the arbiter yet, as after a network partition that has ended for only one of them.
  const { report } = arbiter;
  Object.assign(b.arbiter, { report: () => Promise.reject(new Error('still away')) });
  isAway = false;
  a.user.enqueue('hog', 100);
  await advance(5000);
  expect(a.user.running.length + b.user.running.length).toBeLessThanOrEqual(10);
  Object.assign(b.arbiter, { report });
  await advance(2000);
  expect(a.user.running.length + b.user.running.length).toBeLessThanOrEqual(10);
});

test('a process that was suspended takes no slots on an expired lease', async () => {
  const { user, keeper } = await started('a', 10);
  user.enqueue('x', 2);
  await advance(10);
  // None of its timers run while it is suspended.
  const frozen = clock.elapsed;
  Object.assign(clock, { elapsed: () => frozen() + 60_000 });
  expect(keeper.status.state).toBe('lapsed');
  user.enqueue('x', 2);
  expect(user.running).toHaveLength(2);
  await advance(10);
  expect(user.running).toHaveLength(4);
});

test('the slots of a crashed process are free when it expires, or as soon as a peer finds that it is gone', async () => {
  const a = await started('a', 10);
  a.user.enqueue('hog', 100);
  await advance(10);
  await crash(a);
  const b = await started('b', 10);
  b.user.enqueue('x', 10);
  await advance(30_000);
  expect(b.user.running).toHaveLength(0);
  await advance(11_000);
  expect(b.user.running).toHaveLength(10);
  await crash(b);
  const c = await started('c', 10, { isDead: ({ pid }) => pid === b.pid });
  c.user.enqueue('y', 10);
  await advance(6000);
  expect(c.user.running).toHaveLength(10);
});

test('the last value that a process broadcasts on a subject reaches each other process once', async () => {
  const a = await started('a', 10);
  const b = await started('b', 10);
  const received: SharedState[] = [];
  b.keeper.board.subscribe((sharedState) => received.push(sharedState));
  a.keeper.board.broadcast({ subject: 's', value: '1', forMs: 60_000 });
  a.keeper.board.broadcast({ subject: 's', value: '2', forMs: 60_000 });
  await advance(500);
  expect(received).toMatchObject([{ subject: 's', value: '2' }]);
  await advance(5000);
  expect(received).toHaveLength(1);
  const late: SharedState[] = [];
  const c = await started('c', 10);
  c.keeper.board.subscribe((sharedState) => late.push(sharedState));
  await advance(2000);
  expect(received).toHaveLength(1);
});

test('a process that leaves frees all its slots for the others at once', async () => {
  const a = await started('a', 10);
  a.user.enqueue('x', 10);
  await advance(10);
  const b = await started('b', 10);
  b.user.enqueue('y', 10);
  await advance(10);
  expect(b.user.running).toHaveLength(0);
  a.user.line.length = 0;
  a.user.end(10);
  await a.keeper.stop();
  await advance(10);
  expect(b.user.running).toHaveLength(10);
});

test('a process that leaves while a report is in flight is not in the lease book afterwards', async () => {
  const a = await started('a', 10);
  a.user.enqueue('x', 10);
  await advance(10);
  const onItsWay = Promise.withResolvers<void>();
  const { report } = a.arbiter;
  Object.assign(a.arbiter, { report: (message: Report) => onItsWay.promise.then(() => report(message)) });
  await advance(1000);
  a.user.line.length = 0;
  a.user.end(10);
  const stopped = a.keeper.stop();
  await advance(10);
  onItsWay.resolve();
  await stopped;
  expect(await arbiter.overview()).toEqual([]);
});

test('a process whose report is never answered leaves all the same', async () => {
  const a = await started('a', 10);
  const lost = Promise.withResolvers<never>();
  Object.assign(a.arbiter, { report: () => lost.promise });
  await advance(1000);
  const stopped = a.keeper.stop();
  await advance(5000);
  await stopped;
  expect(await arbiter.overview()).toEqual([]);
  lost.reject(new Error('out of reach'));
});

test('shared state from while the arbiter was away is broadcast later, unless it has expired', async () => {
  const a = await started('a', 10);
  const b = await started('b', 10);
  const received: SharedState[] = [];
  b.keeper.board.subscribe((sharedState) => received.push(sharedState));
  isAway = true;
  await advance(1000);
  a.keeper.board.broadcast({ subject: 'short', value: '1', forMs: 20_000 });
  a.keeper.board.broadcast({ subject: 'long', value: '1', forMs: 60_000 });
  await advance(30_000, 50);
  isAway = false;
  await advance(3000);
  expect(received).toMatchObject([{ subject: 'long', value: '1' }]);
  expect(received[0]!.forMs).toBeLessThan(30_000);
  expect(received[0]!.forMs).toBeGreaterThan(25_000);
});

let pids = 0;

async function started(process: string, limit: number, more: Partial<LeaseKeeperParts> = {}) {
  const pid = (pids += 1);
  const own = { ...arbiter };
  const keeper = new LeaseKeeper({
    clock,
    arbiter: own,
    process,
    host: { machine: 'here', pid },
    changed: (status) => statuses.push(status),
    ...more,
  });
  keepers.push(keeper);
  const user = new TestUser(keeper.slots('provider'), limit);
  await keeper.start();
  return { keeper, user, pid, arbiter: own };
}

/** Ends the process without calling `leave` at the arbiter. */
async function crash({ keeper, arbiter: own }: { keeper: LeaseKeeper; arbiter: Arbiter }): Promise<void> {
  Object.assign(own, { leave: () => Promise.resolve() });
  await keeper.stop();
}

/** Advances the time in small steps, so that replies arrive in between. */
async function advance(durationMs: number, stepMs = 5): Promise<void> {
  for (let passed = 0; passed < durationMs; passed += stepMs) {
    clock.advance(stepMs);
    for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
  }
}
