import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { bisect } from './bisect.ts';

const away = () => Object.assign(new Error('away'), { code: 'ECONNREFUSED' });

/** Accepts all items or none, like a transaction. */
function pickyStore(bad: ReadonlySet<number>) {
  const [taken, asked] = [new Set<number>(), new Array<readonly number[]>()];
  const take = async (some: readonly number[]) => {
    asked.push(some);
    const refused = some.find((each) => bad.has(each));
    if (refused !== undefined) throw new Error(`not ${refused}`);
    for (const each of some) taken.add(each);
  };
  return { take, taken, asked };
}

test('every rejected item is isolated, and all other items are written', async () => {
  const items = fc.uniqueArray(fc.nat(), { maxLength: 60 });
  await fc.assert(
    fc.asyncProperty(items, fc.func(fc.boolean()), async (all, isBad) => {
      const bad = new Set(all.filter((each) => isBad(each)));
      const store = pickyStore(bad);
      const refused = await bisect(all, store.take);
      expect(refused.map(({ item }) => item)).toEqual(all.filter((each) => bad.has(each)));
      expect([...store.taken]).toEqual(expect.arrayContaining(all.filter((each) => !bad.has(each))));
    }),
  );
});

test('one bad item of 512 is isolated in fewer than 25 attempts and returned with its error', async () => {
  const store = pickyStore(new Set([77]));
  const many = Array.from({ length: 512 }, (_, index) => index);
  expect(await bisect(many, store.take)).toEqual([{ item: 77, error: new Error('not 77') }]);
  expect(store.asked.length).toBeLessThan(25);
});

test('an unreachable store rejects no item', async () => {
  let asked = 0;
  const take = () => {
    asked += 1;
    return Promise.reject(away());
  };
  await expect(bisect([1, 2], take)).rejects.toThrow('away');
  expect(asked).toBe(1);
});

test('a store that becomes unreachable during the bisection rejects no item', async () => {
  const take = (some: readonly number[]) =>
    some.length === 1 ? Promise.reject(away()) : some.length > 0 ? Promise.reject(new Error('no')) : Promise.resolve();
  await expect(bisect([1, 2, 3, 4], take)).rejects.toThrow('away');
});

test('a store that rejects even an empty batch rejects no item', async () => {
  const take = () => Promise.reject(new Error('out of order'));
  await expect(bisect([1], take)).rejects.toThrow('out of order');
});
