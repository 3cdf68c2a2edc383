import { beforeEach, expect, test } from 'vitest';
import { type HandClock, handClock } from '../../test/hand-clock.ts';
import { testStores } from '../../test/stores.ts';
import type { Store } from '../store/store.ts';
import { Life } from './life.ts';
import { RefusedCheckpoints } from './refused-checkpoints.ts';

/** Only the clock of the embedded store can be set. */
const { open } = testStores('sqlite');
let clock: HandClock;
let store: Store;
/** How far the wall clock of the machine is ahead. */
let aheadMs: number;
let reborn: string[];
beforeEach(async () => {
  clock = handClock();
  aheadMs = 0;
  reborn = [];
  store = await open({ now: () => clock.now() + aheadMs });
});

async function begun(name: string): Promise<Life> {
  const refused = new RefusedCheckpoints({ store, clock, onTrouble: (error) => expect.unreachable(String(error)) });
  let names = 0;
  const newId = (): string => `${name} ${(names += 1)}`;
  const life = new Life({ store, clock, newId, running: () => [], refused, reborn: () => reborn.push(name) });
  await life.start();
  return life;
}

/** As every process does every few seconds. */
async function round(...lives: readonly Life[]): Promise<void> {
  for (const life of lives) await life.stay();
  for (const life of lives) await life.cleanUp();
}

const processes = async () => {
  const rows = await store.db.selectFrom('processes').select('id').orderBy('id').execute();
  return rows.map(({ id }) => id);
};

test('a clock that is set forth makes nobody dead who is about to be heard of', async () => {
  const [one, other] = [await begun('one'), await begun('other')];
  await round(one, other);
  clock.pass(3000);
  aheadMs = 3_600_000;
  await round(one);
  await round(other);
  expect([reborn, await processes()]).toEqual([[], ['one 1', 'other 1']]);
});

test('who is not heard of behind that is dead', async () => {
  const [one] = [await begun('one'), await begun('other')];
  await round(one);
  clock.pass(3000);
  aheadMs = 3_600_000;
  for (let rounds = 0; rounds < 4; rounds += 1) {
    await round(one);
    clock.pass(5000);
  }
  expect([reborn, await processes()]).toEqual([[], ['one 1']]);
});
