import { expect, test } from 'vitest';
import { WorkScheduler } from './work-scheduler.ts';

/** A work scheduler with work of stated duration, and an event loop that the test turns. */
function workScheduler() {
  let nowMs = 0;
  let turns: (() => void)[] = [];
  const [passed, errors]: [number[], unknown[]] = [[], []];
  const scheduler = new WorkScheduler({
    elapsed: () => nowMs,
    nextTurn: (work) => void turns.push(work),
    onError: (error) => void errors.push(error),
  });
  return {
    passed,
    errors,
    pass: (name: number, { tookMs = 0, after = () => {} } = {}) =>
      scheduler.pass(() => {
        passed.push(name);
        nowMs += tookMs;
        after();
      }),
    wait: (ms: number) => void (nowMs += ms),
    arrived: () => scheduler.arrived(),
    /** Returns the number of callbacks that ran. */
    async turn() {
      const due = turns;
      turns = [];
      for (const work of due) {
        work();
        // Let all promises settle before the next callback.
        await new Promise((resolve) => setImmediate(resolve));
      }
      return due.length;
    },
  };
}

test('work that arrives at once runs in order, in each turn as much as the budget allows', async () => {
  const scheduler = workScheduler();
  for (let each = 0; each < 10; each += 1) scheduler.pass(each, { tookMs: 0.2 });
  expect(scheduler.passed).toEqual([0, 1, 2]);
  await scheduler.turn();
  expect(scheduler.passed).toEqual([0, 1, 2, 3, 4, 5]);
  scheduler.pass(10);
  expect(scheduler.passed).toHaveLength(6);
  while ((await scheduler.turn()) > 0);
  expect(scheduler.passed).toEqual(Array.from({ length: 11 }, (_, each) => each));
});

test('work that arrives after a pause runs at once, without a turn', async () => {
  const scheduler = workScheduler();
  for (let each = 1; each <= 30; each += 1) {
    scheduler.pass(each, { tookMs: 1 });
    expect(scheduler.passed).toHaveLength(each);
    scheduler.wait(1);
  }
  expect(await scheduler.turn()).toBe(0);
});

test('the time of promises counts, whether work runs at once or in a later turn', async () => {
  const scheduler = workScheduler();
  const later = (): void => void Promise.resolve().then(() => scheduler.wait(0.3));
  for (let each = 0; each < 10; each += 1) {
    scheduler.pass(each, { after: later });
    await Promise.resolve();
  }
  expect(scheduler.passed).toEqual([0, 1]);
  await scheduler.turn();
  await scheduler.turn();
  expect(scheduler.passed).toEqual([0, 1, 2, 3, 4, 5]);
  while ((await scheduler.turn()) > 0);
  expect(scheduler.passed).toHaveLength(10);
});

test('work waits a few turns while clients connect, but never forever', async () => {
  const scheduler = workScheduler();
  scheduler.arrived();
  scheduler.pass(1, { tookMs: 1 });
  scheduler.pass(2, { tookMs: 1 });
  const seen: number[] = [];
  for (let turns = 0; turns < 20; turns += 1) {
    scheduler.arrived();
    await scheduler.turn();
    seen.push(scheduler.passed.length);
  }
  expect([seen[7], seen[8], seen[16], seen[17]]).toEqual([0, 1, 1, 2]);
  scheduler.pass(3);
  for (let turns = 0; turns < 3; turns += 1) await scheduler.turn();
  expect(scheduler.passed).toEqual([1, 2, 3]);
});

test('any amount of work that takes no time runs at once', () => {
  const scheduler = workScheduler();
  for (let each = 1; each <= 100; each += 1) scheduler.pass(each);
  expect(scheduler.passed).toHaveLength(100);
});

test('work that is added during other work runs after all queued work', async () => {
  const scheduler = workScheduler();
  scheduler.pass(1, { tookMs: 1 });
  scheduler.pass(2, { after: () => scheduler.pass(4) });
  scheduler.pass(3);
  while ((await scheduler.turn()) > 0);
  expect(scheduler.passed).toEqual([1, 2, 3, 4]);
});

test('an error in one piece of work is reported, and the others still run', async () => {
  const scheduler = workScheduler();
  const failure = new Error('unexpected');
  const after = () => {
    throw failure;
  };
  scheduler.pass(1, { tookMs: 1, after });
  scheduler.pass(2, { after });
  scheduler.pass(3);
  while ((await scheduler.turn()) > 0);
  expect([scheduler.passed, scheduler.errors]).toEqual([
    [1, 2, 3],
    [failure, failure],
  ]);
});
