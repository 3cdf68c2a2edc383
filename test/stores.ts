import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe } from 'vitest';
import type { Engine } from '../src/store/engine.ts';
import { openStore, type Store, type StoreOptions, type StoreLocation } from '../src/store/store.ts';
import { putStore } from './made-store.ts';
import { service } from './services/service.ts';

/** A store of its own for each test, on one engine. */
export interface TestStores {
  readonly engine: Engine;
  /** Another handle on the test's store; closed at its end. */
  open(options?: Partial<StoreOptions>): Promise<Store>;
  /** Where the test's store is, for processes that open it themselves. */
  place(): StoreLocation;
}

/** Where a store may be: what a test is written for runs in each. */
export type StoreHome = Engine | 'sqlite in a thread of its own';

/** The fast suite sets `sqlite` and the deep suite `postgres` for the same files; tests that are only deep run on both. */
const engines = (process.env['TEST_ENGINES'] ?? 'sqlite,postgres').split(',') as readonly Engine[];

/** For tests of the store itself: what it does in its own thread, as in a running gateway, too. */
export const storeHomes: readonly StoreHome[] = engines.flatMap((engine) =>
  engine === 'sqlite' ? [engine, 'sqlite in a thread of its own' as const] : [engine],
);

/** What a test finds: a store as it is made for a new gateway, or nothing at all, where a test is about the making. */
type Beginning = 'made' | 'nothing';

/** Runs the same tests on every engine. */
export function forEachStore(
  suite: (stores: TestStores) => void,
  beginning: Beginning = 'made',
  homes: readonly StoreHome[] = engines,
): void {
  describe.each(homes)('on %s', (home) => {
    suite(testStores(home, beginning));
  });
}

/** The same for tests that have a reason to run on one engine only. */
export function testStores(home: StoreHome, beginning: Beginning = 'made'): TestStores {
  const engine = home === 'postgres' ? 'postgres' : 'sqlite';
  const ownThread = home === 'sqlite in a thread of its own' ? { jobs: [] } : undefined;
  let place: StoreLocation;
  let opened: Store[] = [];
  beforeEach(async () => {
    place = engine === 'postgres' ? { database: await newDatabase(beginning) } : { data: await newFolder(beginning) };
  });
  afterEach(async () => {
    await Promise.all(opened.map((store) => store.close()));
    opened = [];
    await (place.database === undefined ? rm(place.data, { recursive: true }) : dropDatabase(place.database));
  });
  return {
    engine,
    place: () => place,
    async open(options = {}) {
      const store = await openStore({ ownThread, ...options, ...place });
      opened.push(store);
      return store;
    },
  };
}

/** A database, whose address only has to be dropped if there is a reason not to wait for the end of the run. */
export function newDatabase(beginning: Beginning = 'made'): Promise<string> {
  return service('POST', beginning === 'made' ? 'databases' : 'databases/empty');
}

export async function dropDatabase(address: string): Promise<void> {
  await service('DELETE', 'databases', address);
}

async function newFolder(beginning: Beginning): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'gateway-store-'));
  if (beginning === 'made') await putStore(folder);
  return folder;
}
