import { expect, test } from 'vitest';
import { signInQueue } from './sign-in-queue.ts';

const { signal } = new AbortController();
const overloaded = { case: 'overloaded' };

test('attempts for one name are admitted one at a time, in order', async () => {
  const { enter } = signInQueue(4);
  const order: number[] = [];
  const all = [1, 2, 3].map(async (number) => {
    const release = await enter('ann', { party: 'here', signal });
    order.push(number);
    release();
  });
  await Promise.all(all);
  expect(order).toEqual([1, 2, 3]);
});

test('an attempt for another name does not wait', async () => {
  const { enter } = signInQueue(1);
  await enter('ann', { party: 'here', signal });
  await expect(enter('bob', { party: 'here', signal })).resolves.toBeTypeOf('function');
});

test('a party that fills the queue is refused, and another party evicts one of its entries', async () => {
  const { enter } = signInQueue(3);
  const release = await enter('ann', { party: 'crowd', signal });
  const crowd = [1, 2, 3].map(() => enter('ann', { party: 'crowd', signal }));
  await expect(enter('ann', { party: 'crowd', signal })).rejects.toMatchObject(overloaded);
  const lone = enter('ann', { party: 'lone', signal });
  await expect(crowd[2]).rejects.toMatchObject(overloaded);
  release();
  (await crowd[0]!)();
  (await crowd[1]!)();
  await expect(lone).resolves.toBeTypeOf('function');
});

test('an aborted attempt frees its queue entry', async () => {
  const { enter } = signInQueue(1);
  const release = await enter('ann', { party: 'here', signal });
  const leaving = new AbortController();
  const left = enter('ann', { party: 'here', signal: leaving.signal });
  leaving.abort();
  await expect(left).rejects.toMatchObject({ name: 'AbortError' });
  const next = enter('ann', { party: 'here', signal });
  release();
  await expect(next).resolves.toBeTypeOf('function');
  await expect(enter('ann', { party: 'here', signal: leaving.signal })).rejects.toMatchObject({ name: 'AbortError' });
});

test('at most 1000 attempts are in all queues together', async () => {
  const { enter } = signInQueue(4);
  const releases: (() => void)[] = [];
  for (let index = 0; index < 1000; index += 1) releases.push(await enter(`name ${index}`, { party: 'here', signal }));
  await expect(enter('one more', { party: 'here', signal })).rejects.toMatchObject(overloaded);
  releases[0]!();
  await expect(enter('one more', { party: 'here', signal })).resolves.toBeTypeOf('function');
});
