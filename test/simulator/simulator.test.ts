import { beforeAll, expect, test } from 'vitest';
import { families } from './families/all.ts';
import { keptSeeds } from './seeds.ts';
import { SharedStore } from './shared-store.ts';
import { simulate } from './simulate.ts';

/** How many worlds of each family the suite plays; `npm run simulate` plays as many more as one likes. */
const worlds: Readonly<Record<string, number>> = {
  purse: 1200,
  poor: 200,
  neighbours: 500,
  readers: 150,
  sporadic: 10,
};

let store: SharedStore;
beforeAll(async () => {
  store = await SharedStore.open();
});

test.each(keptSeeds)('$family $seed: no longer is it so that $found', async ({ family, seed }) => {
  expect((await simulate(store, families[family]!, seed)).broken).toEqual([]);
});

test.each(Object.keys(families))('no world of the family %s breaks a rule', async (name) => {
  const family = families[name]!;
  for (let seed = 1_000_000; seed < 1_000_000 + worlds[name]!; seed += 1) {
    const { broken } = await simulate(store, family, seed);
    expect(broken, `repeat it with: npm run simulate -- --family ${name} --seed ${seed}`).toEqual([]);
  }
});

test('the same seed plays the same life to the last step', async () => {
  for (const [name, family] of Object.entries(families)) {
    const first = await simulate(store, family, 7);
    expect(await simulate(store, family, 7), name).toEqual(first);
  }
});
