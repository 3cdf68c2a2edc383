import { sql } from 'kysely';
import { afterEach } from 'vitest';
import { arbiterSuite } from '../../../test/arbiter-suite.ts';
import { testStores } from '../../../test/stores/stores.ts';
import { postgresArbiter } from './postgres-arbiter.ts';

const stores = testStores('postgres');
let arbiters: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(arbiters.map((each) => each.stop()));
  arbiters = [];
});

arbiterSuite(async (process, now) => {
  const arbiter = postgresArbiter({
    store: await stores.open(),
    database: stores.place().database!,
    process,
    now: () => sql<number>`cast(${now()} as bigint)`,
  });
  arbiters.push(arbiter);
  return arbiter;
});
