import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { systemClock } from '../../../core/time/clock.ts';
import { sampleCharactersMax } from './counted-sample.ts';
import type { ThreadEvents } from '../../../core/fair-thread.ts';
import { tokenCounter } from './token-counter.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A counter whose threads count on command, 7 tokens per text. */
function handCounted() {
  const threads: { events: ThreadEvents<readonly number[]>; received: string[]; isEnded: boolean }[] = [];
  const counter = tokenCounter(systemClock, (events) => {
    const thread = { events, received: [] as string[], isEnded: false };
    threads.push(thread);
    return {
      send: (texts) => void thread.received.push(...texts),
      end: () => Promise.resolve((thread.isEnded = true)),
    };
  });
  const count = (text: string, party = 'ann') => counter.count([text], party).then(({ tokens }) => tokens[0]);
  const answer = (): void => threads.at(-1)?.events.answered([7]);
  return { counter, threads, count, answer };
}

/** Four characters per token. */
const estimate = (text: string) => Math.ceil(text.length / 4);

test('a stuck thread is replaced, and only the count it was working on is estimated', async () => {
  const { threads, count, answer } = handCounted();
  const [stuck, next] = [count('stuck', 'ann'), count('next', 'bob')];
  threads[0]!.events.ready();
  await vi.advanceTimersByTimeAsync(2000);
  expect(await stuck).toBe(estimate('stuck'));
  expect(threads.map(({ isEnded }) => isEnded)).toEqual([true, false]);
  threads[1]!.events.ready();
  answer();
  expect(await next).toBe(7);
});

test('if no thread can be started, the count is estimated and the next count tries again', async () => {
  let tries = 0;
  const counter = tokenCounter(systemClock, () => {
    tries += 1;
    throw new Error('no descriptor left');
  });
  expect(await counter.count(['first'], 'ann')).toEqual({ tokens: [estimate('first')], source: 'estimated' });
  expect(await counter.count(['second'], 'ann')).toEqual({ tokens: [estimate('second')], source: 'estimated' });
  expect(tries).toBe(2);
});

test('a count waits for the vocabulary, so that the same text always has the same count', async () => {
  const { counter, threads, answer } = handCounted();
  const first = counter.count(['the same'], 'ann');
  await vi.advanceTimersByTimeAsync(29_000);
  threads[0]!.events.ready();
  answer();
  expect(await first).toEqual({ tokens: [7], source: 'counted' });
  const second = counter.count(['the same'], 'ann');
  answer();
  expect(await second).toEqual({ tokens: [7], source: 'counted' });
});

test('if the vocabulary does not load in time, the counts are estimates and marked as such', async () => {
  const { counter, threads } = handCounted();
  const counts = [counter.count(['one text'], 'ann'), counter.count(['another'], 'bob')];
  await vi.advanceTimersByTimeAsync(30_000);
  expect(await Promise.all(counts)).toEqual([
    { tokens: [estimate('one text')], source: 'estimated' },
    { tokens: [estimate('another')], source: 'estimated' },
  ]);
  expect(threads.map(({ isEnded }) => isEnded)).toEqual([true]);
});

test('once the vocabulary has loaded, a count waits at most 5 s before it is estimated', async () => {
  const { counter, threads } = handCounted();
  void counter.count(['first'], 'ann');
  const behind = Array.from({ length: 5 }, (_, at) => counter.count([`behind ${at}`], 'ann'));
  threads[0]!.events.ready();
  // Each thread hangs on its first text for 2 s; the next thread loads at once.
  for (let turn = 0; turn < 2; turn++) {
    await vi.advanceTimersByTimeAsync(2000);
    threads.at(-1)!.events.ready();
  }
  await vi.advanceTimersByTimeAsync(1000);
  expect((await Promise.all(behind)).map(({ source }) => source)).toEqual(Array(5).fill('estimated'));
  expect(threads).toHaveLength(3);
});

test('parties take turns: one hundred counts of one party do not delay another party', async () => {
  const { threads, count, answer } = handCounted();
  const long = 'x'.repeat(sampleCharactersMax - 1);
  const hog = Array.from({ length: 100 }, () => count(long, 'hog'));
  const light = count('light', 'light');
  threads[0]!.events.ready();
  answer();
  answer();
  expect(threads[0]!.received.slice(0, 2)).toEqual([long, 'light']);
  expect(await light).toBe(7);
  for (let turn = 0; turn < 100; turn++) answer();
  const counts = await Promise.all(hog);
  expect(counts.filter((tokens) => tokens === 7)).toHaveLength(63);
});

test('above the queue limit, a count is estimated at once', async () => {
  const { count } = handCounted();
  for (let at = 0; at < 254; at++) void count('x'.repeat(sampleCharactersMax), `party ${at}`);
  const long = 'x'.repeat(sampleCharactersMax);
  expect(await count(long, 'late')).toBe(estimate(long));
});

test('of a long text, evenly spaced slices are counted', async () => {
  const { threads, count, answer } = handCounted();
  const text = `${'a'.repeat(sampleCharactersMax)}${'b'.repeat(sampleCharactersMax)}`;
  const tokens = count(text);
  threads[0]!.events.ready();
  answer();
  const received = threads[0]!.received[0]!;
  expect(received).toHaveLength(sampleCharactersMax);
  expect([received[0], received.at(-1), received.replaceAll('b', '').length]).toEqual([
    'a',
    'b',
    sampleCharactersMax / 2,
  ]);
  expect(await tokens).toBe(14);
});

test('if a thread dies before it is ready, all waiting counts are estimated', async () => {
  const { threads, count } = handCounted();
  const both = [count('one', 'ann'), count('two', 'bob')];
  threads[0]!.events.ended();
  expect(await Promise.all(both)).toEqual([1, 1]);
  expect(threads).toHaveLength(1);
});

test('when the counter stops, waiting counts are estimated', async () => {
  const { counter, threads, count } = handCounted();
  const waiting = count('one');
  await counter.stop();
  expect(await waiting).toBe(1);
  expect(threads[0]!.isEnded).toBe(true);
});
