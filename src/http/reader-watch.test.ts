import { beforeEach, expect, test } from 'vitest';
import { type HandClock, handClock } from '../../test/hand-clock.ts';
import { ReaderWatch } from './reader-watch.ts';

const stallMs = 60_000;
let clock: HandClock;
let taken: number;
let stalls: number;
let watch: ReaderWatch;
beforeEach(() => {
  clock = handClock();
  taken = 0;
  stalls = 0;
  watch = new ReaderWatch({ clock, stallMs, taken: () => taken, stalled: () => (stalls += 1) });
});

test('a reader that takes nothing has stopped when the time is over, however often it is written to', () => {
  for (let second = 0; second < 60; second += 10) {
    watch.wrote();
    clock.pass(10_000 - 1);
    expect(stalls).toBe(0);
    clock.pass(1);
  }
  expect(stalls).toBe(1);
  expect(clock.pending).toBe(0);
});

test('a reader that takes a little again and again has not stopped; after its last bite the time counts anew', () => {
  watch.wrote();
  for (let bites = 0; bites < 20; bites += 1) {
    clock.pass(stallMs - 1);
    taken += 1;
  }
  clock.pass(stallMs / 4);
  expect(stalls).toBe(0);
  clock.pass(stallMs);
  expect(stalls).toBe(1);
});

test('a reader that took everything is not watched until it is written to again', () => {
  watch.wrote();
  clock.pass(stallMs - 1);
  watch.drained();
  clock.pass(10 * stallMs);
  watch.wrote();
  clock.pass(stallMs - 1);
  expect([stalls, clock.pending]).toEqual([0, 1]);
  clock.pass(1);
  expect(stalls).toBe(1);
});
