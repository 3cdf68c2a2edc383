import { expect, test } from 'vitest';
import { jumpingClock } from '../../test/jumping-clock.ts';
import { Turnstile } from './turnstile.ts';

test('of many at once a few pass now and a few every moment, in the order they came', () => {
  const clock = jumpingClock();
  const turnstile = new Turnstile(clock);
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
  const turnstile = new Turnstile(clock);
  let passed = 0;
  for (let each = 1; each <= 30; each += 1) {
    turnstile.pass(() => (passed += 1));
    expect(passed).toBe(each);
    clock.jump(1);
  }
});

test('who passes may be followed by others at once', () => {
  const clock = jumpingClock();
  const turnstile = new Turnstile(clock);
  const passed: string[] = [];
  turnstile.pass(() => {
    passed.push('first');
    turnstile.pass(() => passed.push('second'));
  });
  expect(passed).toEqual(['first', 'second']);
});
