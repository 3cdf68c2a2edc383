import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { systemClock } from '../../../core/time/clock.ts';
import type { Candidate } from '../candidates/candidates.ts';
import { enterAny } from './enter-any.ts';
import { QueueLimit } from '../fair-queue/queue-limit.ts';
import type { WaitOptions } from '../queue/slot.ts';
import { UpstreamQueue } from '../queue/upstream-queue.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const demand = (accountId: string) => ({ accountId, keyId: 'k', weight: 1, cost: 1, bytes: 10 });

/** Upstreams of one slot each, all taken. */
function fixture(count: number, requests = 100) {
  const queueLimit = new QueueLimit(() => ({ requests, bytes: 1e9 }));
  const queues = Array.from({ length: count }, () => new UpstreamQueue({ clock: systemClock, queueLimit, max: 1 }));
  const slots = queues.map((queue) => queue.tryEnter(demand('first')));
  const candidate = { route: { model: 'm' }, credential: { noEvidence: vi.fn() } } as unknown as Candidate;
  const enter = (accountId: string, signal = new AbortController().signal) => {
    const entries = queues.map((queue, index) => async (wait: WaitOptions) => {
      const slot = await queue.enter(demand(accountId), wait);
      return slot && { candidate, slot, sinceMs: index, pauseMs: 0 };
    });
    return enterAny(entries, { signal, deadlineMs: systemClock.elapsed() + 1000 });
  };
  const waiting = () => queues.map((queue) => queue.waiting);
  return { queueLimit, queues, slots, enter, waiting, noEvidence: candidate.credential.noEvidence };
}

test('a request that waits at several upstreams has one queue entry, and none once one of them serves it', async () => {
  const { queueLimit, queues, slots, enter, waiting } = fixture(3);
  const entered = enter('a');
  expect([queueLimit.requests, queueLimit.bytes, waiting()]).toEqual([1, 10, [1, 1, 1]]);
  slots[1]?.release();
  const dispatch = await entered;
  expect(dispatch?.sinceMs).toBe(1);
  expect([queueLimit.requests, queueLimit.bytes, waiting()]).toEqual([0, 0, [0, 0, 0]]);
  dispatch?.slot.release();
  for (const index of [0, 2]) slots[index]?.release();
  expect(queues.map((queue) => queue.running)).toEqual([0, 0, 0]);
  expect(vi.getTimerCount()).toBe(0);
});

test('if two slots are granted at the same moment, one of them and its candidate are released', async () => {
  const { queues, slots, enter, noEvidence } = fixture(2);
  const entered = enter('a');
  for (const slot of slots) slot?.release();
  const dispatch = await entered;
  await vi.advanceTimersByTimeAsync(0);
  expect(queues.reduce((sum, queue) => sum + queue.running, 0)).toBe(1);
  expect(noEvidence).toHaveBeenCalledExactlyOnceWith('m');
  dispatch?.slot.release();
});

test('a request that the queue limit rejects leaves every upstream', async () => {
  const { queueLimit, enter, waiting } = fixture(2, 2);
  const outcomes = [enter('a'), enter('a')].map((entered) => entered.catch((error: unknown) => error));
  expect(queueLimit.requests).toBe(2);
  const light = enter('b').catch((error: unknown) => error);
  expect(await outcomes[1]).toMatchObject({ case: 'overloaded' });
  expect([queueLimit.requests, waiting()]).toEqual([2, [2, 2]]);
  await vi.advanceTimersByTimeAsync(1000);
  for (const each of [outcomes[0], light]) expect(await each).toMatchObject({ case: 'overloaded' });
  expect([queueLimit.requests, queueLimit.bytes, waiting()]).toEqual([0, 0, [0, 0]]);
  expect(vi.getTimerCount()).toBe(0);
});

test('a client that leaves releases its one queue entry', async () => {
  const { queueLimit, enter, waiting } = fixture(2);
  const client = new AbortController();
  const entered = enter('a', client.signal);
  client.abort(new Error('gone'));
  await expect(entered).rejects.toThrow('gone');
  expect([queueLimit.requests, waiting()]).toEqual([0, [0, 0]]);
});
