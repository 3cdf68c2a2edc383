import { expect, test } from 'vitest';
import { limitConcurrency } from './client.ts';

test('at most `limit` jobs run at once, and they start in order', async () => {
  const limited = limitConcurrency(2);
  const started: number[] = [];
  let running = 0;
  let most = 0;
  const job = (number: number) => async () => {
    started.push(number);
    running += 1;
    most = Math.max(most, running);
    await new Promise(setImmediate);
    running -= 1;
    return number;
  };
  const results = await Promise.all([1, 2, 3, 4, 5].map((number) => limited(job(number))));
  expect(results).toEqual([1, 2, 3, 4, 5]);
  expect(started).toEqual([1, 2, 3, 4, 5]);
  expect(most).toBe(2);
});

test('a failed job frees its slot', async () => {
  const limited = limitConcurrency(1);
  await expect(limited(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await limited(() => Promise.resolve('yes'))).toBe('yes');
});
