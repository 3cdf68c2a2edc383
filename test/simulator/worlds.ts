import { beforeAll, expect, test } from 'vitest';
import { families } from './families/all.ts';
import { SharedStore } from './shared-store.ts';
import { simulate } from './simulate.ts';

/** Plays so many worlds of each family; `npm run simulate` plays as many more as one likes. */
export function playWorlds(counts: Readonly<Record<string, number>>): void {
  let store: SharedStore;
  beforeAll(async () => {
    store = await SharedStore.open();
  });

  test.each(Object.entries(counts))('no world of the family %s breaks a rule, of %i', async (name, count) => {
    const family = families[name]!;
    for (let seed = 1_000_000; seed < 1_000_000 + count; seed += 1) {
      const { broken } = await simulate(store, family, seed);
      expect(broken, `repeat it with: npm run simulate -- --family ${name} --seed ${seed}`).toEqual([]);
    }
  });
}
