import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { shutdown } from './shutdown.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

/** A gateway whose last clients read nothing, and whose last requests are never recorded. */
function hangingGateway() {
  const drained = Promise.withResolvers<void>();
  const begunMs = performance.now();
  const done: (readonly [action: string, afterMs: number])[] = [];
  const note = (action: string): void => void done.push([action, performance.now() - begunMs]);
  const server = {
    retire: () => new Promise<never>(() => {}),
    drain: () => drained.promise,
    noteReaders: () => note('note'),
    giveUp: () => {},
    cutStoppedReaders: () => note('cut the stopped'),
    destroy: () => {
      note('cut all');
      drained.resolve();
    },
  };
  const running = {
    endWaiting: () => {},
    endAll: () => note('abort requests'),
    settled: (timeoutMs: number) => new Promise<void>((resolve) => void setTimeout(resolve, timeoutMs)),
  };
  const ending = shutdown({
    clock: { elapsed: () => performance.now() },
    server,
    running,
    replays: { stop: () => {} },
  });
  return { ending, done, passedMs: () => performance.now() - begunMs, clientsLeave: () => drained.resolve() };
}

test.each([0, 3000, 600_000])('a shutdown ends 25 s after a grace period of %i ms, whatever hangs', async (graceMs) => {
  const { ending, passedMs } = hangingGateway();
  const over = ending.within(graceMs);
  await vi.runAllTimersAsync();
  await over;
  // The remaining steps get only the remaining time, not a minute of their own.
  expect(passedMs() + ending.leftMs(60_000)).toBe(graceMs + 25_000);
});

test('a worker that lets its clients finish also ends in time', async () => {
  const { ending, passedMs } = hangingGateway();
  const over = ending.afterClientsLeave(5000);
  await vi.runAllTimersAsync();
  await over;
  expect(passedMs() + ending.leftMs(60_000)).toBe(5000 + 25_000);
});

test('a second stop shortens the grace period', async () => {
  const { ending, passedMs } = hangingGateway();
  const over = ending.within(600_000);
  await vi.advanceTimersByTimeAsync(1000);
  void ending.within(0);
  await vi.runAllTimersAsync();
  await over;
  expect(passedMs() + ending.leftMs(60_000)).toBe(1000 + 25_000);
});

test('a client that has read nothing since the shutdown began is disconnected before slow clients', async () => {
  const { ending, done } = hangingGateway();
  void ending.within(600_000);
  await vi.advanceTimersByTimeAsync(2000);
  void ending.within(1000);
  await vi.runAllTimersAsync();
  expect(done.filter(([action]) => action !== 'abort requests')).toEqual([
    ['note', 0],
    ['cut the stopped', 4000],
    ['cut all', 8000],
  ]);
});

test.each([
  { secondAfterMs: undefined, abortedAfterMs: 60_000 },
  { secondAfterMs: 1000, abortedAfterMs: 1000 },
])('requests without a client are aborted after $abortedAfterMs ms', async ({ secondAfterMs, abortedAfterMs }) => {
  const { ending, done, passedMs, clientsLeave } = hangingGateway();
  const over = ending.within(60_000);
  clientsLeave();
  if (secondAfterMs !== undefined) {
    await vi.advanceTimersByTimeAsync(secondAfterMs);
    void ending.within(0);
  }
  // The fake requests are never recorded.
  await vi.advanceTimersByTimeAsync(60_000 + 10_000);
  await over;
  expect(done.find(([action]) => action === 'abort requests')).toEqual(['abort requests', abortedAfterMs]);
  expect(passedMs()).toBe(70_000 + (secondAfterMs ?? 0));
});
