import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { systemClock } from '../core/clock.ts';
import { enterAny } from './enter-any.ts';
import { WaitingRoom } from './fair-queue/waiting-room.ts';
import { upstreamQueue } from './upstream-queue.ts';
import type { LiveUpstream } from './candidates.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const demand = (accountId: string) => ({ accountId, keyId: 'k', weight: 1, cost: 1, bytes: 10 });

/** Upstreams of one place each, all taken. */
function fixture(count: number, requests = 100) {
  const room = new WaitingRoom(() => ({ requests, bytes: 1e9 }));
  const upstreams = Array.from({ length: count }, (): LiveUpstream => {
    const queue = upstreamQueue({ clock: systemClock, room, max: 1 });
    const adapter = { name: 'u', credentials: 1, open: () => Promise.reject(new Error('unused')), close: () => {} };
    return { queue, credentials: [], adapter };
  });
  const places = upstreams.map(({ queue }) => queue.tryEnter(demand('first')));
  const enter = (accountId: string, signal = new AbortController().signal) =>
    enterAny(upstreams, demand(accountId), { signal, deadlineMs: systemClock.elapsed() + 1000 });
  const waiting = () => upstreams.map(({ queue }) => queue.waiting);
  return { room, upstreams, places, enter, waiting };
}

test('who waits at several upstreams takes one seat, and none when it is served at any of them', async () => {
  const { room, upstreams, places, enter, waiting } = fixture(3);
  const entered = enter('a');
  expect([room.requests, room.bytes, waiting()]).toEqual([1, 10, [1, 1, 1]]);
  places[1]?.leave();
  const { upstream, place } = await entered;
  expect(upstream).toBe(upstreams[1]);
  expect([room.requests, room.bytes, waiting()]).toEqual([0, 0, [0, 0, 0]]);
  place.leave();
  for (const each of places) each?.leave();
  expect(upstreams.map(({ queue }) => queue.running)).toEqual([0, 0, 0]);
  expect(vi.getTimerCount()).toBe(0);
});

test('who is sent away for want of room leaves every upstream', async () => {
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
