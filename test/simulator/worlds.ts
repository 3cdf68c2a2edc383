import { beforeAll, expect, test } from 'vitest';
import { isDeep } from '../depth.ts';
import { playWorld } from './play-world.ts';
import { SharedStore } from './shared-store.ts';

/** The fast suite plays this many worlds of each family. */
const fastWorlds = 2;

/** Plays this many worlds of each family in the deep suite; `npm run simulate` plays any number. */
export function playWorlds(counts: Readonly<Record<string, number>>): void {
  let store: SharedStore;
  beforeAll(async () => {
    store = await SharedStore.open();
  });

  const played = Object.entries(counts).map(([name, count]) => [name, isDeep ? count : fastWorlds] as const);
  test.for(played)('no world of the family %s breaks a rule (%i worlds)', async ([name, count], { signal }) => {
    // After a timeout no further world may play: the next test uses the same store.
    for (let seed = 1_000_000; seed < 1_000_000 + count && !signal.aborted; seed += 1) {
      const { broken } = await playWorld(store, name, seed);
      expect(broken, `repeat it with: npm run simulate -- --family ${name} --seed ${seed}`).toEqual([]);
    }
  });
}
