import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ruled } from '../ruled.ts';
import type { Store, StoreLocation } from '../../src/platform/store/store.ts';
import { startPostgres } from '../../test/services/postgres.ts';
import { filledStore } from './filled-store.ts';
import { dashboardQueries } from './pages.ts';
import { processorMs } from './processor-time.ts';

// Compares the cost of usage and request pages over many requests with the cost over few: the same thirty days,
// accounts, models and users. The cost of a limited query must not grow from the second size to the third. The first
// size is too small to reach any limit.
const { values } = parseArgs({
  options: {
    engine: { type: 'string', default: 'sqlite' },
    sizes: { type: 'string', default: '5000,500000,5000000' },
    /** Only pages whose title contains this text. */
    only: { type: 'string', default: '' },
    /** A folder that keeps embedded stores for the next run. */
    keep: { type: 'string' },
  },
});
const sizes = values.sizes.split(',').map(Number);
const folder = await mkdtemp(join(tmpdir(), 'gateway-usage-'));
const postgres = values.engine === 'postgres' ? await startPostgres(postgresSettings()) : undefined;
const stores: Store[] = [];
for (const size of sizes) stores.push(await filledStore(await placeOf(size), size));
const table = [['ms', ...sizes.map(String), `${sizes.at(-1)} / ${sizes[0]}`, `${sizes.at(-1)} / ${sizes.at(-2)}`]];
for (const { title, run } of dashboardQueries.filter((query) => query.title.includes(values.only))) {
  const tookMs: number[] = [];
  for (const store of stores) tookMs.push(await processorMs(() => run(store)));
  const last = tookMs.at(-1) ?? 0;
  const ratios = [tookMs[0], tookMs.at(-2)].map((ms = 0) => (last / ms).toFixed(1));
  table.push([title, ...tookMs.map((ms) => ms.toFixed(2)), ...ratios]);
}
console.log(`CPU time of a page, gateway and database together, on ${values.engine}.`);
console.log(ruled(table));
for (const store of stores) await store.close();
await rm(folder, { recursive: true });
await postgres?.stop();

async function placeOf(size: number): Promise<StoreLocation> {
  if (postgres) return { database: await postgres.createDatabase() };
  return { data: join(values.keep ?? folder, String(size)) };
}

/** The settings of an installation, but without fsync: this data need not survive. */
function postgresSettings(): readonly string[] {
  return ['fsync=off', 'shared_buffers=256MB', 'max_wal_size=8GB'];
}
