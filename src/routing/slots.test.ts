import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { type Release, slots } from './slots.ts';

const never = new AbortController().signal;

test('places are taken at once while there are any', () => {
  const places = slots(2);
  expect(places.tryAcquire()).toBeTypeOf('function');
  expect(places.tryAcquire()).toBeTypeOf('function');
  expect(places.tryAcquire()).toBeUndefined();
  expect(places.running).toBe(2);
});

test('who waits is served in order of arrival', async () => {
  const places = slots(1);
  const release = await places.acquire(never, 1000);
  const order: string[] = [];
  const first = places.acquire(never, 1000).then((next) => (order.push('first'), next()));
  const second = places.acquire(never, 1000).then((next) => (order.push('second'), next()));
  release();
  await Promise.all([first, second]);
  expect(order).toEqual(['first', 'second']);
  expect(places.running).toBe(0);
});

test('a waiting client that leaves is forgotten and never gets a place', async () => {
  const places = slots(1);
  const release = await places.acquire(never, 1000);
  const client = new AbortController();
  const waiting = places.acquire(client.signal, 1000);
  client.abort(new Error('gone'));
  await expect(waiting).rejects.toThrow('gone');
  expect(places.waiting).toBe(0);
  release();
  expect(places.running).toBe(0);
});

test('a wait beyond its bound ends as overload', async () => {
  vi.useFakeTimers();
  try {
    const places = slots(1);
    await places.acquire(never, 1000);
    const waiting = places.acquire(never, 1000).catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(1000);
    expect(await waiting).toMatchObject({ case: 'overloaded' });
    expect(places.waiting).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});

test('more places let the waiting in at once', async () => {
  const places = slots(1);
  await places.acquire(never, 1000);
  const waiting = places.acquire(never, 1000);
  places.resize(2);
  await waiting;
  expect(places.running).toBe(2);
});

test('however places are taken and given back, no more run than there are places', async () => {
  const step = fc.oneof(fc.constant('take' as const), fc.constant('give' as const), fc.constant('give twice' as const));
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 5 }), fc.array(step, { maxLength: 60 }), async (size, steps) => {
      const places = slots(size);
      const held: Release[] = [];
      for (const action of steps) {
        if (action === 'take') void places.acquire(never, 10_000).then((release) => held.push(release));
        else {
          const release = held.shift();
          release?.();
          if (action === 'give twice') release?.();
        }
        await Promise.resolve();
        await Promise.resolve();
        expect(places.running).toBeLessThanOrEqual(size);
      }
      while (held.length > 0) {
        held.shift()?.();
        await Promise.resolve();
        await Promise.resolve();
      }
      expect([places.running, places.waiting]).toEqual([0, 0]);
    }),
  );
});
