import { beforeAll, expect, test } from 'vitest';
import { playWorld, worldNames } from './play-world.ts';
import { keptSeeds } from './seeds.ts';
import { SharedStore } from './shared-store.ts';

let store: SharedStore;
beforeAll(async () => {
  store = await SharedStore.open();
});

test.each(keptSeeds)('$family $seed keeps all rules; before the fix, $found', async ({ family, seed }) => {
  expect((await playWorld(store, family, seed)).broken).toEqual([]);
});

test('the simulator plays every family', () => {
  expect(worldNames.toSorted()).toEqual([
    'batches',
    'clocks',
    'crowded',
    'disobedient',
    'ends',
    'expiring',
    'fallbacks',
    'idle',
    'keys',
    'leases',
    'models',
    'named',
    'off',
    'poor',
    'promised',
    'quotas',
    'readers',
    'reborn',
    'resting',
    'robbed',
    'sporadic',
    'stalled',
    'stopped',
    'together',
    'unchecked',
    'uneven',
  ]);
});

test.each(worldNames)('the same seed plays the same life to the last step: %s', async (name) => {
  const first = await playWorld(store, name, 7);
  expect(await playWorld(store, name, 7)).toEqual(first);
});
