import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe } from 'vitest';
import type { Engine } from '../src/store/engine.ts';
import { openStore, type Store, type StoreOptions, type StorePlace } from '../src/store/store.ts';
import { service } from './services/service.ts';

/** A store of its own for each test, on one engine. */
export interface TestStores {
  readonly engine: Engine;
  /** Another handle on the test's store; closed at its end. */
  open(options?: Partial<StoreOptions>): Promise<Store>;
  /** Where the test's store is, for processes that open it themselves. */
  place(): StorePlace;
}

const engines: readonly Engine[] = ['sqlite', 'postgres'];

/** What a test finds: a store as it is made for a new gateway, or nothing at all, where a test is about the making. */
type Beginning = 'made' | 'nothing';

/** Runs the same tests on every engine. */
export function forEachStore(suite: (stores: TestStores) => void, beginning: Beginning = 'made'): void {
  describe.each(engines)('on %s', (engine) => {
    suite(testStores(engine, beginning));
  });
}

/** The same for tests that have a reason to run on one engine only. */
export function testStores(engine: Engine, beginning: Beginning = 'made'): TestStores {
  let place: StorePlace;
  let opened: Store[] = [];
  beforeEach(async () => {
    place = engine === 'postgres' ? { database: await newDatabase(beginning) } : { data: await newFolder() };
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
      const store = await openStore({ ...options, ...place });
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

function newFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'gateway-store-'));
}
