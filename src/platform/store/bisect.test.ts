import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { bisect } from './bisect.ts';

const unreachable = () => Object.assign(new Error('unreachable'), { code: 'ECONNREFUSED' });

/** Accepts all items or none, like a transaction. */
function pickyStore(bad: ReadonlySet<number>) {
  const [written, attempts] = [new Set<number>(), new Array<readonly number[]>()];
  const write = async (batch: readonly number[]) => {
    attempts.push(batch);
    const refused = batch.find((each) => bad.has(each));
    if (refused !== undefined) throw new Error(`not ${refused}`);
    for (const each of batch) written.add(each);
  };
  return { write, written, attempts };
}

test('every rejected item is isolated, and all other items are written', async () => {
  const items = fc.uniqueArray(fc.nat(), { maxLength: 60 });
  await fc.assert(
    fc.asyncProperty(items, fc.func(fc.boolean()), async (all, isBad) => {
      const bad = new Set(all.filter((each) => isBad(each)));
      const store = pickyStore(bad);
      const refused = await bisect(all, store.write);
      expect(refused.map(({ item }) => item)).toEqual(all.filter((each) => bad.has(each)));
      expect([...store.written]).toEqual(expect.arrayContaining(all.filter((each) => !bad.has(each))));
    }),
  );
});

test('one bad item of 512 is isolated in fewer than 25 attempts and returned with its error', async () => {
  const store = pickyStore(new Set([77]));
  const many = Array.from({ length: 512 }, (_, index) => index);
  expect(await bisect(many, store.write)).toEqual([{ item: 77, error: new Error('not 77') }]);
  expect(store.attempts.length).toBeLessThan(25);
});

test('an unreachable store rejects no item', async () => {
  let attempts = 0;
  const write = () => {
    attempts += 1;
    return Promise.reject(unreachable());
  };
  await expect(bisect([1, 2], write)).rejects.toThrow('unreachable');
  expect(attempts).toBe(1);
});

test('a store that becomes unreachable during the bisection rejects no item', async () => {
  const write = (batch: readonly number[]) =>
    batch.length === 1
      ? Promise.reject(unreachable())
      : batch.length > 0
        ? Promise.reject(new Error('no'))
        : Promise.resolve();
  await expect(bisect([1, 2, 3, 4], write)).rejects.toThrow('unreachable');
});

test('a store that rejects even an empty batch rejects no item', async () => {
  const write = () => Promise.reject(new Error('out of order'));
  await expect(bisect([1], write)).rejects.toThrow('out of order');
});
