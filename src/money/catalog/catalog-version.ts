import { createHash } from 'node:crypto';
import type { Kysely } from 'kysely';
import { publishChange } from '../../platform/cluster/change-feed.ts';
import { resourceKinds } from '../../platform/config/schema/resource.ts';
import { buildStamp, formatStamp } from '../../core/build-stamp.ts';
import type { Clock } from '../../core/time/clock.ts';
import type { Database } from '../../platform/store/database.ts';
import type { ResourceRow } from './resource-rows.ts';

/**
 * Returns the value of `x-gateway-version`: the later of the build and the last catalog change. All replicas return the
 * same value.
 */
export async function catalogVersion(db: Kysely<Database>): Promise<string> {
  const build = await latestBuild(db);
  const changedAt = await setting(db, 'catalog_changed_at');
  const changed = changedAt === undefined ? build : formatStamp(Number(changedAt));
  return changed > build ? changed : build;
}

/**
 * Records that a build is in use. All replicas return the latest build, also during a rolling update. Otherwise a
 * client that reaches old and new replicas in turn would see a change each time.
 */
export async function recordBuild(tx: Kysely<Database>, build: string): Promise<void> {
  if (build <= (await latestBuild(tx))) return;
  await set(tx, 'build_stamp', build);
  await publishChange(tx, { topic: 'catalog', subject: '*' });
}

/**
 * Records the time of a change that clients can see. Every change gets a later stamp than all before it, even within
 * one second or after the clock was set back. Clients reload only if the stamp differs.
 */
export async function recordCatalogChange(
  tx: Kysely<Database>,
  rows: readonly ResourceRow[],
  clock: Clock,
): Promise<void> {
  const digest = digestOf(rows);
  if ((await setting(tx, 'catalog_digest')) === digest) return;
  const previous = Number((await setting(tx, 'catalog_changed_at')) ?? 0);
  const build = parseStamp(await latestBuild(tx));
  const changedAt = Math.max(clock.now(), nextSecondAfter(previous), nextSecondAfter(build));
  await set(tx, 'catalog_digest', digest);
  await set(tx, 'catalog_changed_at', String(changedAt));
}

function parseStamp(stamp: string): number {
  return Date.parse(stamp.replace(/^(....)(..)(..)-(..)(..)(..)$/, '$1-$2-$3T$4:$5:$6Z'));
}

function nextSecondAfter(time: number): number {
  return (Math.floor(time / 1000) + 1) * 1000;
}

/**
 * Schemas fill in defaults and order fields, so two spellings of the same entry have the same digest. Only the names of
 * upstreams count: clients cannot see how a model is served.
 */
function digestOf(rows: readonly ResourceRow[]): string {
  const effective = rows.map(({ kind, name, spec }) => {
    if (kind === 'upstream') return [kind, name];
    const parsed = resourceKinds[kind].schema.safeParse(spec);
    return [kind, name, parsed.success ? parsed.data : spec];
  });
  const lines = effective.map((entry) => JSON.stringify(entry));
  return createHash('sha256').update(lines.sort().join('\n')).digest('hex');
}

async function latestBuild(db: Kysely<Database>): Promise<string> {
  const noted = (await setting(db, 'build_stamp')) ?? buildStamp;
  return noted > buildStamp ? noted : buildStamp;
}

async function setting(db: Kysely<Database>, name: string): Promise<string | undefined> {
  const row = await db.selectFrom('settings').select('value').where('name', '=', name).executeTakeFirst();
  return row?.value;
}

async function set(db: Kysely<Database>, name: string, value: string): Promise<void> {
  await db
    .insertInto('settings')
    .values({ name, value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
    .execute();
}
