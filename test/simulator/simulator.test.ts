import { beforeAll, expect, test } from 'vitest';
import { families } from './families/all.ts';
import { keptSeeds } from './seeds.ts';
import { SharedStore } from './shared-store.ts';
import { simulate } from './simulate.ts';

let store: SharedStore;
beforeAll(async () => {
  store = await SharedStore.open();
});

test.each(keptSeeds)('$family $seed: no longer is it so that $found', async ({ family, seed }) => {
  expect((await simulate(store, families[family]!, seed)).broken).toEqual([]);
});

test('every family is played', () => {
  expect(Object.keys(families).toSorted()).toEqual([
    'disobedient',
    'ends',
    'fallbacks',
    'keys',
    'neighbours',
    'poor',
    'promised',
    'purse',
    'readers',
    'reborn',
    'resting',
    'robbed',
    'sporadic',
    'together',
  ]);
});

test('the same seed plays the same life to the last step', async () => {
  for (const [name, family] of Object.entries(families)) {
    const first = await simulate(store, family, 7);
    expect(await simulate(store, family, 7), name).toEqual(first);
  }
});
