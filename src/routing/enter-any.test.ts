import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { systemClock } from '../core/clock.ts';
import { enterAny } from './enter-any.ts';
import { WaitingRoom } from './fair-queue/waiting-room.ts';
import { laneQueue } from './lane-queue.ts';
import type { Lane } from './options.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const visitor = (accountId: string) => ({ accountId, keyId: 'k', weight: 1, cost: 1, bytes: 10 });

/** Lanes of one place each, all taken. */
function fixture(count: number, requests = 100) {
  const room = new WaitingRoom(() => ({ requests, bytes: 1e9 }));
  const lanes = Array.from({ length: count }, (): Lane => {
    const queue = laneQueue({ clock: systemClock, room, max: 1 });
    const upstream = { name: 'u', credentials: 1, open: () => Promise.reject(new Error('unused')), close: () => {} };
    return { queue, channels: [], upstream };
  });
  const turns = lanes.map(({ queue }) => queue.tryEnter(visitor('first')));
  const enter = (accountId: string, signal = new AbortController().signal) =>
    enterAny(lanes, visitor(accountId), { signal, deadlineMs: systemClock.elapsed() + 1000 });
  const waiting = () => lanes.map(({ queue }) => queue.waiting);
  return { room, lanes, turns, enter, waiting };
}

test('who waits at several lanes takes one seat, and none when it is served at any of them', async () => {
  const { room, lanes, turns, enter, waiting } = fixture(3);
  const entered = enter('a');
  expect([room.requests, room.bytes, waiting()]).toEqual([1, 10, [1, 1, 1]]);
  turns[1]?.leave();
  const { lane, turn } = await entered;
  expect(lane).toBe(lanes[1]);
  expect([room.requests, room.bytes, waiting()]).toEqual([0, 0, [0, 0, 0]]);
  turn.leave();
  for (const each of turns) each?.leave();
  expect(lanes.map(({ queue }) => queue.running)).toEqual([0, 0, 0]);
  expect(vi.getTimerCount()).toBe(0);
});

test('who is sent away for want of room leaves every lane', async () => {
  const { room, enter, waiting } = fixture(2, 2);
  const outcomes = [enter('a'), enter('a')].map((entered) => entered.catch((error: unknown) => error));
  expect(room.requests).toBe(2);
  const light = enter('b').catch((error: unknown) => error);
  expect(await outcomes[1]).toMatchObject({ case: 'overloaded' });
  expect([room.requests, waiting()]).toEqual([2, [2, 2]]);
  await vi.advanceTimersByTimeAsync(1000);
  for (const each of [outcomes[0], light]) expect(await each).toMatchObject({ case: 'overloaded' });
  expect([room.requests, room.bytes, waiting()]).toEqual([0, 0, [0, 0]]);
  expect(vi.getTimerCount()).toBe(0);
});

test('a client that leaves gives its one seat back', async () => {
  const { room, enter, waiting } = fixture(2);
  const client = new AbortController();
  const entered = enter('a', client.signal);
  client.abort(new Error('gone'));
  await expect(entered).rejects.toThrow('gone');
  expect([room.requests, waiting()]).toEqual([0, [0, 0]]);
});
