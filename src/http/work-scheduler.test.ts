import { expect, test } from 'vitest';
import { WorkScheduler } from './work-scheduler.ts';

/** A work scheduler with work of stated duration, and an event loop that the test turns. */
function workScheduler() {
  let nowMs = 0;
  let turns: (() => void)[] = [];
  const [passed, mistakes]: [number[], unknown[]] = [[], []];
  const gate = new WorkScheduler({
    elapsed: () => nowMs,
    nextTurn: (work) => void turns.push(work),
    onError: (error) => void mistakes.push(error),
  });
  return {
    passed,
    mistakes,
    pass: (name: number, { tookMs = 0, after = () => {} } = {}) =>
      gate.pass(() => {
        passed.push(name);
        nowMs += tookMs;
        after();
      }),
    wait: (ms: number) => void (nowMs += ms),
    arrived: () => gate.arrived(),
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
  const gate = workScheduler();
  for (let each = 0; each < 10; each += 1) gate.pass(each, { tookMs: 0.2 });
  expect(gate.passed).toEqual([0, 1, 2]);
  await gate.turn();
  expect(gate.passed).toEqual([0, 1, 2, 3, 4, 5]);
  gate.pass(10);
  expect(gate.passed).toHaveLength(6);
  while ((await gate.turn()) > 0);
  expect(gate.passed).toEqual(Array.from({ length: 11 }, (_, each) => each));
});

test('work that arrives after a pause runs at once, without a turn', async () => {
  const gate = workScheduler();
  for (let each = 1; each <= 30; each += 1) {
    gate.pass(each, { tookMs: 1 });
    expect(gate.passed).toHaveLength(each);
    gate.wait(1);
  }
  expect(await gate.turn()).toBe(0);
});

test('the time of promises counts, whether work runs at once or in a later turn', async () => {
  const gate = workScheduler();
  const later = (): void => void Promise.resolve().then(() => gate.wait(0.3));
  for (let each = 0; each < 10; each += 1) {
    gate.pass(each, { after: later });
    await Promise.resolve();
  }
  expect(gate.passed).toEqual([0, 1]);
  await gate.turn();
  await gate.turn();
  expect(gate.passed).toEqual([0, 1, 2, 3, 4, 5]);
  while ((await gate.turn()) > 0);
  expect(gate.passed).toHaveLength(10);
});

test('work waits a few turns while clients connect, but never forever', async () => {
  const gate = workScheduler();
  gate.arrived();
  gate.pass(1, { tookMs: 1 });
  gate.pass(2, { tookMs: 1 });
  const seen: number[] = [];
  for (let turns = 0; turns < 20; turns += 1) {
    gate.arrived();
    await gate.turn();
    seen.push(gate.passed.length);
  }
  expect([seen[7], seen[8], seen[16], seen[17]]).toEqual([0, 1, 1, 2]);
  gate.pass(3);
  for (let turns = 0; turns < 3; turns += 1) await gate.turn();
  expect(gate.passed).toEqual([1, 2, 3]);
});

test('any amount of work that takes no time runs at once', () => {
  const gate = workScheduler();
  for (let each = 1; each <= 100; each += 1) gate.pass(each);
  expect(gate.passed).toHaveLength(100);
});

test('work that is added during other work runs after all queued work', async () => {
  const gate = workScheduler();
  gate.pass(1, { tookMs: 1 });
  gate.pass(2, { after: () => gate.pass(4) });
  gate.pass(3);
  while ((await gate.turn()) > 0);
  expect(gate.passed).toEqual([1, 2, 3, 4]);
});

test('an error in one piece of work is reported, and the others still run', async () => {
  const gate = workScheduler();
  const mistake = new Error('unexpected');
  const after = () => {
    throw mistake;
  };
  gate.pass(1, { tookMs: 1, after });
  gate.pass(2, { after });
  gate.pass(3);
  while ((await gate.turn()) > 0);
  expect([gate.passed, gate.mistakes]).toEqual([
    [1, 2, 3],
    [mistake, mistake],
  ]);
});
