import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { slicedUsage, type UsageGrouping } from '../src/admin/usage-figures.ts';
import { usageSpan } from '../src/admin/usage-points.ts';
import { listRequests } from '../src/requests/find-requests.ts';
import { addingSlices } from '../src/requests/slice-job.ts';
import { encodeGroups, type GroupedRow, groupsOf } from '../src/requests/usage-group.ts';
import { hourMs } from '../src/requests/usage-hours.ts';
import { openStore, type Store, type StorePlace } from '../src/store/store.ts';
import { sql } from 'kysely';
import { startPostgres } from '../test/services/postgres.ts';
import { quantiles } from './statistics.ts';

// Whether pages of usage and requests take as long over many requests as over few: the same thirty days, the same accounts,
// models and users, filled by the very job that a gateway runs.
const { values } = parseArgs({
  options: {
    engine: { type: 'string', default: 'sqlite' },
    few: { type: 'string', default: '5000' },
    many: { type: 'string', default: '5000000' },
    /** How often each page is asked for. */
    rounds: { type: 'string', default: '20' },
  },
});
const counts = [Number(values.few), Number(values.many)] as const;
const rounds = Number(values.rounds);
const until = Date.parse('2026-06-30T00:00:00Z');
const span = usageSpan({ since: until - 30 * 24 * hourMs, until, interval: 'day', zone: 'Asia/Shanghai' }, until);
const accounts = 20;
const batchSize = 500;

const postgres = values.engine === 'postgres' ? await startPostgres(['fsync=off']) : undefined;
const measured = new Map<string, number[]>();
for (const count of counts) {
  const data = await mkdtemp(join(tmpdir(), 'gateway-usage-'));
  const place: StorePlace = postgres ? { database: await postgres.createDatabase() } : { data };
  const store = await openStore(place);
  const beganMs = performance.now();
  await fill(store, count);
  console.log(`${count} requests were stored and added up in ${((performance.now() - beganMs) / 1000).toFixed(0)} s.`);
  for (const [page, ask] of pages(store)) measured.set(page, [...(measured.get(page) ?? []), await medianMs(ask)]);
  await store.close();
  await rm(data, { recursive: true });
}
await postgres?.stop();
console.log(`\nmedian of ${rounds}, in ms | ${counts[0]} requests | ${counts[1]} requests | ratio`);
for (const [page, [few = 0, many = 0]] of measured) {
  console.log(`${page} | ${few.toFixed(1)} | ${many.toFixed(1)} | ${(many / few).toFixed(1)}`);
}

/** What the dashboard asks for. */
function pages(store: Store): readonly (readonly [string, () => Promise<unknown>])[] {
  const sliced = (by: UsageGrouping, accountId: string | undefined) => () =>
    slicedUsage(store, span, { accountId, by, order: 'cost', limit: 50 });
  const own = (['model', 'key', 'user', 'status', 'error'] as const).map(
    (by) => [`an account's usage by ${by}`, sliced(by, 'acc_1')] as const,
  );
  const all = (['account', 'model', 'upstream'] as const).map(
    (by) => [`everybody's usage by ${by}`, sliced(by, undefined)] as const,
  );
  return [
    ...own,
    ...all,
    ["an account's requests", () => listRequests(store, { accountId: 'acc_1', limit: 51 })],
    ["a user's requests", () => listRequests(store, { accountId: 'acc_1', userId: 'user 1', limit: 51 })],
  ];
}

async function medianMs(ask: () => Promise<unknown>): Promise<number> {
  await ask();
  const tookMs: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const beganMs = performance.now();
    await ask();
    tookMs.push(performance.now() - beganMs);
  }
  return quantiles(tookMs).p50;
}

/** Rows by one statement each batch, sums by the job. */
async function fill(store: Store, count: number): Promise<void> {
  for (let first = 0; first < count; first += batchSize) {
    const rows = Array.from({ length: Math.min(batchSize, count - first) }, (_, index) => rowAt(first + index, count));
    await store.db.transaction().execute(async (tx) => {
      await sql`insert into requests (id, started_at, account_id, key_id, user_id, site, surface, asked_model, model, upstream,
        upstream_model, status, error_case, attempts, duration_ms, client_gone, cost, sliced)
        select ${sql.join(columns())} from ${parameter(rows)}`.execute(tx);
      await tx
        .insertInto('usage_notes')
        .values({ id: `n${first}`, body: encodeGroups(groupsOf(rows)) })
        .execute();
    });
    if (first % (200 * batchSize) === 0) await addAll(store);
  }
  await addAll(store);
}

async function addAll(store: Store): Promise<void> {
  while (await store.commit(addingSlices, { notes: 200, requests: 500 }));
}

function columns() {
  const texts = ['id', 'started_at', 'account_id', 'key_id', 'user_id'];
  const field = (name: string) => (postgres ? sql`value ->> ${sql.lit(name)}` : sql`value ->> ${sql.lit(`$.${name}`)}`);
  const whole = (name: string) => sql`cast(${field(name)} as bigint)`;
  return [
    field('id'),
    whole('started_at'),
    ...texts.slice(2).map(field),
    sql`'default'`,
    sql`'/v1/chat/completions'`,
    field('model'),
    field('model'),
    field('upstream'),
    field('model'),
    sql`cast(${field('status')} as integer)`,
    field('error_case'),
    sql`1`,
    whole('duration_ms'),
    sql`0`,
    whole('cost'),
    sql`1`,
  ];
}

function parameter(rows: readonly object[]) {
  const text = JSON.stringify(rows, (_name, value: unknown) => (typeof value === 'bigint' ? Number(value) : value));
  return postgres ? sql`jsonb_array_elements(cast(${text} as jsonb)) as rows (value)` : sql`json_each(${text})`;
}

/** The same mixture at every size: evenly over the time, most users seldom. */
function rowAt(index: number, count: number): GroupedRow & { readonly id: string } {
  const spread = (index * 2_654_435_761) % 4_294_967_296;
  const hasFailed = spread % 23 === 0;
  const account = spread % accounts;
  return {
    id: `r${index}`,
    started_at: span.from + Math.floor((index / count) * (span.to - span.from)),
    account_id: `acc_${account}`,
    key_id: `key_${account}_${spread % 7}`,
    user_id: `user ${Math.floor(Math.sqrt(spread % 160_000))}`,
    model: `model-${spread % 11}`,
    upstream: `upstream-${spread % 3}`,
    status: hasFailed ? 503 : 200,
    error_case: hasFailed ? 'overloaded' : null,
    client_gone: 0,
    prompt_tokens: 100,
    completion_tokens: 50,
    cached_tokens: null,
    reasoning_tokens: null,
    cost: BigInt(spread % 1_000_000),
    provider_cost: null,
    wait_ms: 3,
    first_byte_ms: hasFailed ? null : 200,
    duration_ms: 900,
  };
}
