import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import Table from 'cli-table3';
import type { Store, StorePlace } from '../../src/store/store.ts';
import { startPostgres } from '../../test/services/postgres.ts';
import { filledStore } from './filled-store.ts';
import { askedPages } from './pages.ts';
import { processorMs } from './processor-time.ts';

// Whether pages of usage and requests take as long over many requests as over few: the same thirty days, the same accounts,
// models and users. What is bounded grows no more from the second size to the third; the first is too small to fill any bound.
const { values } = parseArgs({
  options: {
    engine: { type: 'string', default: 'sqlite' },
    sizes: { type: 'string', default: '5000,500000,5000000' },
    /** Only pages whose title has this in it. */
    only: { type: 'string', default: '' },
    /** A folder where embedded stores are kept for the next time. */
    keep: { type: 'string' },
  },
});
const sizes = values.sizes.split(',').map(Number);
const folder = await mkdtemp(join(tmpdir(), 'gateway-usage-'));
const postgres = values.engine === 'postgres' ? await startPostgres(postgresSettings()) : undefined;
const stores: Store[] = [];
for (const size of sizes) stores.push(await filledStore(await placeOf(size), size));
const table = new Table({
  head: ['ms', ...sizes.map(String), `${sizes.at(-1)} / ${sizes[0]}`, `${sizes.at(-1)} / ${sizes.at(-2)}`],
  style: { head: [], border: [] },
});
for (const { title, ask } of askedPages.filter((page) => page.title.includes(values.only))) {
  const tookMs: number[] = [];
  for (const store of stores) tookMs.push(await processorMs(() => ask(store)));
  const last = tookMs.at(-1) ?? 0;
  const ratios = [tookMs[0], tookMs.at(-2)].map((ms = 0) => (last / ms).toFixed(1));
  table.push([title, ...tookMs.map((ms) => ms.toFixed(2)), ...ratios]);
}
console.log(`The processor's time for a page, of gateway and database together, on ${values.engine}.`);
console.log(table.toString());
for (const store of stores) await store.close();
await rm(folder, { recursive: true });
await postgres?.stop();

async function placeOf(size: number): Promise<StorePlace> {
  if (postgres) return { database: await postgres.createDatabase() };
  return { data: join(values.keep ?? folder, String(size)) };
}

/** As an installation has it; nothing is kept, so that nothing need be on the disk. */
function postgresSettings(): readonly string[] {
  return ['fsync=off', 'shared_buffers=256MB', 'max_wal_size=8GB'];
}
