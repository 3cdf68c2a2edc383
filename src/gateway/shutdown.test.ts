import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { shutdown } from './shutdown.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

/** A gateway whose last clients read nothing, and whose last requests are never written down. */
function stubborn() {
  const drained = Promise.withResolvers<void>();
  const begunMs = performance.now();
  const done: (readonly [what: string, afterMs: number])[] = [];
  const note = (what: string): void => void done.push([what, performance.now() - begunMs]);
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
    endAll: () => {},
    settled: (timeoutMs: number) => new Promise<void>((resolve) => void setTimeout(resolve, timeoutMs)),
  };
  const ending = shutdown({
    clock: { elapsed: () => performance.now() },
    server,
    running,
    replays: { stop: () => {} },
  });
  return { ending, done, passedMs: () => performance.now() - begunMs };
}

test.each([0, 3000, 600_000])('whatever hangs, all is over 25 s after a grace of %i ms', async (graceMs) => {
  const { ending, passedMs } = stubborn();
  const over = ending.within(graceMs);
  await vi.runAllTimersAsync();
  await over;
  // What is left may take what is left of the time, and not a minute of its own.
  expect(passedMs() + ending.leftMs(60_000)).toBe(graceMs + 25_000);
});

test('a worker that lets its clients finish is over in time too', async () => {
  const { ending, passedMs } = stubborn();
  const over = ending.unhurried(5000);
  await vi.runAllTimersAsync();
  await over;
  expect(passedMs() + ending.leftMs(60_000)).toBe(5000 + 25_000);
});

test('who is told again to stop has less time', async () => {
  const { ending, passedMs } = stubborn();
  const over = ending.within(600_000);
  await vi.advanceTimersByTimeAsync(1000);
  void ending.within(0);
  await vi.runAllTimersAsync();
  await over;
  expect(passedMs() + ending.leftMs(60_000)).toBe(1000 + 25_000);
});

test('who has read nothing since it began is let go before those who read slowly', async () => {
  const { ending, done } = stubborn();
  void ending.within(600_000);
  await vi.advanceTimersByTimeAsync(2000);
  void ending.within(1000);
  await vi.runAllTimersAsync();
  expect(done).toEqual([
    ['note', 0],
    ['cut the stopped', 4000],
    ['cut all', 8000],
  ]);
});
