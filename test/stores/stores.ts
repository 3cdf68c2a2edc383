import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe } from 'vitest';
import type { Engine } from '../../src/platform/store/engine.ts';
import { openStore, type Store, type StoreOptions, type StoreLocation } from '../../src/platform/store/store.ts';
import { putStore } from './made-store.ts';
import { service } from '../services/service.ts';

/** A separate store for each test, on one engine. */
export interface TestStores {
  readonly engine: Engine;
  /** Opens another handle on the test's store. It is closed after the test. */
  open(options?: Partial<StoreOptions>): Promise<Store>;
  /** The location of the test's store, for processes that open it themselves. */
  place(): StoreLocation;
}

/** The kinds of stores on which the same tests run. */
export type StoreHome = Engine | 'sqlite in a thread of its own';

/**
 * The fast suite sets `sqlite` and the deep suite `postgres` for the same files; tests that are only deep run on both.
 */
const engines = (process.env['TEST_ENGINES'] ?? 'sqlite,postgres').split(',') as readonly Engine[];

/** For tests of the store itself: also in its own thread, as in a running gateway. */
export const storeHomes: readonly StoreHome[] = engines.flatMap((engine) =>
  engine === 'sqlite' ? [engine, 'sqlite in a thread of its own' as const] : [engine],
);

/** The initial state: a migrated store, or nothing, for tests of the creation itself. */
type InitialState = 'made' | 'nothing';

/** Runs the same tests on every engine. */
export function forEachStore(
  suite: (stores: TestStores) => void,
  initial: InitialState = 'made',
  homes: readonly StoreHome[] = engines,
): void {
  describe.each(homes)('on %s', (home) => {
    suite(testStores(home, initial));
  });
}

/** The same for tests that run on one engine only. */
export function testStores(home: StoreHome, initial: InitialState = 'made'): TestStores {
  const engine = home === 'postgres' ? 'postgres' : 'sqlite';
  const ownThread = home === 'sqlite in a thread of its own' ? { jobs: [] } : undefined;
  let location: StoreLocation;
  let opened: Store[] = [];
  beforeEach(async () => {
    location = engine === 'postgres' ? { database: await newDatabase(initial) } : { data: await newFolder(initial) };
  });
  afterEach(async () => {
    await Promise.all(opened.map((store) => store.close()));
    opened = [];
    await (location.database === undefined ? rm(location.data, { recursive: true }) : dropDatabase(location.database));
  });
  return {
    engine,
    place: () => location,
    async open(options = {}) {
      const store = await openStore({ ownThread, ...options, ...location });
      opened.push(store);
      return store;
    },
  };
}

/** Creates a database and returns its URL. It is dropped at the end of the run, unless the test drops it earlier. */
export function newDatabase(initial: InitialState = 'made'): Promise<string> {
  return service('POST', initial === 'made' ? 'databases' : 'databases/empty');
}

export async function dropDatabase(address: string): Promise<void> {
  await service('DELETE', 'databases', address);
}

async function newFolder(initial: InitialState): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'gateway-store-'));
  if (initial === 'made') await putStore(folder);
  return folder;
}
