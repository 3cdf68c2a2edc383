import { expect, test } from 'vitest';
import { jumpingClock } from '../../test/jumping-clock.ts';
import { Turnstile } from './turnstile.ts';

function nobodyExpected(error: unknown): never {
  throw error;
}

test('of many at once a few pass now and a few every moment, in the order they came', () => {
  const clock = jumpingClock();
  const turnstile = new Turnstile(clock, nobodyExpected);
  const passed: number[] = [];
  for (let each = 0; each < 20; each += 1) turnstile.pass(() => passed.push(each));
  expect(passed).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  clock.jump(1);
  expect(passed).toHaveLength(16);
  turnstile.pass(() => passed.push(20));
  expect(passed).toHaveLength(16);
  clock.jump(1);
  expect(passed).toEqual(Array.from({ length: 21 }, (_, each) => each));
});

test('who comes alone passes at once, however often', () => {
  const clock = jumpingClock();
  const turnstile = new Turnstile(clock, nobodyExpected);
  let passed = 0;
  for (let each = 1; each <= 30; each += 1) {
    turnstile.pass(() => (passed += 1));
    expect(passed).toBe(each);
    clock.jump(1);
  }
});

test('who passes may be followed by others at once', () => {
  const clock = jumpingClock();
  const turnstile = new Turnstile(clock, nobodyExpected);
  const passed: string[] = [];
  turnstile.pass(() => {
    passed.push('first');
    turnstile.pass(() => passed.push('second'));
  });
  expect(passed).toEqual(['first', 'second']);
});

test('a mistake with one is told, and keeps nobody else from passing', () => {
  const clock = jumpingClock();
  const heard: unknown[] = [];
  const turnstile = new Turnstile(clock, (error) => heard.push(error));
  const mistake = new Error('nobody expected this');
  let passed = 0;
  for (let each = 0; each < 10; each += 1) {
    turnstile.pass(() => {
      if (each % 9 === 0) throw mistake;
      passed += 1;
    });
  }
  clock.jump(1);
  expect([heard, passed]).toEqual([[mistake, mistake], 8]);
});
