import { beforeEach, expect, test } from 'vitest';
import { InvariantViolation } from 'chat-formats/assert.ts';
import type { Arbiter } from './arbiter.ts';
import { memoryArbiter } from './memory-arbiter.ts';

const limit = 10;
const hourMs = 3_600_000;
let nowMs: number;
let arbiter: Arbiter;
let numbers: Map<string, number>;
beforeEach(() => {
  nowMs = 10 * hourMs;
  numbers = new Map();
  arbiter = memoryArbiter(() => nowMs);
});

test('when the arbiter’s clock is set forward, no process gets slots that others still hold', async () => {
  await pass(2, async () => {
    await report('a', { running: 9, waiting: 0 });
    await report('b', { running: 1, waiting: 20 });
  });
  nowMs += hourMs;
  expect(await report('b', { running: 1, waiting: 20 })).toBe(1);
  await pass(60, () => report('b', { running: 1, waiting: 20 }));
  expect(await report('b', { running: 1, waiting: 20 })).toBe(limit);
});

test('when the arbiter’s clock is set back, a live process is not removed and an ended one is removed in time', async () => {
  await report('a', { running: 0, waiting: 20 });
  await report('dead', { running: 5, waiting: 0 });
  await report('slow', { running: 2, waiting: 0 });
  nowMs -= hourMs;
  await pass(5, () => report('a', { running: 3, waiting: 20 }));
  expect(await members()).toEqual(['a', 'dead', 'slow']);
  await report('slow', { running: 2, waiting: 0 });
  await pass(45, async () => {
    await report('a', { running: 3, waiting: 20 });
    await report('slow', { running: 2, waiting: 0 });
  });
  expect(await members()).toEqual(['a', 'slow']);
});

test.each([
  ['its slots', { has: Number.NaN, running: 1, waiting: 0 }],
  ['its demand', { has: 0, running: -4, waiting: 1 }],
])('a report with an invalid count of %s is rejected and changes nothing', async (_what, counts) => {
  await report('a', { running: 3, waiting: 20 });
  await report('b', { running: 2, waiting: 20 });
  const before = await arbiter.overview();
  await expect(report('b', counts)).rejects.toThrow(InvariantViolation);
  expect(await arbiter.overview()).toEqual(before);
});

async function members(): Promise<readonly string[]> {
  return (await arbiter.overview()).map(({ process }) => process).toSorted();
}

async function pass(seconds: number, each: () => Promise<unknown>): Promise<void> {
  for (let second = 0; second < seconds; second += 1) {
    nowMs += 1000;
    await each();
  }
}

/** Sends a report, and returns how many slots the process may use. */
async function report(process: string, counts: { running: number; waiting: number; has?: number }): Promise<number> {
  const { running, waiting, has = running } = counts;
  const number = (numbers.get(process) ?? 0) + 1;
  numbers.set(process, number);
  const accounts = [{ id: `of ${process}`, weight: 1, running, waiting }];
  const resource = { name: 'provider', limit, has, running, waiting, accounts };
  const host = { machine: 'here', pid: 1 };
  const reply = await arbiter.report({
    process,
    host,
    number,
    resources: [resource],
    dead: [],
    sharedState: [],
    sharedStateSeen: 0,
  });
  return reply.resources[0]?.may ?? 0;
}
