import { beforeEach, expect, test } from 'vitest';
import { type ManualClock, manualClock } from '../../../test/clocks/manual-clock.ts';
import { ReaderWatch } from './slow-client-timeout.ts';

const stallMs = 60_000;
let clock: ManualClock;
let taken: number;
let stalls: number;
let watch: ReaderWatch;
beforeEach(() => {
  clock = manualClock();
  taken = 0;
  stalls = 0;
  watch = new ReaderWatch({ clock, stallMs, taken: () => taken, stalled: () => (stalls += 1) });
});

test('a client that reads nothing times out, however often the gateway writes to it', () => {
  for (let second = 0; second < 60; second += 10) {
    watch.wrote();
    clock.advance(10_000 - 1);
    expect(stalls).toBe(0);
    clock.advance(1);
  }
  expect(stalls).toBe(1);
  expect(clock.pending).toBe(0);
});

test('a client that keeps reading a little does not time out; each read restarts the timeout', () => {
  watch.wrote();
  for (let bites = 0; bites < 20; bites += 1) {
    clock.advance(stallMs - 1);
    taken += 1;
  }
  clock.advance(stallMs / 4);
  expect(stalls).toBe(0);
  clock.advance(stallMs);
  expect(stalls).toBe(1);
});

test('a client that has read everything is not watched until the next write', () => {
  watch.wrote();
  clock.advance(stallMs - 1);
  watch.drained();
  clock.advance(10 * stallMs);
  watch.wrote();
  clock.advance(stallMs - 1);
  expect([stalls, clock.pending]).toEqual([0, 1]);
  clock.advance(1);
  expect(stalls).toBe(1);
});
