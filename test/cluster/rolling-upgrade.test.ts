import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { expectSound } from '../at-rest.ts';
import { eventually } from '../eventually.ts';
import { type Balancer, balancer } from '../services/balancer.ts';
import { newDatabase } from '../stores/stores.ts';
import { type ClusterStage, setUpCluster } from './stage.ts';

const root = join(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'gateway-next-'));
let stage: ClusterStage | undefined;
let entry: Balancer | undefined;
afterAll(async () => {
  await stage?.tearDown();
  entry?.close();
  rmSync(folder, { recursive: true, force: true });
});

test('a rolling upgrade to a version with another migration under load loses and rejects no request', async () => {
  const program = nextVersion();
  const database = await newDatabase('nothing');
  const accounts = { one: 1, other: 2 };
  // High enough that no request waits.
  stage = await setUpCluster({ database, limit: 200, serviceMs: 400, accounts, gateways: 3 });
  entry = await balancer();
  for (const gateway of stage.gateways) entry.add(gateway);
  const loads = [stage.load('one', entry, 12), stage.load('other', entry, 12)];
  await moreCalls(30);
  for (const old of stage.gateways.slice(0, 3)) {
    entry.add(await stage.start({ program }));
    await moreCalls(30);
    // Connections that the old gateway has not read from yet would be lost with it.
    await entry.remove(old);
    await stage.end(old);
  }
  await moreCalls(30);
  await Promise.all(loads.map((load) => load.stop()));
  expect(stage.failures).toEqual([]);
  expect(stage.provider.finished).toBe(stage.provider.callLog.length);
  await expectSound(stage.store);
  const { charges } = await stage.store.db
    .selectFrom('transfers')
    .select((row) => row.fn.countAll<number>().as('charges'))
    .where('kind', '=', 'charge')
    .executeTakeFirstOrThrow();
  expect(charges).toBe(stage.provider.finished);
  const migrated = stage.store.db.withTables<{ kysely_migration: { name: string } }>().selectFrom('kysely_migration');
  expect(await migrated.select('name').where('name', '=', '9999-next').execute()).toHaveLength(1);
});

async function moreCalls(count: number): Promise<void> {
  const wanted = stage!.provider.callLog.length + count;
  await eventually(() => expect(stage!.provider.callLog.length).toBeGreaterThanOrEqual(wanted));
}

/** A copy of this program with a made-up migration. */
function nextVersion(): string {
  for (const part of ['bin', 'src', 'packages', 'package.json'])
    cpSync(join(root, part), join(folder, part), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  const file = join(folder, 'src/platform/store/migrate.ts');
  const source = readFileSync(file, 'utf8');
  const last = "'0001-baseline': baseline,";
  const next =
    " '9999-next': { up: async (db) => void (await sql`alter table requests add column note text`.execute(db)) },";
  expect(source).toContain(last);
  writeFileSync(file, source.replace(last, last + next));
  return join(folder, 'bin/chat-gateway.cjs');
}
