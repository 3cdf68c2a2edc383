import { expect, test } from 'vitest';
import { turns } from './turns.ts';

const { signal } = new AbortController();
const overloaded = { case: 'overloaded' };

test('one after another, in the order they came', async () => {
  const { take } = turns(4);
  const order: number[] = [];
  const all = [1, 2, 3].map(async (number) => {
    const end = await take('ann', { party: 'here', signal });
    order.push(number);
    end();
  });
  await Promise.all(all);
  expect(order).toEqual([1, 2, 3]);
});

test('another name does not wait', async () => {
  const { take } = turns(1);
  await take('ann', { party: 'here', signal });
  await expect(take('bob', { party: 'here', signal })).resolves.toBeTypeOf('function');
});

test('beyond its places a party is refused, and another takes one of its places', async () => {
  const { take } = turns(3);
  const end = await take('ann', { party: 'crowd', signal });
  const crowd = [1, 2, 3].map(() => take('ann', { party: 'crowd', signal }));
  await expect(take('ann', { party: 'crowd', signal })).rejects.toMatchObject(overloaded);
  const lone = take('ann', { party: 'lone', signal });
  await expect(crowd[2]).rejects.toMatchObject(overloaded);
  end();
  (await crowd[0]!)();
  (await crowd[1]!)();
  await expect(lone).resolves.toBeTypeOf('function');
});

test('whoever leaves makes room, and holds nobody up', async () => {
  const { take } = turns(1);
  const end = await take('ann', { party: 'here', signal });
  const leaving = new AbortController();
  const left = take('ann', { party: 'here', signal: leaving.signal });
  leaving.abort();
  await expect(left).rejects.toMatchObject({ name: 'AbortError' });
  const next = take('ann', { party: 'here', signal });
  end();
  await expect(next).resolves.toBeTypeOf('function');
  await expect(take('ann', { party: 'here', signal: leaving.signal })).rejects.toMatchObject({ name: 'AbortError' });
});

test('so many names and no more are busy at once', async () => {
  const { take } = turns(4);
  const ends: (() => void)[] = [];
  for (let index = 0; index < 1000; index += 1) ends.push(await take(`name ${index}`, { party: 'here', signal }));
  await expect(take('one more', { party: 'here', signal })).rejects.toMatchObject(overloaded);
  ends[0]!();
  await expect(take('one more', { party: 'here', signal })).resolves.toBeTypeOf('function');
});
