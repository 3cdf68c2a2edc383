import { expect, test } from 'vitest';
import { Turnstile } from './turnstile.ts';

/** A turnstile whose work takes as long as it says, in an event loop that is turned by hand. */
function turnstile() {
  let nowMs = 0;
  let turns: (() => void)[] = [];
  const [passed, mistakes]: [number[], unknown[]] = [[], []];
  const gate = new Turnstile({
    elapsed: () => nowMs,
    nextTurn: (work) => void turns.push(work),
    onTrouble: (error) => void mistakes.push(error),
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
    turn() {
      const due = turns;
      turns = [];
      for (const work of due) work();
      return due.length;
    },
  };
}

test('of many at once a few pass in every turn, as time allows, in the order they came', () => {
  const gate = turnstile();
  for (let each = 0; each < 10; each += 1) gate.pass(each, { tookMs: 0.2 });
  expect(gate.passed).toEqual([0, 1, 2]);
  expect(gate.turn()).toBe(1);
  expect(gate.passed).toEqual([0, 1, 2, 3, 4, 5]);
  gate.pass(10);
  expect(gate.passed).toHaveLength(6);
  while (gate.turn() > 0);
  expect(gate.passed).toEqual(Array.from({ length: 11 }, (_, each) => each));
});

test('who comes after a while passes at once, however often, and without a turn', () => {
  const gate = turnstile();
  for (let each = 1; each <= 30; each += 1) {
    gate.pass(each, { tookMs: 1 });
    expect(gate.passed).toHaveLength(each);
    gate.wait(1);
  }
  expect(gate.turn()).toBe(0);
});

test('work that takes no time passes however much of it there is', () => {
  const gate = turnstile();
  for (let each = 1; each <= 100; each += 1) gate.pass(each);
  expect(gate.passed).toHaveLength(100);
});

test('who waits may be followed by others, who wait behind all that wait already', () => {
  const gate = turnstile();
  gate.pass(1, { tookMs: 1 });
  gate.pass(2, { after: () => gate.pass(4) });
  gate.pass(3);
  while (gate.turn() > 0);
  expect(gate.passed).toEqual([1, 2, 3, 4]);
});

test('a mistake with one is told, and keeps nobody else from passing', () => {
  const gate = turnstile();
  const mistake = new Error('nobody expected this');
  const after = () => {
    throw mistake;
  };
  gate.pass(1, { tookMs: 1, after });
  gate.pass(2, { after });
  gate.pass(3);
  gate.turn();
  expect([gate.passed, gate.mistakes]).toEqual([
    [1, 2, 3],
    [mistake, mistake],
  ]);
});
