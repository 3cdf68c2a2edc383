import { beforeEach, expect, test } from 'vitest';
import { type HandClock, handClock } from '../../test/hand-clock.ts';
import { ReaderWatch } from './slow-client-timeout.ts';

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

test('a client that reads nothing times out, however often the gateway writes to it', () => {
  for (let second = 0; second < 60; second += 10) {
    watch.wrote();
    clock.pass(10_000 - 1);
    expect(stalls).toBe(0);
    clock.pass(1);
  }
  expect(stalls).toBe(1);
  expect(clock.pending).toBe(0);
});

test('a client that keeps reading a little does not time out; each read restarts the timeout', () => {
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

test('a client that has read everything is not watched until the next write', () => {
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
