import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type ManualClock, manualClock } from '../../../../test/clocks/manual-clock.ts';
import type { Arbiter } from '../../../platform/cluster/arbiter.ts';
import { LeaseKeeper } from '../../../platform/cluster/lease-keeper.ts';
import { memoryArbiter } from '../../../platform/cluster/memory-arbiter.ts';
import type { KeyHolder } from '../../../core/caller.ts';
import { QueueLimit } from '../fair-queue/queue-limit.ts';
import { type KeySlot, KeySlots, type KeySlotTerms } from './key-slots.ts';

let clock: ManualClock;
let isAway: boolean;
let arbiter: Arbiter;
let alarms: unknown[];
let keepers: LeaseKeeper[];

beforeEach(() => {
  clock = manualClock();
  isAway = false;
  alarms = [];
  keepers = [];
  const inner = memoryArbiter(clock.elapsed);
  const report: Arbiter['report'] = (message) => (isAway ? Promise.reject(new Error('away')) : inner.report(message));
  arbiter = { ...inner, report };
});
afterEach(async () => {
  expect(alarms).toEqual([]);
  await Promise.all(keepers.map((keeper) => keeper.stop()));
});

async function advance(durationMs: number): Promise<void> {
  for (let passed = 0; passed < durationMs; passed += 50) {
    clock.advance(50);
    for (let settling = 0; settling < 4; settling += 1) await nextTurn();
  }
}

const holder = (max: number, firstKeyId = 'first'): KeyHolder => ({
  keyId: 'key',
  keyName: 'key',
  accountId: 'account',
  accountName: 'account',
  packageName: 'standard',
  models: undefined,
  concurrency: { max, firstKeyId },
});

/** One process: requests slots of a key, and releases those it got. */
class Process {
  readonly keySlots: KeySlots;
  readonly #running: KeySlot[] = [];
  max: number | undefined;

  constructor(leases?: LeaseKeeper) {
    const queueLimit = new QueueLimit(() => ({ requests: 1000, bytes: 1e9 }));
    const alarm = (error: unknown) => void alarms.push(error);
    this.keySlots = new KeySlots({ clock, queueLimit, leases, alarm, termsOf: (keyId) => this.#termsOf(keyId) });
  }

  get running(): number {
    return this.#running.length;
  }

  #termsOf(keyId: string): Promise<KeySlotTerms | undefined> {
    const isKnown = keyId === 'key' || keyId === 'rolled';
    return Promise.resolve(isKnown ? { firstKeyId: 'first', max: this.max } : undefined);
  }

  enter(key: KeyHolder, { signal = new AbortController().signal, timeoutMs = 600_000 } = {}) {
    const keySlot = this.keySlots.of(key)!;
    const waits = () => {};
    const outcome: { error?: unknown; timedOutMs?: number } = {};
    const onQueueTimeout = (waitMs: number) => void (outcome.timedOutMs = waitMs);
    keySlot.enter({ signal, deadlineMs: clock.elapsed() + timeoutMs, bytes: 1, waits, onQueueTimeout }).then(
      () => void this.#running.push(keySlot),
      (error: unknown) => {
        outcome.error = error;
        keySlot.leave();
      },
    );
    return outcome;
  }

  end(): void {
    this.#running.shift()?.leave();
  }
}

async function shared(name: string): Promise<Process> {
  const host = { machine: name, pid: 1 };
  const keeper = new LeaseKeeper({ clock, arbiter, process: name, host });
  keepers.push(keeper);
  await keeper.start();
  return new Process(keeper);
}

test('a key without a concurrency limit needs no slot', () => {
  expect(new Process().keySlots.of({ ...holder(1), concurrency: undefined })).toBeUndefined();
});

test('requests beyond the limit wait in order, and one that is aborted or times out frees no slot', async () => {
  const process = new Process();
  const leaving = new AbortController();
  process.enter(holder(2));
  process.enter(holder(2));
  const left = process.enter(holder(2), { signal: leaving.signal });
  const late = process.enter(holder(2), { timeoutMs: 1000 });
  process.enter(holder(2));
  await advance(50);
  expect([process.running, process.keySlots.waiting]).toEqual([2, 3]);
  leaving.abort(new Error('gone'));
  await advance(1000);
  expect(left).toMatchObject({ error: { message: 'gone' }, timedOutMs: expect.any(Number) });
  expect(late).toMatchObject({ error: { case: 'key-busy' }, timedOutMs: 1000 });
  expect([process.running, process.keySlots.waiting]).toEqual([2, 1]);
  process.end();
  await advance(50);
  expect([process.running, process.keySlots.waiting, process.keySlots.taken]).toEqual([2, 0, 2]);
});

test('all keys of a member share the slots of the member, and a request that waits for them keeps no other slot', async () => {
  const process = new Process();
  const of = (firstKeyId: string, max: number) => ({
    ...holder(max, firstKeyId),
    member: { id: 'ann', maxConcurrency: 2 },
  });
  process.enter(of('one', 5));
  process.enter({ ...of('two', 5), concurrency: undefined });
  const late = process.enter(of('one', 5), { timeoutMs: 1000 });
  await advance(50);
  expect([process.running, process.keySlots.waiting, process.keySlots.taken]).toEqual([2, 1, 4]);
  await advance(1000);
  expect(late).toMatchObject({ error: { case: 'key-busy' } });
  // The two members' slots, and the slot of the first key.
  expect([process.keySlots.waiting, process.keySlots.taken]).toEqual([0, 3]);
  process.end();
  process.enter(of('three', 5));
  await advance(50);
  expect(process.running).toBe(2);
});

test('a rotated key shares its slots with the key it replaced', async () => {
  const process = new Process();
  process.enter({ ...holder(1), keyId: 'old' });
  process.enter({ ...holder(1), keyId: 'new' });
  await advance(50);
  expect([process.running, process.keySlots.waiting]).toEqual([1, 1]);
});

test('processes together never use more slots than the key’s limit, and each gets slots', async () => {
  const processes = [await shared('one'), await shared('two'), await shared('three')];
  const served = [0, 0, 0];
  for (const process of processes) for (let requested = 0; requested < 12; requested += 1) process.enter(holder(2));
  for (let round = 0; round < 400; round += 1) {
    await advance(100);
    const running = processes.map((process) => process.running);
    expect(running[0]! + running[1]! + running[2]!).toBeLessThanOrEqual(2);
    for (const [index, process] of processes.entries()) {
      if (running[index] === 0) continue;
      served[index]! += 1;
      process.end();
    }
  }
  expect(served).toEqual([12, 12, 12]);
});

test('without the arbiter a process uses its static share, and goes on when the arbiter is back', async () => {
  const [one, two] = [await shared('one'), await shared('two')];
  for (const process of [one, two]) for (let requested = 0; requested < 4; requested += 1) process.enter(holder(2));
  await advance(2000);
  isAway = true;
  for (const process of [one, two]) for (let ended = 0; ended < 2; ended += 1) process.end();
  for (let round = 0; round < 60; round += 1) {
    await advance(1000);
    expect(one.running + two.running).toBeLessThanOrEqual(2);
  }
  expect([one.running, two.running]).toEqual([1, 1]);
  isAway = false;
  for (let round = 0; round < 40; round += 1) {
    await advance(1000);
    expect(one.running + two.running).toBeLessThanOrEqual(2);
    one.end();
    two.end();
  }
  expect([one.keySlots.waiting, two.keySlots.waiting]).toEqual([0, 0]);
});

test('a changed limit applies to waiting requests as soon as the change is received', async () => {
  const process = new Process();
  for (let requested = 0; requested < 4; requested += 1) process.enter(holder(1));
  await advance(50);
  expect(process.running).toBe(1);
  process.max = 3;
  process.keySlots.changed('another');
  process.keySlots.changed('key');
  await advance(50);
  expect(process.running).toBe(3);
  process.max = undefined;
  process.keySlots.changed('key');
  await advance(50);
  expect(process.running).toBe(4);
});

test('a limit that is set again after it was removed applies again', async () => {
  const process = new Process();
  process.enter(holder(1));
  process.enter(holder(1));
  await advance(50);
  process.keySlots.changed('key');
  await advance(50);
  expect(process.running).toBe(2);
  process.enter(holder(1));
  await advance(50);
  expect([process.running, process.keySlots.waiting]).toEqual([2, 1]);
});

test.each(['key', 'rolled', '*'])(
  'a raised limit applies although another process is idle, after a change of %s',
  async (subject) => {
    const [one, two] = [await shared('one'), await shared('two')];
    two.enter(holder(1));
    await advance(2000);
    two.end();
    await advance(2000);
    for (const process of [one, two]) {
      process.max = 3;
      process.keySlots.changed(subject);
    }
    for (let requested = 0; requested < 4; requested += 1) one.enter(holder(3));
    await advance(5000);
    expect([one.running, one.keySlots.waiting]).toEqual([3, 1]);
  },
);

/** A long wait without callbacks. */
const wait = {
  signal: new AbortController().signal,
  deadlineMs: 600_000,
  bytes: 1,
  waits: () => {},
  onQueueTimeout: () => {},
};

test('a limit that is raised between a request and its slot applies to the slot', async () => {
  const process = new Process();
  const early = process.keySlots.of(holder(1))!;
  process.max = 2;
  process.keySlots.changed('key');
  process.enter(holder(2));
  await advance(50);
  void early.enter(wait);
  await advance(50);
  expect([process.keySlots.taken, process.keySlots.waiting]).toEqual([2, 0]);
});

test('a limit that is lowered between requests and their slots applies to all of them', async () => {
  const process = new Process();
  process.enter(holder(2));
  await advance(50);
  const early = [process.keySlots.of(holder(2))!, process.keySlots.of(holder(2))!];
  process.max = 1;
  process.keySlots.changed('key');
  process.enter(holder(1));
  await advance(50);
  for (const keySlot of early) void keySlot.enter(wait);
  await advance(50);
  expect([process.keySlots.taken, process.keySlots.waiting]).toEqual([1, 3]);
});

test('the queues of idle keys are forgotten, except for 64', async () => {
  const process = new Process();
  for (let index = 0; index < 200; index += 1) {
    process.enter(holder(1, `key ${index}`));
    await nextTurn();
    process.end();
    await nextTurn();
  }
  expect(process.keySlots.known).toBeLessThanOrEqual(64);
});
